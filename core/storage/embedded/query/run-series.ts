// Series queries: rows in memory are read there, those of files as numbers or by DuckDB, and no sample comes twice.
import type { ResultBatch, ResultColumn } from '../../../model/batch.ts'
import type { TableColumn } from '../../../model/table.ts'
import type { QueryResult, SeriesQuery } from '../../engine.ts'
import type { DataFile } from '../catalog/catalog-rows.ts'
import { hasSeries, isTagged, mergesFields } from '../catalog/logical.ts'
import { cancelled } from '../duckdb/errors.ts'
import { endOf } from '../memory/arrange.ts'
import type { MemtableRows } from '../memory/memtable.ts'
import type { TableData } from '../memory/table-data.ts'
import { readFileSamples } from '../samples/file-samples.ts'
import { chooseSeries } from './chosen-series.ts'
import type { GatherOptions } from './gather.ts'
import { meets, type Snapshot } from './relation.ts'
import type { SampleQuery, SampleRows } from './sample-rows.ts'
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
  const { tsids, labels } = chooseSeries(data.labels, query)
  const whole = wholeSnapshot(parts, query)
  // What of it DuckDB reads.
  const snapshot = plan === undefined ? whole : { ...whole, memtables: [] }
  const release = pin(parts.pins, [snapshot])
  let selection: Selection
  let direct: readonly ResultBatch[] | undefined
  try {
    selection = await select(parts.indexes, parts.metrics.index.groups, whole, timesOf(query))
    if (tsids.length === 0) direct = []
    else direct = plan ? await readDirectly(parts, query, { plan, snapshot: whole, selection, tsids }) : undefined
    if (signal.aborted) throw cancelled(signal)
  } catch (error) {
    release()
    throw error
  }
  if (direct !== undefined) {
    release()
    return { ...resultOf(query, direct), labels }
  }
  const unread = plan && readMemory(plan, query, whole, tsids)
  const files = snapshot.files.filter(selection.wants)
  // From here on the stream lets the files go, also when it cannot be opened.
  const older = await parts.duckdb.stream({ sql: seriesSql(query, snapshot, selection, tsids) }, signal, release)
  return { ...joined(older, unread, query, { ...snapshot, files }), labels }
}

function wholeSnapshot(parts: ReadParts, { table, others = [] }: SeriesQuery): Snapshot {
  const snapshot = snapshotOf(parts, table, Date.now())
  return others.length === 0
    ? snapshot
    : { ...snapshot, view: undefined, logical: [table, ...others].map(({ id }) => id) }
}

interface DirectRead {
  readonly plan: UnreadPlan
  readonly snapshot: Snapshot
  readonly selection: Selection
  readonly tsids: Uint32Array
}

/** The samples without DuckDB's help, where they can be told from their versions that way. */
async function readDirectly(
  parts: ReadParts,
  query: SeriesQuery,
  { plan, snapshot, selection, tsids }: DirectRead
): Promise<readonly ResultBatch[] | undefined> {
  const { cutoff } = snapshot
  const files = snapshot.files
    .filter(selection.wants)
    .filter(({ maxTime }) => cutoff === undefined || maxTime >= cutoff)
  if (files.length === 0) return readMemory(plan, query, snapshot, tsids)?.batches ?? []
  const { table: host } = snapshot
  const together = planFiles(plan, query, snapshot, files)
  if (together === undefined) return undefined
  const { time, values } = samplesAsked(query, snapshot, tsids)
  const gapsCount = host.options.append_mode !== true && !plan.merges
  const rows = await readFileSamples(parts, together.files, tsids, { time, value: values[0]!, gapsCount })
  return rows && readMemory({ ...together, writes: [...rows, ...plan.writes] }, query, snapshot, tsids)?.batches
}

/** Files in the order they were written, and whether there may be versions of a row; undefined where only DuckDB can tell. */
function planFiles(
  plan: UnreadPlan,
  query: SeriesQuery,
  { table: host, memtables }: Snapshot,
  all: readonly DataFile[]
): (GatherOptions & { readonly files: readonly DataFile[] }) | undefined {
  const place = columnsOf(query.table, host)
  const values = query.values.map(place)
  if (query.distinct || values.length !== 1 || isText(values[0]!)) return undefined
  if (all.length > mostFiles || all.some(file => file.deletes || !isTagged(host, file))) return undefined
  const gapsCount = host.options.append_mode !== true && !plan.merges
  const holding = all.filter(({ columns }) => gapsCount || columns.includes(values[0]!.id))
  if (holding.some(({ columns }) => !columns.includes(values[0]!.id))) return undefined
  const files = holding.toSorted((a, b) => a.minSeq - b.minSeq)
  const spans: Timed[] = [...files.map(times => ({ times })), ...memtables]
  const versions = host.options.append_mode !== true && (plan.versions || overlap(spans))
  const first = plan.writes[0]?.seq ?? Number.POSITIVE_INFINITY
  const inOrder = files.every((file, i) => {
    const later = files.slice(i + 1)
    return file.maxSeq < first && !later.some(other => other.minSeq <= file.maxSeq && meets(file, other))
  })
  const exact = host.timeIndex.type !== 'TimestampNanosecond' && inOrder && inWriteOrder(plan.writes)
  return versions && !exact ? undefined : { files, versions, merges: plan.merges }
}

/** Each pair of them is looked at. */
const mostFiles = 200

/** Until rows in memory lie in the order of their series. */
async function settle(data: TableData): Promise<void> {
  while (data.memtables.some(memtable => memtable.arrange())) await new Promise(resolve => setImmediate(resolve))
}

interface UnreadPlan extends GatherOptions {
  readonly writes: readonly SampleRows[]
}

/** Rows in memory, where they can be read without DuckDB: all of them puts, in the order they were written. */
function planUnread(data: TableData, { values, table }: SeriesQuery): UnreadPlan | undefined {
  const { memtables, table: host } = data
  const columns = values.map(columnsOf(table, host))
  const merges = mergesFields(host)
  if (!hasSeries(host) || !columns.every(isPlain) || (merges && values.length > 1)) return undefined
  const writes = memtables.flatMap(memtable => memtable.writes)
  if (!writes.every(isSamples)) return undefined
  const distinct = memtables.every(({ times }) => times.areDistinct) && !overlap(memtables)
  const versions = host.options.append_mode !== true && !distinct
  // Times of a nanosecond are not told apart as floats.
  const exact = host.timeIndex.type !== 'TimestampNanosecond' && !columns.some(isText) && inWriteOrder(writes)
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
function inWriteOrder(writes: readonly MemtableRows[]): boolean {
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
  snapshot: Snapshot,
  tsids: Uint32Array
): UnreadSamples | undefined {
  if (writes.length === 0 || tsids.length === 0) return undefined
  return readUnread(writes, samplesAsked(query, snapshot, tsids), options)
}

function samplesAsked(query: SeriesQuery, { table: host, cutoff }: Snapshot, tsids: Uint32Array): SampleQuery {
  const place = columnsOf(query.table, host)
  const time: TableColumn = place(query.table.timeIndex.name)
  const from = Math.max(Number(query.from ?? Number.NEGATIVE_INFINITY), Number(cutoff ?? Number.NEGATIVE_INFINITY))
  const to = query.to === undefined ? Number.POSITIVE_INFINITY : Number(query.to - 1n)
  return { wanted: new WantedSeries(tsids), time, values: query.values.map(place), from, to }
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

/** The newest time of older rows. */
function lastVersion({ table, files, memtables }: Snapshot): number | undefined {
  if (table.options.append_mode) return undefined
  const times = [...files, ...memtables.map(memtable => memtable.times)].map(({ maxTime }) => Number(maxTime))
  return times.length === 0 ? undefined : times.reduce((last, time) => Math.max(last, time))
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
