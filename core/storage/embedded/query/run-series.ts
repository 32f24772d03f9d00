// Series queries: what is in memory alone is read there, the rest by DuckDB, and no sample comes twice.
import type { ResultBatch, ResultColumn } from '../../../model/batch.ts'
import type { TableColumn } from '../../../model/table.ts'
import type { QueryResult, SeriesQuery } from '../../engine.ts'
import { hasSeries, isLogical, mergesFields } from '../catalog/logical.ts'
import { cancelled } from '../duckdb/errors.ts'
import { endOf } from '../memory/arrange.ts'
import type { MemtableRows } from '../memory/memtable.ts'
import type { TableData } from '../memory/table-data.ts'
import type { GatherOptions } from './gather.ts'
import type { Snapshot } from './relation.ts'
import type { SampleRows } from './sample-rows.ts'
import { type Selection, select } from './select.ts'
import { columnsOf, seriesSql, timesOf } from './series.ts'
import { pin, type ReadParts, snapshotOf } from './snapshot.ts'
import { isText, readUnread, type UnreadSamples } from './unread.ts'
import { WantedSeries } from './wanted-series.ts'

/** Starts a query over everything that was answered before the call. */
export async function runSeries(parts: ReadParts, query: SeriesQuery, signal: AbortSignal): Promise<QueryResult> {
  if (signal.aborted) throw cancelled(signal)
  const { table } = query
  const data = parts.tables.take(table)
  await settle(data)
  const plan = planUnread(data, query)
  if (plan === undefined) await data.makeReadable()
  const tsids = data.labels.select(table, query.matches, isLogical(table) ? table.id : undefined)
  const whole = snapshotOf(parts, table, Date.now())
  const unread = plan && readMemory(plan, query, whole, tsids)
  const snapshot = { ...whole, memtables: whole.memtables.filter(memtable => memtable.ready) }
  const labels = data.labels.labels(table)
  const release = pin(parts.pins, [snapshot])
  let selection: Selection
  try {
    selection = await select(parts.indexes, parts.metrics.index.groups, snapshot, timesOf(query))
  } catch (error) {
    release()
    throw error
  }
  const files = snapshot.files.filter(selection.wants)
  if (tsids.length === 0 || (files.length === 0 && snapshot.memtables.length === 0)) {
    release()
    return { ...resultOf(query, unread?.batches ?? []), labels }
  }
  // From here on the stream lets the files go, also when it cannot be opened.
  const older = await parts.duckdb.stream({ sql: seriesSql(query, snapshot, selection, tsids) }, signal, release)
  return { ...joined(older, unread, query, { ...snapshot, files }), labels }
}

/** Until no rows are on their way to DuckDB, and those that are not lie in the order of their series. */
async function settle(data: TableData): Promise<void> {
  for (;;) {
    for (let moving = data.moving; moving !== undefined; moving = data.moving) await moving.settled()
    if (!data.memtables.some(memtable => memtable.arrange())) return
    await new Promise(resolve => setImmediate(resolve))
  }
}

interface UnreadPlan extends GatherOptions {
  readonly writes: readonly SampleRows[]
}

/** Rows DuckDB has not seen, where they can be read without it: all of them puts, in the order they were written. */
function planUnread(data: TableData, { values, table }: SeriesQuery): UnreadPlan | undefined {
  const { memtables, table: host } = data
  const columns = values.map(columnsOf(table, host))
  const merges = mergesFields(host)
  if (!hasSeries(host) || !columns.every(isPlain) || (merges && values.length > 1)) return undefined
  const firstUnread = memtables.findIndex(({ unread }) => unread.length > 0)
  if (firstUnread < 0) return { writes: [], versions: false, merges }
  // Rows of older generations would have to come first.
  if (memtables.slice(firstUnread + 1).some(({ ready }) => ready)) return undefined
  const behind = memtables.slice(firstUnread)
  const writes = behind.flatMap(({ unread }) => unread)
  if (!writes.every(isSamples)) return undefined
  const distinct = behind.every(({ times }) => times.areDistinct) && !overlap(behind)
  const versions = host.options.append_mode !== true && !distinct
  // Times of a nanosecond are not told apart as floats.
  const exact = host.timeIndex.type !== 'TimestampNanosecond' && !columns.some(isText) && inOrder(writes)
  return versions && !exact ? undefined : { writes, versions, merges }
}

/** Nothing about its values is known to DuckDB alone. */
function isPlain({ was, initial, type }: TableColumn): boolean {
  return was === undefined && initial === undefined && !type.startsWith('Decimal')
}

function isSamples(rows: MemtableRows): rows is SampleRows {
  return rows.op === 'put' && rows.tsids !== undefined
}

/** Whether all rows of each write were written before those of the next. */
function inOrder(writes: readonly MemtableRows[]): boolean {
  let end = 0
  return writes.every(write => {
    const follows = write.seq >= end
    end = endOf(write)
    return follows
  })
}

interface Timed {
  readonly times: { readonly minTime: bigint; readonly maxTime: bigint }
}

function overlap(memtables: readonly Timed[]): boolean {
  return memtables.some((one, i) =>
    memtables.slice(i + 1).some(({ times }) => times.minTime <= one.times.maxTime && one.times.minTime <= times.maxTime)
  )
}

function readMemory(
  { writes, ...options }: UnreadPlan,
  query: SeriesQuery,
  { table: host, cutoff }: Snapshot,
  tsids: Uint32Array
): UnreadSamples | undefined {
  if (writes.length === 0 || tsids.length === 0) return undefined
  const wanted = new WantedSeries(tsids)
  const place = columnsOf(query.table, host)
  const time: TableColumn = place(query.table.timeIndex.name)
  const from = Math.max(Number(query.from ?? Number.NEGATIVE_INFINITY), Number(cutoff ?? Number.NEGATIVE_INFINITY))
  const to = query.to === undefined ? Number.POSITIVE_INFINITY : Number(query.to - 1n)
  return readUnread(writes, { wanted, time, values: query.values.map(place), from, to }, options)
}

function resultOf(query: SeriesQuery, batches: readonly ResultBatch[]): QueryResult {
  const types = new Map(query.table.columns.map(({ name, type }) => [name, type]))
  const columns: ResultColumn[] = query.values.map(name => ({
    name,
    type: types.get(name) === 'Json' ? 'String' : 'Float64'
  }))
  const head: ResultColumn[] = [
    { name: 'series', type: 'UInt32' },
    { name: 'time', type: 'Float64' }
  ]
  return {
    columns: query.distinct ? head.slice(0, 1) : [...head, ...columns],
    async *batches() {
      yield* query.distinct ? seriesIn(batches) : batches
    },
    close() {}
  }
}

/** Each series once. */
function seriesIn(batches: readonly ResultBatch[]): readonly ResultBatch[] {
  const found = new Set(batches.flatMap(({ columns }) => [...(columns[0]!.values as Uint32Array)]))
  return found.size === 0 ? [] : [{ rows: found.size, columns: [{ values: Uint32Array.from(found) }] }]
}

/** Samples of both; what memory has again is left out of the older ones. */
function joined(
  older: QueryResult,
  unread: UnreadSamples | undefined,
  query: SeriesQuery,
  snapshot: Snapshot
): QueryResult {
  if (unread === undefined || unread.batches.length === 0) return older
  const newer = resultOf(query, unread.batches)
  const until = query.distinct ? undefined : lastVersion(snapshot)
  const versions = until === undefined ? undefined : unread.times(until)
  return {
    columns: older.columns,
    close: () => older.close(),
    async *batches() {
      const known = new Set<number>()
      for await (const batch of older.batches()) {
        if (query.distinct) for (const series of batch.columns[0]!.values as Uint32Array) known.add(series)
        const kept = versions === undefined ? batch : without(batch, versions)
        if (kept.rows > 0) yield kept
      }
      for await (const batch of newer.batches()) yield query.distinct ? withoutSeries(batch, known) : batch
    }
  }
}

/** The newest time of older rows; where no row of a generation is a version of another, what it has in DuckDB is not older. */
function lastVersion({ table, files, memtables }: Snapshot): number | undefined {
  if (table.options.append_mode) return undefined
  const others = memtables
    .filter(({ unread, times }) => unread.length === 0 || !times.areDistinct)
    .map(({ times }) => times.maxTime)
  const times = [...files.map(({ maxTime }) => maxTime), ...others].map(Number)
  return times.length === 0 ? undefined : Math.max(...times)
}

function without(batch: ResultBatch, versions: ReadonlyMap<number, ReadonlySet<number>>): ResultBatch {
  const [series, times] = [batch.columns[0]!.values as Uint32Array, batch.columns[1]!.values as Float64Array]
  const isOld = (row: number) => versions.get(series[row]!)?.has(times[row]!) === true
  for (let row = 0; row < batch.rows; row++) if (isOld(row)) return keep(batch, row => !isOld(row))
  return batch
}

function withoutSeries(batch: ResultBatch, known: ReadonlySet<number>): ResultBatch {
  const series = batch.columns[0]!.values as Uint32Array
  return keep(batch, row => !known.has(series[row]!))
}

function keep(batch: ResultBatch, wanted: (row: number) => boolean): ResultBatch {
  const rows = Array.from({ length: batch.rows }, (_, row) => row).filter(wanted)
  const columns = batch.columns.map(({ values, valid }) => {
    const picked = (values as readonly unknown[]).filter((_, row) => wanted(row))
    if (valid === undefined) return { values: picked as never }
    const bits = new Uint8Array((rows.length + 7) >> 3)
    for (const [i, row] of rows.entries()) if (valid[row >> 3]! & (1 << (row & 7))) bits[i >> 3]! |= 1 << (i & 7)
    return { values: picked as never, valid: bits }
  })
  return { rows: rows.length, columns }
}
