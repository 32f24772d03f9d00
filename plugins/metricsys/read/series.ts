// The series of one table with their samples, read in one statement and sorted by their labels.
import {
  DbError,
  type Dialect,
  endsStep,
  isValid,
  type Pace,
  type RequestContext,
  type ResultBatch,
  runPaced,
  type Steps,
  type Store,
  sortPaced,
  type Table,
  type TableColumn,
  wholePattern
} from '../../../core/index.ts'
import type { Matcher, ReadQuery } from './decode.ts'
import type { TablePlan } from './plan.ts'
import { compareText } from './text.ts'

export interface ReadSeries {
  /** Sorted by name, `__name__` included. */
  readonly labels: readonly Label[]
  /** Milliseconds since 1970, ascending. */
  readonly times: bigint[]
  /** Values as the bits of their numbers. */
  readonly values: bigint[]
  readonly histograms: { readonly time: bigint; readonly json: string }[]
}

/** Rows of an answer handled in a step. */
export const stepRows = 256

export type Label = readonly [name: string, value: string]

/** Counts the samples of a request. Throws DbError beyond the limit. */
export interface Allowance {
  take(samples: number): void
}

export function allowance(max: number): Allowance {
  let left = max
  return {
    take(samples) {
      left -= samples
      if (left >= 0) return
      throw new DbError(
        'InvalidArguments',
        `the answer has more than ${max} samples (plugins.metricsys.max_read_samples): ask for less at a time`
      )
    }
  }
}

/** The statement gives labels in the first row of each series only, because reading texts is the expensive part. */
export async function readSeries(
  store: Store,
  ctx: RequestContext,
  plan: TablePlan,
  query: ReadQuery,
  { take }: Allowance,
  pace: Pace
): Promise<readonly ReadSeries[]> {
  const { table } = plan
  const tags = table.tags.toSorted((a, b) => compareText(a.name, b.name))
  const [head, tail] = statement(store.dialect, plan, tags, query)
  const relations = [{ start: head.length, end: head.length + 1, table, alias: 'r' }]
  const result = await store.query(ctx, { kind: 'sql', text: `${head}r${tail}`, relations, timezone: 'UTC' })
  const found: ReadSeries[] = []
  for await (const batch of result.batches()) {
    take(batch.rows)
    await runPaced(pace, addRows(found, batch, table.name, tags))
  }
  return sortPaced(pace, found, (a, b) => compareLabels(a.labels, b.labels))
}

function* addRows(found: ReadSeries[], batch: ResultBatch, metric: string, tags: readonly TableColumn[]): Steps<void> {
  const [times, values, histograms, first, ...labels] = batch.columns
  const bits = values!.values as Float64Array
  const words = new BigInt64Array(bits.buffer, bits.byteOffset, bits.length)
  for (let row = 0; row < batch.rows; row++) {
    if (isSet(first!, row) && (first!.values as ArrayLike<number>)[row] === 1) {
      const texts = labels.map(({ values }) => values[row] as string | null)
      found.push({ labels: labelsOf(metric, tags, texts), times: [], values: [], histograms: [] })
    }
    const series = found.at(-1)!
    const time = (times!.values as BigInt64Array)[row]!
    if (isSet(values!, row)) {
      series.times.push(time)
      series.values.push(words[row]!)
    }
    const json = histograms!.values[row] as string | null | undefined
    if (json != null) series.histograms.push({ time, json })
    if (endsStep(row, stepRows)) yield
  }
}

function isSet({ valid }: { readonly valid?: Uint8Array }, row: number): boolean {
  return isValid(valid, row)
}

function labelsOf(metric: string, tags: readonly TableColumn[], texts: readonly (string | null)[]): Label[] {
  const labels = tags.flatMap(({ name }, i): Label[] => (texts[i] ? [[name, texts[i]]] : []))
  return [...labels, ['__name__', metric] as const].sort((a, b) => compareText(a[0], b[0]))
}

/** The statement before and after the table. */
function statement(
  dialect: Dialect,
  { table, value, histogram, matchers }: TablePlan,
  tags: readonly TableColumn[],
  query: ReadQuery
): [string, string] {
  const { timeIndex } = table
  const [t, v, h, n] = freeNames(table)
  const names = tags.map(tag => dialect.quoteName(tag.physical))
  const partition = names.length > 0 ? `PARTITION BY ${names.join(', ')} ` : ''
  const own = dialect.quoteName(timeIndex.physical)
  const time = timeIndex.type === 'TimestampMillisecond' ? own : dialect.milliseconds(own)
  const text = histogram ? dialect.text(dialect.quoteName(histogram.physical)) : dialect.cast('NULL', 'String')
  const count = dialect.cast(`row_number() OVER (${partition}ORDER BY ${time})`, 'Int32')
  const inner = [
    `${time} AS ${t}`,
    `${number(dialect, value)} AS ${v}`,
    `${text} AS ${h}`,
    `${count} AS ${n}`,
    ...names
  ].join(', ')
  const labels = names.map(name => `, CASE WHEN ${n} = 1 THEN ${name} END`).join('')
  const columns = new Map(table.tags.map(tag => [tag.name, dialect.quoteName(tag.physical)]))
  const filled = [value, histogram].flatMap(column =>
    column ? [`${dialect.quoteName(column.physical)} IS NOT NULL`] : []
  )
  const where = [
    ...bounds(dialect, timeIndex, time, query),
    ...matchers.map(matcher => condition(dialect, matcher, columns.get(matcher.name)!)),
    `(${filled.join(' OR ')})`
  ].join(' AND ')
  const order = [...names, n].join(', ')
  return [`SELECT ${t}, ${v}, ${h}, ${n}${labels} FROM (SELECT ${inner} FROM `, ` WHERE ${where}) ORDER BY ${order}`]
}

/** Four names that no column of the table has. */
function freeNames({ columns }: Table): readonly string[] {
  const taken = new Set(columns.map(({ physical }) => physical.toLowerCase()))
  return ['t', 'v', 'h', 'n'].map(name => {
    let free = `read_${name}`
    while (taken.has(free)) free = `${free}_`
    return free
  })
}

function number(dialect: Dialect, value: TableColumn | undefined): string {
  if (value === undefined) return dialect.cast('NULL', 'Float64')
  const name = dialect.quoteName(value.physical)
  return value.type === 'Float64' ? name : dialect.cast(name, 'Float64')
}

/** The largest DuckDB timestamp, in microseconds since 1970. */
const maxTicks = 2n ** 63n - 1n

function bounds(dialect: Dialect, { type }: TableColumn, time: string, { from, to }: ReadQuery): string[] {
  const bound = (operator: string, at: bigint) => {
    if (type !== 'TimestampMillisecond') return [`${time} ${operator} ${at}`]
    const micros = at * 1000n
    return micros > maxTicks || micros < -maxTicks
      ? (operator === '>=' ? at > 0n : at < 0n)
        ? ['false']
        : []
      : [`${time} ${operator} ${dialect.time(type, at, String)}`]
  }
  return [...bound('>=', from), ...bound('<=', to)]
}

function condition(dialect: Dialect, { type, value }: Matcher, column: string): string {
  const { quoteText } = dialect
  const text = `coalesce(${column}, '')`
  if (type === '=') return value === '' ? `${text} = ''` : `${column} = ${quoteText(value)}`
  if (type === '!=') return `${text} <> ${quoteText(value)}`
  return `${type === '!~' ? 'NOT ' : ''}${dialect.matches(text, quoteText(dialect.pattern(wholePattern(value))))}`
}

/** The protocol's order of series: label by label, by name, then by value; the set with fewer labels first. */
export function compareLabels(a: readonly Label[], b: readonly Label[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const order = compareText(a[i]![0], b[i]![0]) || compareText(a[i]![1], b[i]![1])
    if (order !== 0) return order
  }
  return a.length - b.length
}
