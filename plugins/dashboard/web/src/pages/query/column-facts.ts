// Facts of columns: counted here where all rows are in the page, else by the server.
import { type Column, type SqlResult, type Statement, sql } from '../../api/sql.ts'
import { cellText } from '../../cell.ts'
import { isNumeric } from '../../components/data-table.tsx'
import { isTime } from '../../time.ts'

export interface ColumnFacts {
  readonly different: number
  /** Whether `different` is an estimate. */
  readonly isRough: boolean
  readonly missing: number
  /** Undefined where values have no order that means something. */
  readonly least: unknown
  readonly greatest: unknown
  readonly average: number | undefined
  /** Median and 95th percentile. */
  readonly quantiles: readonly number[] | undefined
  /** The most frequent values; empty where all are different. */
  readonly top: readonly (readonly [value: unknown, count: number])[]
}

interface Facts {
  readonly rows: number
  readonly columns: readonly ColumnFacts[]
}

/** Values named of a column. */
const maxValues = 5
/** Columns whose values are counted, and different values of one: each costs a query that holds them all. */
const maxCountedColumns = 40
const maxDistinct = 100_000
/** Values, of all columns together, up to which different ones are counted instead of estimated. */
const maxExactValues = 2_000_000

export function factsOfShown({ columns, rows }: Pick<SqlResult, 'columns' | 'rows'>): Facts {
  return { rows: rows.length, columns: columns.map(({ type }, at) => factsOfColumn(rows, at, type)) }
}

function factsOfColumn(rows: SqlResult['rows'], at: number, type: string): ColumnFacts {
  const counts = new Map<string, { readonly value: unknown; count: number }>()
  const numbers: number[] = []
  let [missing, sum, least, greatest] = [0, 0, undefined as unknown, undefined as unknown]
  for (const row of rows) {
    const value = row[at]
    if (value === null || value === undefined) {
      missing++
      continue
    }
    const text = cellText(value, type)
    const known = counts.get(text)
    if (known === undefined) counts.set(text, { value, count: 1 })
    else known.count++
    if (typeof value === 'object') continue
    if (least === undefined || (value as number) < (least as number)) least = value
    if (greatest === undefined || (value as number) > (greatest as number)) greatest = value
    if (!isNumeric(type)) continue
    numbers.push(Number(value))
    sum += Number(value)
  }
  numbers.sort((a, b) => a - b)
  const below = (share: number) => numbers[Math.min(numbers.length - 1, Math.floor(share * numbers.length))]!
  const top = [...counts.values()].sort((a, b) => b.count - a.count).slice(0, maxValues)
  const isDistinct = counts.size === rows.length - missing
  return {
    ...{ missing, least, greatest },
    different: counts.size,
    isRough: false,
    average: numbers.length > 0 ? sum / numbers.length : undefined,
    quantiles: numbers.length > 0 ? [below(0.5), below(0.95)] : undefined,
    top: isDistinct ? [] : top.map(({ value, count }) => [value, count])
  }
}

/** Asks the server about all rows of a statement. */
export async function factsOfAll(asked: Statement, columns: readonly Column[], signal: AbortSignal): Promise<Facts> {
  const { text, params } = asked
  const names = columns.map((_, i) => `c${i}`)
  const source = `(\n${text.replace(/;\s*$/, '')}\n) AS asked(${names.join(', ')})`
  const wanted = columns.flatMap(({ type }, i) => {
    const name = names[i]!
    return [
      `count(${name})`,
      `approx_count_distinct(${name})`,
      ...(isOrdered(type) ? [`min(${name})`, `max(${name})`] : ['NULL', 'NULL']),
      ...(isNumeric(type)
        ? [`avg(${name})`, `approx_quantile(${name}, 0.5)`, `approx_quantile(${name}, 0.95)`]
        : ['NULL', 'NULL', 'NULL'])
    ]
  })
  const { rows } = await sql(
    `SELECT count(*) AS n, ${wanted.map((each, i) => `${each} AS f${i}`).join(', ')} FROM ${source}`,
    { params, signal }
  )
  const [total, ...figures] = rows[0]!
  const isExact = Number(total) * names.length <= maxExactValues
  const counts = isExact ? await countDifferent(names, source, { params, signal }) : undefined
  const facts: ColumnFacts[] = []
  for (const [i, name] of names.entries()) {
    const [known, estimate, least, greatest, average, median, max] = figures.slice(7 * i, 7 * i + 7)
    // An estimate may exceed the number of rows.
    const different = counts?.[i] ?? Math.min(Number(estimate), Number(known))
    const isCounted = i < maxCountedColumns && different <= maxDistinct && different < 0.9 * Number(known)
    facts.push({
      different,
      isRough: !isExact,
      missing: Number(total) - Number(known),
      least: least ?? undefined,
      greatest: greatest ?? undefined,
      average: average === null ? undefined : Number(average),
      quantiles: median === null ? undefined : [Number(median), Number(max)],
      top: isCounted ? await topOf(name, source, { params, signal }) : []
    })
  }
  return { rows: Number(total), columns: facts }
}

interface Options {
  readonly params: Statement['params']
  readonly signal: AbortSignal
}

async function countDifferent(names: readonly string[], source: string, options: Options): Promise<readonly number[]> {
  const counts = names.map((name, i) => `count(DISTINCT ${name}) AS f${i}`)
  return (await sql(`SELECT ${counts.join(', ')} FROM ${source}`, options)).rows[0]!.map(Number)
}

async function topOf(name: string, source: string, options: Options): Promise<ColumnFacts['top']> {
  const text = `SELECT ${name}, count(*) AS n FROM ${source} WHERE ${name} IS NOT NULL GROUP BY ${name} ORDER BY n DESC LIMIT ${maxValues}`
  return (await sql(text, options)).rows.map(([value, count]) => [value, Number(count)])
}

function isOrdered(type: string): boolean {
  return isNumeric(type) || isTime(type) || type === 'Date' || type === 'String'
}
