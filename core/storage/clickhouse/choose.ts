// Which series a query means: those with rows in its time whose tags pass.
import { isValid, type ResultVector } from '../../model/batch.ts'
import type { Table } from '../../model/table.ts'
import type { SeriesQuery, SeriesTags, TagMatch } from '../engine.ts'
import { isLogical } from '../logical.ts'
import { besideName, tableName } from './definition.ts'
import type { StoredLabels } from './labels.ts'
import { quoteName, quoteText } from './names.ts'
import { type QueryParts, querySettings } from './query.ts'
import { relation, timeConditions } from './relation.ts'

/** Numbers that go into a statement at most; of more series all are read. */
export const maxListed = 20_000

/** What the tags of the series of a table must pass, as far as it has them. Undefined where none can: a tag it lacks is empty in each. */
export function matchesOf(table: Table, { matches }: SeriesQuery): readonly TagMatch[] | undefined {
  const isTag = ({ column }: TagMatch) => table.tags.some(({ name }) => name === column)
  if (matches.some(match => !isTag(match) && !match.test(''))) return undefined
  return matches.filter(isTag)
}

/** Numbers of the series whose tags pass, by what the cluster knows them as; their tags are put to the others. */
export async function choose(
  parts: QueryParts,
  table: Table,
  query: SeriesQuery,
  chosen: SeriesTags[],
  signal: AbortSignal
): Promise<ReadonlyMap<bigint, number>> {
  const found = new Map<bigint, number>()
  const matches = matchesOf(table, query)
  if (matches === undefined) return found
  const put = (id: bigint, names: readonly string[], values: readonly string[]) => {
    if (!matches.every(({ column, test }) => test(values[names.indexOf(column)] ?? ''))) return
    found.set(id, chosen.length)
    chosen.push({ table, names, values })
  }
  if (isLogical(table)) await eachLogical(parts, table, { ...query, matches }, put, signal)
  else await eachOrdinary(parts, table, query, put, signal)
  return found
}

type Put = (id: bigint, names: readonly string[], values: readonly string[]) => void

async function eachLogical(
  parts: QueryParts,
  table: Table,
  query: SeriesQuery,
  put: Put,
  signal: AbortSignal
): Promise<void> {
  // Of series without a row to be seen nothing comes later.
  const text = `SELECT DISTINCT \`tsid\` FROM ${samplesOf(parts, table, query, !query.distinct)}${equalOf(parts, table, query.matches)}`
  const reading = await parts.connection.read(text, { signal, settings: querySettings(parts) })
  const tsids: bigint[] = []
  for await (const { rows, columns } of reading.batches()) {
    const ids = columns[0]!.values as BigUint64Array
    for (let row = 0; row < rows; row++) tsids.push(ids[row]!)
  }
  const tagsOf = await labelsOf(parts, table, tsids, query, signal)
  // Their numbers ascend with what the cluster knows them as: whoever asks again meets them in the same order.
  for (const tsid of BigUint64Array.from(tsids).sort()) {
    const tags = tagsOf(tsid)
    if (tags !== undefined) put(tsid, tags.names, tags.values)
  }
}

/** The table of the series of a logical table, and which rows of it are those. */
function seriesOf({ catalog, location }: QueryParts, table: Table): string {
  const host = catalog.host(table)
  return `${besideName(location, host.database, host.name, 'series')} WHERE \`table\` = ${table.id}`
}

/** That series of a logical table have the labels that are asked for, as another condition of their samples; '' where any may. */
export function equalOf(parts: QueryParts, table: Table, matches: readonly TagMatch[]): string {
  const equal = matches.flatMap(({ column, equals }) =>
    equals === undefined ? [] : [` AND \`labels\`[${quoteText(column)}] = ${quoteText(equals)}`]
  )
  return equal.length === 0 ? '' : ` AND \`tsid\` IN (SELECT \`tsid\` FROM ${seriesOf(parts, table)}${equal.join('')})`
}

/** Tags of series of a logical table that have samples in the time of a query. They are told once: only what is new is asked for. */
export async function labelsOf(
  parts: QueryParts,
  table: Table,
  tsids: readonly bigint[],
  query: SeriesQuery,
  signal: AbortSignal
): Promise<(tsid: bigint) => StoredLabels | undefined> {
  const known = await parts.labels.of(table, tsids, async (missing, know) => {
    const all = `SELECT \`tsid\` FROM ${samplesOf(parts, table, query, true)}`
    const which = missing.length > maxListed ? all : missing.join(', ')
    const text = `SELECT \`tsid\`, mapKeys(\`labels\`), mapValues(\`labels\`) FROM ${seriesOf(parts, table)} AND \`tsid\` IN (${which})`
    const reading = await parts.connection.read(text, { signal, settings: querySettings(parts) })
    for await (const { rows, columns } of reading.batches()) {
      const [ids, names, values] = columns.map(column => column.values) as [BigUint64Array, string[][], string[][]]
      for (let row = 0; row < rows; row++) know(ids[row]!, names[row]!, values[row]!)
    }
  })
  const tags = new Set(table.tags.map(({ name }) => name))
  return tsid => {
    const labels = known.get(tsid)
    return labels && held(labels, tags)
  }
}

/** Labels that are tags of their table, which may have lost some. */
function held(labels: StoredLabels, tags: ReadonlySet<string>): StoredLabels {
  const { names, values } = labels
  if (names.every(name => tags.has(name))) return labels
  return { names: names.filter(name => tags.has(name)), values: values.filter((_, i) => tags.has(names[i]!)) }
}

/** Rows of the samples of a logical table in the time of a query; where any version of them will do, at less cost. */
export function samplesOf(parts: QueryParts, table: Table, query: SeriesQuery, any = false): string {
  const host = parts.catalog.host(table)
  const conditions = [`\`table\` = ${table.id}`, ...timeConditions(parts, table, query, '`time`')]
  const final = host.options.append_mode || any ? '' : ' FINAL'
  return `${tableName(parts.location, host.database, host.name)}${final} WHERE ${conditions.join(' AND ')}`
}

/** What a series of an ordinary table is known as: a hash of its tags. */
export function identity(table: Table): string {
  if (table.tags.length === 0) return 'toUInt64(0)'
  const parts = table.tags.map(
    ({ physical }) => `isNull(${quoteName(physical)}), ifNull(toString(${quoteName(physical)}), '')`
  )
  return `sipHash64(${parts.join(', ')})`
}

async function eachOrdinary(
  parts: QueryParts,
  table: Table,
  query: SeriesQuery,
  put: Put,
  signal: AbortSignal
): Promise<void> {
  const tags = table.tags.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const columns = tags.map(({ physical }) => `any(toString(${quoteName(physical)}))`)
  const equal = query.matches.flatMap(({ column, equals }) => {
    const tag = tags.find(({ name }) => name === column)
    if (equals === undefined || tag === undefined || equals === '') return []
    return [`toString(${quoteName(tag.physical)}) = ${quoteText(equals)}`]
  })
  const where = equal.length === 0 ? '' : ` WHERE ${equal.join(' AND ')}`
  const text = `SELECT ${[`${identity(table)} AS __id`, ...columns].join(', ')} FROM ${relation(parts, table, query)}${where} GROUP BY __id ORDER BY __id`
  const reading = await parts.connection.read(text, { signal, settings: querySettings(parts) })
  for await (const { rows, columns } of reading.batches()) {
    for (let row = 0; row < rows; row++) {
      const values = tags.map((_, i) => textAt(columns[i + 1]!, row))
      const held = [...tags.keys()].filter(i => values[i] !== undefined)
      put(
        columns[0]!.values[row] as bigint,
        held.map(i => tags[i]!.name),
        held.map(i => values[i]!)
      )
    }
  }
}

function textAt({ values, valid }: ResultVector, row: number): string | undefined {
  return isValid(valid, row) ? (values[row] as string) : undefined
}
