// Copies all databases from one storage engine to another, and can be resumed. It keeps no state: counts of both sides tell what is missing.
import { parseDuration } from '../../config/units.ts'
import { DbError, isDbError, withMessage } from '../../errors.ts'
import type { Table } from '../../model/table.ts'
import { type TimestampType, timeUnit, unitsPerSecond } from '../../model/types.ts'
import { pause } from '../../timer.ts'
import type { Engine } from '../engine.ts'
import { createMissing, definitionProblems, lifetimesOf, sameNamed, tablesWithRows } from './definitions.ts'
import { type GatheredRows, RowBuffer } from './row-buffer.ts'
import { hashRows, RowBag } from './row-hash.ts'
import { differences, type Slice, TimeCounts } from './time-counts.ts'

export interface CopyOptions {
  /** Open; nobody else may write to it. */
  readonly source: Engine
  /** Open; nobody else may write to tables of the source's names. */
  readonly target: Engine
  readonly signal: AbortSignal
  /** True: compares the content of rows instead of counting them; reads all columns of both sides, before and after. */
  readonly contents?: boolean
  readonly progress?: CopyProgress
  /** Milliseconds to wait for inserts of a killed copy to end in a cluster; default: five seconds. */
  readonly insertGrace?: number
}

/** Receives the progress. */
export interface CopyProgress {
  /** A phase with `total` of `unit` begins; the previous one has ended. */
  begin(phase: string, total: number, unit: 'tables' | 'rows'): void
  add(done: number): void
  end(): void
}

export interface CopyResult {
  readonly tables: number
  /** Number of rows at the source. */
  readonly rows: number
  /** Rows written by this run. */
  readonly written: number
  /** Differences after the copy; empty if both sides are equal. */
  readonly differences: readonly TableDifference[]
}

interface TableDifference {
  readonly database: string
  readonly table: string
  readonly slices: readonly TimeSlice[]
}

/** A slice with different numbers of rows, or with equal numbers and different content. */
export interface TimeSlice extends Slice {
  readonly type: TimestampType
}

/** Rows of a slice that is written, and read back, as a whole. */
const sliceRows = 500_000
/** Attempts per slice while the target refuses it. */
const maxAttempts = 8
/** Milliseconds before the second attempt, doubled with each further one. */
const [firstPause, maxPause] = [1_000, 30_000]
/** Milliseconds: rows that expire within this time are not compared. */
const expiryMargin = 120_000

/** The work for one table. */
interface TableCopy {
  readonly table: Table
  readonly source: TimeCounts
  readonly target: TimeCounts
  readonly slices: readonly Slice[]
}

/**
 * Throws DbError `InvalidArguments` with a line for each conflict at the target, before anything is changed; the error of an engine that does
 * not answer for minutes; and the signal's reason.
 */
export async function copyStorage(options: CopyOptions): Promise<CopyResult> {
  const { source, target, signal, progress, insertGrace = 5_000 } = options
  const problems = definitionProblems(source.catalog, target.catalog)
  if (problems.length > 0) throw new DbError('InvalidArguments', problems.join('\n'))
  const tables = tablesWithRows(source.catalog)
  const isAgain = tables.some(table => target.catalog.table(table.database, table.name)?.options.append_mode === true)
  const known = new Set(tables.filter(({ database, name }) => target.catalog.table(database, name) !== undefined))
  await createMissing(source.catalog, target.catalog)
  // A cluster finishes an insert whose sender was killed, so its rows must have arrived before they are counted.
  if (isAgain && target.supports.distributed) await pause(insertGrace, { signal })
  progress?.begin('counting', tables.length, 'tables')
  const copies: TableCopy[] = []
  for (const table of tables) {
    const counts = await count(source, table, options)
    const there = sameNamed(target.catalog, table)
    const found = known.has(table) ? await count(target, there, options, table) : new TimeCounts(timeType(table))
    copies.push({ table, source: counts, target: found, slices: differences(counts, found, sliceRows) })
    progress?.add(1)
  }
  const written = await copyAll(copies, options)
  const differing = await compareAll(copies, options)
  progress?.end()
  const rows = copies.reduce((sum, { source }) => sum + source.rows, 0)
  return { tables: tables.length, rows, written, differences: differing }
}

async function copyAll(copies: readonly TableCopy[], options: CopyOptions): Promise<number> {
  const { progress } = options
  const total = copies.reduce((sum, { slices }) => sum + slices.reduce((rows, slice) => rows + slice.rows, 0), 0)
  progress?.begin('copying', total, 'rows')
  let written = 0
  const count = (rows: number) => {
    written += rows
  }
  for (const { table, slices } of copies) {
    for (const slice of slices) {
      await copySlice(table, slice, options, count)
      progress?.add(slice.rows)
    }
  }
  return written
}

/** Starts again, with the rows that have arrived by then, if an engine did not answer. */
async function copySlice(
  table: Table,
  slice: Slice,
  options: CopyOptions,
  count: (rows: number) => void
): Promise<void> {
  const { signal, target, insertGrace = 5_000 } = options
  let isEmpty = slice.there === 0
  for (let attempt = 1; ; attempt++) {
    try {
      return await writeSlice(table, slice, isEmpty, options, count)
    } catch (error) {
      if (signal.aborted) throw signal.reason
      if (attempt === maxAttempts || !isDbError(error) || !(error.status === 503 || error.status === 429)) {
        throw explained(error, table)
      }
      const wait = Math.max((error.retryAfter ?? 0) * 1000, firstPause * 2 ** (attempt - 1))
      await pause(Math.min(wait, maxPause) + (target.supports.distributed ? insertGrace : 0), { signal })
      isEmpty = false
    }
  }
}

function explained(error: unknown, { database, name }: Table): unknown {
  if (!isDbError(error)) return error
  return withMessage(error, `table ${database}.${name}: ${error.message}`)
}

/**
 * Writes the rows of a slice that are missing at the target. Rows with a key may be written twice; of others, existing ones are left out, as
 * often as they exist.
 */
async function writeSlice(
  table: Table,
  slice: Slice,
  isEmpty: boolean,
  { source, target, signal }: CopyOptions,
  count: (rows: number) => void
): Promise<void> {
  const there = sameNamed(target.catalog, table)
  const names = table.columns.map(({ name }) => name)
  const bag = isEmpty || !table.options.append_mode ? undefined : await bagOf(target, there, names, slice, signal)
  const buffer = new RowBuffer(table.columns)
  /** Writes one batch while the next is read. */
  let writing: Promise<unknown> = Promise.resolve()
  const write = async ({ rows, columns }: GatheredRows) => {
    await writing
    writing = target.write([{ table: there, rows, columns, op: 'put' }], signal).then(() => count(rows))
    writing.catch(() => {})
  }
  try {
    const result = await source.query({ kind: 'scan', table, columns: names, ...boundsOf(slice) }, signal)
    for await (const batch of result.batches()) {
      const hashes = bag && hashRows(batch)
      const rows = Uint32Array.from({ length: batch.rows }, (_, i) => i)
      const missing = hashes === undefined ? rows : rows.filter(row => !bag!.take(hashes, row))
      for (const gathered of buffer.add(batch, missing)) await write(gathered)
    }
    for (const gathered of buffer.end()) await write(gathered)
  } finally {
    // No write may be running when the target is counted next.
    await Promise.allSettled([writing])
  }
  await writing
}

async function bagOf(engine: Engine, table: Table, columns: readonly string[], slice: Slice, signal: AbortSignal) {
  const bag = new RowBag()
  const result = await engine.query({ kind: 'scan', table, columns, ...boundsOf(slice) }, signal)
  for await (const batch of result.batches()) {
    const hashes = hashRows(batch)
    for (let row = 0; row < batch.rows; row++) bag.put(hashes, row)
  }
  return bag
}

function boundsOf({ from, to }: Slice): { readonly from?: bigint; readonly to?: bigint } {
  return { ...(from !== undefined && { from }), ...(to !== undefined && { to }) }
}

/** Compares counts of both sides. If they differ, the source is counted again, because somebody may have written to it. */
async function compareAll(copies: readonly TableCopy[], options: CopyOptions): Promise<TableDifference[]> {
  const { source, target, progress } = options
  progress?.begin('comparing', copies.length, 'tables')
  const found: TableDifference[] = []
  for (const { table, slices, ...before } of copies) {
    const { database, name } = table
    const there =
      slices.length === 0 ? before.target : await count(target, sameNamed(target.catalog, table), options, table)
    const since = () => oldestCompared(source, table)
    let differing = differences(before.source, there, sliceRows, since())
    if (differing.length > 0) differing = differences(await count(source, table, options), there, sliceRows, since())
    const type = timeType(table)
    if (differing.length > 0)
      found.push({ database, table: name, slices: differing.map(slice => ({ ...slice, type })) })
    progress?.add(1)
  }
  return found
}

/** Rows by time. `like` is the table that determines the order of columns. */
async function count(engine: Engine, table: Table, options: CopyOptions, like = table): Promise<TimeCounts> {
  const { signal, contents } = options
  const time = like.timeIndex.name
  const columns = contents ? like.columns.map(({ name }) => name) : [time]
  const at = columns.indexOf(time)
  const counts = new TimeCounts(timeType(table))
  const result = await engine.query({ kind: 'scan', table, columns }, signal)
  for await (const batch of result.batches()) {
    const times = batch.columns[at]!.values as BigInt64Array
    counts.add(times, batch.rows, contents ? hashRows(batch) : undefined)
  }
  return counts
}

function timeType(table: Table): TimestampType {
  return table.timeIndex.type as TimestampType
}

/** In the unit of the time index; undefined if rows do not expire. Older rows will expire soon, on one side before the other. */
function oldestCompared({ catalog }: Engine, table: Table): bigint | undefined {
  const kept = lifetimesOf(catalog, table).flatMap(ttl => {
    const milliseconds = ttl === undefined || ttl === 'forever' ? undefined : parseDuration(ttl)
    return milliseconds === undefined ? [] : [milliseconds]
  })
  if (kept.length === 0) return undefined
  const oldest = BigInt(Math.floor(Date.now() - Math.min(...kept) + expiryMargin))
  return (oldest * unitsPerSecond[timeUnit(timeType(table))]) / 1000n
}
