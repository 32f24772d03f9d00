// Selects the series of a query: those with rows in its range of time whose tags match.
import { isValid, type ResultVector } from '../../model/batch.ts'
import type { Table } from '../../model/table.ts'
import type { SeriesQuery, SeriesTags, TagMatch } from '../engine.ts'
import { isLogical } from '../logical.ts'
import { besideName, tableName } from './definition.ts'
import type { StoredLabels } from './labels.ts'
import { quoteName, quoteText } from './names.ts'
import { type QueryDependencies, querySettings } from './query.ts'
import { relation, timeConditions } from './relation.ts'

/** Maximum series numbers in a statement; for more series, all are read. */
export const maxListed = 20_000

/** Matchers for tags the table has. Undefined if no series can match, because a missing tag is empty in all of them. */
export function matchesOf(table: Table, { matches }: SeriesQuery): readonly TagMatch[] | undefined {
  const isTag = ({ column }: TagMatch) => table.tags.some(({ name }) => name === column)
  if (matches.some(match => !isTag(match) && !match.test(''))) return undefined
  return matches.filter(isTag)
}

/** Numbers of the matching series by the cluster's number; adds the tags of unknown series to the cache. */
export async function choose(
  parts: QueryDependencies,
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
  parts: QueryDependencies,
  table: Table,
  query: SeriesQuery,
  put: Put,
  signal: AbortSignal
): Promise<void> {
  // Series without a visible row have no samples.
  const text = `SELECT DISTINCT \`tsid\` FROM ${samplesOf(parts, table, query, !query.distinct)}${equalOf(parts, table, query.matches)}`
  const reading = await parts.connection.read(text, { signal, settings: querySettings(parts) })
  const tsids: bigint[] = []
  for await (const { rows, columns } of reading.batches()) {
    const ids = columns[0]!.values as BigUint64Array
    for (let row = 0; row < rows; row++) tsids.push(ids[row]!)
  }
  const tagsOf = await labelsOf(parts, table, tsids, query, signal)
  // In the order of the cluster's numbers, so that repeated queries return series in the same order.
  for (const tsid of BigUint64Array.from(tsids).sort()) {
    const tags = tagsOf(tsid)
    if (tags !== undefined) put(tsid, tags.names, tags.values)
  }
}

/** The cluster's table with the series of a logical table, and the condition for them. */
function seriesOf({ catalog, location }: QueryDependencies, table: Table): string {
  const physicalTable = catalog.physicalTableOf(table)
  return `${besideName(location, physicalTable.database, physicalTable.name, 'series')} WHERE \`table\` = ${table.id}`
}

/** A condition on samples that their series have the requested labels; '' if any series matches. */
export function equalOf(parts: QueryDependencies, table: Table, matches: readonly TagMatch[]): string {
  const equal = matches.flatMap(({ column, equals }) =>
    equals === undefined ? [] : [` AND \`labels\`[${quoteText(column)}] = ${quoteText(equals)}`]
  )
  return equal.length === 0 ? '' : ` AND \`tsid\` IN (SELECT \`tsid\` FROM ${seriesOf(parts, table)}${equal.join('')})`
}

/** Tags of series of a logical table with samples in the query's range. Cached: only unknown series are requested. */
export async function labelsOf(
  parts: QueryDependencies,
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

/** Labels that are tags of the table, which may have lost some. */
function held(labels: StoredLabels, tags: ReadonlySet<string>): StoredLabels {
  const { names, values } = labels
  if (names.every(name => tags.has(name))) return labels
  return { names: names.filter(name => tags.has(name)), values: values.filter((_, i) => tags.has(names[i]!)) }
}

/** The samples of a logical table in the query's range. `any`: any version of a row will do, which is cheaper. */
export function samplesOf(parts: QueryDependencies, table: Table, query: SeriesQuery, any = false): string {
  const physicalTable = parts.catalog.physicalTableOf(table)
  const conditions = [`\`table\` = ${table.id}`, ...timeConditions(parts, table, query, '`time`')]
  const final = physicalTable.options.append_mode || any ? '' : ' FINAL'
  return `${tableName(parts.location, physicalTable.database, physicalTable.name)}${final} WHERE ${conditions.join(' AND ')}`
}

/** The number of a series of an ordinary table: a hash of its tags. */
export function identity(table: Table): string {
  if (table.tags.length === 0) return 'toUInt64(0)'
  const parts = table.tags.map(
    ({ physical }) => `isNull(${quoteName(physical)}), ifNull(toString(${quoteName(physical)}), '')`
  )
  return `sipHash64(${parts.join(', ')})`
}

async function eachOrdinary(
  parts: QueryDependencies,
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
