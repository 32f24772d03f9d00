// Series queries: statements select the series by tags, and another one reads their samples, which may be reduced as they arrive.
import { DbError } from '../../errors.ts'
import { isValid, type ResultBatch, type ResultColumn, type ResultVector } from '../../model/batch.ts'
import type { Table } from '../../model/table.ts'
import { isBytesType } from '../../model/types.ts'
import { Pace, runPaced } from '../../pace.ts'
import type { QueryResult, SeriesQuery, SeriesTags } from '../engine.ts'
import { isLogical } from '../logical.ts'
import type { LogicalColumn } from './catalog.ts'
import { choose, equalOf, identity, labelsOf, matchesOf, maxListed, samplesOf } from './choose.ts'
import type { Reading } from './connection.ts'
import { cancelled } from './errors.ts'
import { quoteName, timeInteger } from './names.ts'
import { type QueryDependencies, querySettings } from './query.ts'
import { groupedTypes, reducing } from './reduce.ts'
import { relation } from './relation.ts'
import { requireSame } from './statement.ts'

/** The query of one table's series, and how to interpret the answer. */
interface Asked {
  readonly text: string
  /** The number in the result; undefined for series that were not requested. */
  readonly numberOf: (id: bigint) => number | undefined
  /** Called after the last batch with the columns of series numbers; then labels are known. */
  readonly finish?: (given: readonly Uint32Array[]) => Promise<void>
}

export async function series(parts: QueryDependencies, query: SeriesQuery, signal: AbortSignal): Promise<QueryResult> {
  if (signal.aborted) throw cancelled(signal)
  const tables = [query.table, ...(query.others ?? [])].map(table => requireSame(parts.catalog, table))
  const columns: ResultColumn[] = [{ name: 'series', type: 'UInt32' }]
  const chosen: SeriesTags[] = []
  if (query.distinct) {
    for (const table of tables) await choose(parts, table, query, chosen, signal)
    const numbers = Uint32Array.from(chosen.keys())
    const batches = numbers.length === 0 ? [] : [{ rows: numbers.length, columns: [{ values: numbers }] }]
    return { columns, labels: number => chosen[number]!, batches: () => each(batches), close() {} }
  }
  columns.push({ name: 'time', type: 'Float64' })
  for (const name of query.values) columns.push({ name, type: isText(query.table, name) ? 'String' : 'Float64' })
  const isNumber = query.values.length === 1 && !isText(query.table, query.values[0]!)
  const reduction = isNumber ? query.reduction : undefined
  const reduced = reduction && (await reducing(reduction))
  const pace = new Pace({ signal })
  const asked: Asked[] = []
  for (const table of tables) {
    const late = reduction && askedAtOnce(parts, table, query, chosen, signal)
    if (late !== undefined) {
      asked.push(late)
      continue
    }
    const ids = await choose(parts, table, query, chosen, signal)
    const text = (reduction === undefined ? rows : grouped)(parts, table, query, listed(table, ids))
    if (ids.size > 0) asked.push({ text, numberOf: id => ids.get(id) })
  }
  const open: Reading[] = []
  const read = async ({ text }: Asked): Promise<Reading> => {
    const reading = await parts.connection.read(text, { signal, settings: querySettings(parts), types: groupedTypes })
    open.push(reading)
    return reading
  }
  const close = () => {
    for (const reading of open.splice(0)) reading.close()
  }
  const first = asked[0] && (await read(asked[0]))
  async function* batches(): AsyncGenerator<ResultBatch> {
    try {
      for (const one of asked) {
        const reading = one === asked[0] ? first! : await read(one)
        const given: Uint32Array[] = []
        for await (const batch of reading.batches()) {
          const converted =
            reduced === undefined ? numbered(batch, one.numberOf) : await runPaced(pace, reduced(batch, one.numberOf))
          if (one.finish) given.push(converted.columns[0]!.values as Uint32Array)
          yield converted
        }
        await one.finish?.(given)
      }
    } finally {
      close()
    }
  }
  return {
    columns,
    labels: number => chosen[number]!,
    ...(reduction && { reduced: true, inAnyOrder: true }),
    batches,
    close
  }
}

async function* each<T>(all: readonly T[]): AsyncGenerator<T> {
  yield* all
}

/** If the cluster can select the series itself, one statement is enough, and labels are fetched afterwards. */
function askedAtOnce(
  parts: QueryDependencies,
  table: Table,
  query: SeriesQuery,
  chosen: SeriesTags[],
  signal: AbortSignal
): Asked | undefined {
  const matches = isLogical(table) ? matchesOf(table, query) : undefined
  if (matches?.every(({ equals }) => equals !== undefined) !== true) return undefined
  const numbers = new Map<bigint, number>()
  const unnamed: SeriesTags = { table, names: [], values: [] }
  return {
    text: grouped(parts, table, query, equalOf(parts, table, matches)),
    numberOf(id) {
      const known = numbers.get(id)
      if (known !== undefined) return known
      numbers.set(id, chosen.length)
      return chosen.push(unnamed) - 1
    },
    async finish(given) {
      const ids = BigUint64Array.from(numbers.keys()).sort()
      const labels = await labelsOf(parts, table, [...ids], query, signal)
      const first = chosen.length - ids.length
      /** Series arrived in any order; by index on arrival: the index in the order of the cluster's numbers. */
      const renumbered = new Uint32Array(ids.length)
      for (const [i, id] of ids.entries()) {
        renumbered[numbers.get(id)! - first] = first + i
        const found = labels(id)
        // Labels are written before samples, so they must exist.
        if (found === undefined) {
          const message = `a replica of the cluster has samples of ${table.name} whose series it does not have yet`
          throw new DbError('StorageUnavailable', message, { retryAfter: 1 })
        }
        chosen[first + i] = { table, ...found }
      }
      for (const column of given)
        for (let row = 0; row < column.length; row++) column[row] = renumbered[column[row]! - first]!
    }
  }
}

function isText(table: Table, name: string): boolean {
  const type = table.columns.find(column => column.name === name)?.type
  return type !== undefined && isBytesType(type)
}

/** Aggregates in table order and returns blocks of a megabyte, so that neither side holds all samples. */
const inOrder = 'SETTINGS optimize_aggregation_in_order = 1, aggregation_in_order_max_block_bytes = 1000000'

/** A row per sample, series by series. */
function rows(parts: QueryDependencies, table: Table, query: SeriesQuery, among: string): string {
  const values = query.values.map(name => sampleValue(table, name))
  const list = [
    `${idOf(table)} AS __series`,
    `${momentOf(table)} AS __moment`,
    ...values.map((value, i) => `${value} AS __v${i}`)
  ]
  const present = values.length === 0 ? '' : ` AND (${values.map((_, i) => `isNotNull(__v${i})`).join(' OR ')})`
  return `SELECT ${list.join(', ')} FROM ${wanted(parts, table, query)}${among}${present} ORDER BY __series, __moment`
}

/** A row per series, with its times and the values of the only column. */
function grouped(parts: QueryDependencies, table: Table, query: SeriesQuery, among: string): string {
  const value = sampleValue(table, query.values[0]!)
  const list = [
    `${idOf(table)} AS __series`,
    `groupArray(${momentOf(table)}) AS __moments`,
    `groupArray(assumeNotNull(${value})) AS __values`
  ]
  return `SELECT ${list.join(', ')} FROM ${wanted(parts, table, query)}${among} AND isNotNull(${value}) GROUP BY __series ${inOrder}`
}

/** Conditions for the query's range; further ones may be added. */
function wanted(parts: QueryDependencies, table: Table, query: SeriesQuery): string {
  return isLogical(table) ? samplesOf(parts, table, query) : `${relation(parts, table, query)} WHERE true`
}

/** A condition for some series; '' if there are too many to list. */
function listed(table: Table, ids: ReadonlyMap<bigint, unknown>): string {
  return ids.size > maxListed ? '' : ` AND ${idOf(table)} IN (${[...ids.keys()].join(', ')})`
}

function idOf(table: Table): string {
  return isLogical(table) ? '`tsid`' : identity(table)
}

/** The time in the unit of the time index. */
function momentOf(table: Table): string {
  const time = isLogical(table) ? '`time`' : quoteName(table.timeIndex.physical)
  return `toFloat64(${timeInteger(table.timeIndex.type, time)})`
}

/** A sample's value as a number, or as text. */
function sampleValue(table: Table, name: string): string {
  const column = table.columns.find(each => each.name === name)
  if (column === undefined)
    throw new DbError('RequestOutdated', `column ${name} of table ${table.name} was changed meanwhile`)
  const stored = quoteName(isLogical(table) ? (column as LogicalColumn).sample! : column.physical)
  return isText(table, name) ? `toString(${stored})` : `toFloat64(${stored})`
}

/** Replaces the cluster's series numbers by those of the result; rows of other series are left out. */
function numbered({ rows, columns: [ids, ...rest] }: ResultBatch, numberOf: Asked['numberOf']): ResultBatch {
  const values = ids!.values as BigUint64Array
  const numbers = new Uint32Array(rows)
  const kept: number[] = []
  let last: bigint | undefined
  let number: number | undefined
  for (let row = 0; row < rows; row++) {
    const id = values[row]!
    if (id !== last) number = numberOf(id)
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
