// Queries: rows of a table, samples of series.
import { DbError } from '../../errors.ts'
import { isValid, type ResultBatch, type ResultColumn, type ResultVector } from '../../model/batch.ts'
import type { Table, TableColumn } from '../../model/table.ts'
import { isBytesType, type ResultType } from '../../model/types.ts'
import type { QueryResult, ScanQuery, SeriesQuery, SeriesTags } from '../engine.ts'
import { isLogical } from '../logical.ts'
import type { ClusterCatalog, LogicalColumn } from './catalog.ts'
import type { Connection, Reading } from './connection.ts'
import { besideName, type Place, tableName } from './definition.ts'
import { cancelled } from './errors.ts'
import { quoteName, quoteText, timeInteger } from './names.ts'
import { relation, timeConditions } from './relation.ts'
import { requireSame } from './statement.ts'

export interface QueryParts {
  readonly connection: Connection
  readonly catalog: ClusterCatalog
  readonly place: Place
  /** The longest a query may take, in milliseconds. */
  readonly timeout: number
}

/** What every query is asked with: nothing is changed by one, wide integers and JSON come as they are. */
export function querySettings({ timeout, place }: QueryParts, timezone = 'UTC') {
  return {
    readonly: 2,
    session_timezone: timezone,
    max_execution_time: Math.ceil(timeout / 1000),
    output_format_native_write_json_as_string: 1,
    transform_null_in: 1,
    // Numbers of versions and series stand in statements.
    max_query_size: 2 ** 24,
    ...(place.cluster !== '' && { distributed_product_mode: 'local', select_sequential_consistency: 1 })
  }
}

export async function scan(parts: QueryParts, query: ScanQuery, signal: AbortSignal): Promise<QueryResult> {
  const { connection, catalog } = parts
  const table = catalog.current(query.table)
  const columns = query.columns.map(name => requireColumn(table, query.table, name))
  const list = columns.map(({ physical }, i) => `${quoteName(physical)} AS __${i}`)
  const text = `SELECT ${list.length === 0 ? '1 AS __0' : list.join(', ')} FROM ${relation(parts, table, query)}`
  const types = new Map<string, ResultType>(columns.map(({ type }, i) => [`__${i}`, type]))
  const reading = await connection.read(text, { signal, settings: querySettings(parts), types })
  return resultOf(
    reading,
    columns.map(({ name, type }) => ({ name, type }))
  )
}

function requireColumn(now: Table, then: Table, name: string): TableColumn {
  const known = then.columns.find(column => column.name === name)
  const column = now.columns.find(column => column.name === name)
  if (column !== undefined && (known === undefined || known.id === column.id)) return column
  throw new DbError('RequestOutdated', `column ${name} of table ${now.name} was changed meanwhile`)
}

export function resultOf(reading: Reading, columns: readonly ResultColumn[] = reading.columns): QueryResult {
  return { columns, batches: () => reading.batches(), close: () => reading.close() }
}

/** One query chooses series by their tags, another one brings their samples. */
export async function series(parts: QueryParts, query: SeriesQuery, signal: AbortSignal): Promise<QueryResult> {
  if (signal.aborted) throw cancelled(signal)
  const tables = [query.table, ...(query.others ?? [])].map(table => requireSame(parts.catalog, table))
  const chosen: SeriesTags[] = []
  const columns: ResultColumn[] = [{ name: 'series', type: 'UInt32' }]
  if (query.distinct !== true) {
    columns.push({ name: 'time', type: 'Float64' })
    for (const name of query.values) columns.push({ name, type: isText(query.table, name) ? 'String' : 'Float64' })
  }
  const of: { readonly table: Table; readonly series: ReadonlyMap<bigint, number> }[] = []
  for (const table of tables) of.push({ table, series: await choose(parts, table, query, chosen, signal) })
  const open: Reading[] = []
  async function* batches(): AsyncGenerator<ResultBatch> {
    try {
      for (const { table, series } of of) {
        if (series.size === 0) continue
        const reading = await samples(parts, table, series, query, signal)
        open.push(reading)
        for await (const batch of reading.batches()) yield numbered(batch, series)
      }
    } finally {
      for (const reading of open.splice(0)) reading.close()
    }
  }
  const distinct = async function* (): AsyncGenerator<ResultBatch> {
    const numbers = Uint32Array.from(chosen, (_, i) => i)
    if (numbers.length > 0) yield { rows: numbers.length, columns: [{ values: numbers }] }
  }
  return {
    columns,
    labels: number => chosen[number]!,
    batches: query.distinct ? distinct : batches,
    close() {
      for (const reading of open.splice(0)) reading.close()
    }
  }
}

function isText(table: Table, name: string): boolean {
  const type = table.columns.find(column => column.name === name)?.type
  return type !== undefined && isBytesType(type)
}

/** Numbers of the series whose tags pass, by what the cluster knows them as; their tags are put to the others. */
async function choose(
  parts: QueryParts,
  table: Table,
  query: SeriesQuery,
  chosen: SeriesTags[],
  signal: AbortSignal
): Promise<ReadonlyMap<bigint, number>> {
  const { connection } = parts
  const found = new Map<bigint, number>()
  const names = table.tags.map(({ name }) => name).sort()
  // A table without a tag has it empty in each series.
  const missing = query.matches.filter(({ column }) => !names.includes(column))
  if (missing.some(({ test }) => !test(''))) return found
  const matches = query.matches.filter(({ column }) => names.includes(column))
  const text = isLogical(table) ? logicalSeries(parts, table, names, query) : tableSeries(parts, table, names, query)
  const reading = await connection.read(text, { signal, settings: querySettings(parts) })
  for await (const { rows, columns } of reading.batches()) {
    for (let row = 0; row < rows; row++) {
      const values = names.map((_, i) => textAt(columns[i + 1]!, row))
      if (!matches.every(({ column, test }) => test(values[names.indexOf(column)] ?? ''))) continue
      const held = names.map((_, i) => i).filter(i => values[i] !== undefined)
      found.set(columns[0]!.values[row] as bigint, chosen.length)
      chosen.push({ table, names: held.map(i => names[i]!), values: held.map(i => values[i]!) })
    }
  }
  return found
}

function textAt({ values, valid }: ResultVector, row: number): string | undefined {
  if (!isValid(valid, row)) return undefined
  return values[row] as string
}

/** Only series whose rows are there: others may have been dropped with their time. */
function logicalSeries(parts: QueryParts, table: Table, names: readonly string[], query: SeriesQuery): string {
  const host = parts.catalog.host(table)
  const name = besideName(parts.place, host.database, host.name, 'series')
  const label = (tag: string) => `\`labels\`[${quoteText(tag)}]`
  const has = (tag: string) => `mapContains(\`labels\`, ${quoteText(tag)})`
  const columns = names.map(tag => `any(if(${has(tag)}, ${label(tag)}, NULL))`)
  const equal = query.matches.flatMap(({ column, equals }) =>
    equals === undefined || !names.includes(column) ? [] : [`${label(column)} = ${quoteText(equals)}`]
  )
  const there = `\`tsid\` IN (SELECT \`tsid\` FROM ${samplesOf(parts, table, query)})`
  const where = [`\`table\` = ${table.id}`, ...equal, there].join(' AND ')
  return `SELECT ${['`tsid`', ...columns].join(', ')} FROM ${name} WHERE ${where} GROUP BY \`tsid\``
}

/** Rows of the samples of a logical table in the time of a query, with a value where values are asked for. */
function samplesOf(parts: QueryParts, table: Table, query: SeriesQuery): string {
  const host = parts.catalog.host(table)
  const conditions = [`\`table\` = ${table.id}`, ...timeConditions(parts, table, query, '`time`')]
  const final = host.options.append_mode ? '' : ' FINAL'
  return `${tableName(parts.place, host.database, host.name)}${final} WHERE ${conditions.join(' AND ')}`
}

/** What a series of an ordinary table is known as: a hash of its tags. */
function identity(table: Table): string {
  if (table.tags.length === 0) return 'toUInt64(0)'
  const parts = table.tags.map(
    ({ physical }) => `isNull(${quoteName(physical)}), ifNull(toString(${quoteName(physical)}), '')`
  )
  return `sipHash64(${parts.join(', ')})`
}

function tableSeries(parts: QueryParts, table: Table, names: readonly string[], query: SeriesQuery): string {
  const columns = names.map(name => {
    const tag = table.tags.find(each => each.name === name)!
    return `any(toString(${quoteName(tag.physical)}))`
  })
  const equal = query.matches.flatMap(({ column, equals }) => {
    const tag = table.tags.find(({ name }) => name === column)
    if (equals === undefined || tag === undefined || equals === '') return []
    return [`toString(${quoteName(tag.physical)}) = ${quoteText(equals)}`]
  })
  const where = equal.length === 0 ? '' : ` WHERE ${equal.join(' AND ')}`
  return `SELECT ${[`${identity(table)} AS __id`, ...columns].join(', ')} FROM ${relation(parts, table, query)}${where} GROUP BY __id`
}

/** Numbers that go into a statement at most; of more series all are read. */
const mostListed = 20_000

function samples(
  parts: QueryParts,
  table: Table,
  chosen: ReadonlyMap<bigint, number>,
  query: SeriesQuery,
  signal: AbortSignal
): Promise<Reading> {
  const time = isLogical(table) ? '`time`' : quoteName(table.timeIndex.physical)
  const id = isLogical(table) ? '`tsid`' : identity(table)
  const values = query.values.map(name => {
    const column = table.columns.find(each => each.name === name)
    if (column === undefined)
      throw new DbError('RequestOutdated', `column ${name} of table ${table.name} was changed meanwhile`)
    const stored = quoteName(isLogical(table) ? (column as LogicalColumn).sample! : column.physical)
    return isText(table, name) ? `toString(${stored})` : `toFloat64(${stored})`
  })
  const list = [
    `${id} AS __series`,
    `toFloat64(${timeInteger(table.timeIndex.type, time)}) AS __moment`,
    ...values.map((value, i) => `${value} AS __v${i}`)
  ]
  const conditions = [
    ...(chosen.size <= mostListed ? [`__series IN (${[...chosen.keys()].join(', ')})`] : []),
    ...(values.length === 0 ? [] : [`(${values.map((_, i) => `isNotNull(__v${i})`).join(' OR ')})`])
  ]
  const and = conditions.length === 0 ? '' : conditions.join(' AND ')
  const text = isLogical(table)
    ? `SELECT ${list.join(', ')} FROM ${samplesOf(parts, table, query)}${and === '' ? '' : ` AND ${and}`} ORDER BY __series, __moment`
    : `SELECT ${list.join(', ')} FROM ${relation(parts, table, query)}${and === '' ? '' : ` WHERE ${and}`} ORDER BY __series, __moment`
  return parts.connection.read(text, { signal, settings: querySettings(parts) })
}

/** Numbers of the result instead of those of the cluster; rows of series nobody chose are left out. */
function numbered({ rows, columns: [ids, ...rest] }: ResultBatch, chosen: ReadonlyMap<bigint, number>): ResultBatch {
  const values = ids!.values as BigUint64Array
  const numbers = new Uint32Array(rows)
  const kept: number[] = []
  let last: bigint | undefined
  let number: number | undefined
  for (let row = 0; row < rows; row++) {
    const id = values[row]!
    if (id !== last) number = chosen.get(id)
    last = id
    if (number === undefined) continue
    numbers[row] = number
    kept.push(row)
  }
  if (kept.length === rows) return { rows, columns: [{ values: numbers }, ...rest] }
  const pick = ({ values, valid }: ResultVector): ResultVector => ({
    values: kept.map(row => (!isValid(valid, row) ? null : (values as readonly unknown[])[row]))
  })
  return { rows: kept.length, columns: [{ values: Uint32Array.from(kept, row => numbers[row]!) }, ...rest.map(pick)] }
}
