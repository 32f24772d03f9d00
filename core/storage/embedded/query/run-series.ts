// Series queries: rows in memory and rows of files are put together series by series; what that way cannot tell, DuckDB reads.
import type { ResultBatch, ResultColumn } from '../../../model/batch.ts'
import type { TableColumn } from '../../../model/table.ts'
import { isTimestamp, timeUnit } from '../../../model/types.ts'
import type { QueryResult, SeriesQuery } from '../../engine.ts'
import type { DataFile } from '../catalog/catalog-rows.ts'
import { hasSeries, isTagged, mergesFields, orderColumn } from '../catalog/logical.ts'
import { cancelled } from '../duckdb/errors.ts'
import { endOf } from '../memory/arrange.ts'
import type { MemtableRows } from '../memory/memtable.ts'
import type { TableData } from '../memory/table-data.ts'
import { collect, type GatherOptions } from '../read/gather.ts'
import type { SamplesFound } from '../read/read.worker.ts'
import { mayHold, type SampleRows } from '../read/sample-rows.ts'
import { isText, readSamples } from '../read/samples.ts'
import { WantedSeries } from '../read/wanted-series.ts'
import { chooseSeries } from './chosen-series.ts'
import { meets, type Snapshot } from './relation.ts'
import { type Selection, select } from './select.ts'
import { columnsOf, seriesSql, timesOf } from './series.ts'
import { pin, type ReadParts, readable, snapshotOf } from './snapshot.ts'

/** Starts a query over everything that was answered before the call. */
export async function runSeries(parts: ReadParts, query: SeriesQuery, signal: AbortSignal): Promise<QueryResult> {
  if (signal.aborted) throw cancelled(signal)
  const data = parts.tables.take(query.table)
  await settle(data)
  // From here to the pins in one turn: rows in memory and in files are those of one moment.
  const { tsids, labels } = chooseSeries(data.labels, query)
  const snapshot = wholeSnapshot(parts, query)
  const plan = planRead(data, query, snapshot)
  let release = pin(parts.pins, [snapshot])
  let whole = snapshot
  let selection: Selection
  try {
    await parts.requireSound(query.table, snapshot.files)
    selection = await select(parts.indexes, parts.metrics.index.groups, snapshot, timesOf(query))
    if (plan === undefined) {
      const found = await readable(parts, [snapshot], release)
      release = found.release
      whole = found.snapshots[0]!
    }
    if (signal.aborted) throw cancelled(signal)
  } catch (error) {
    release()
    throw error
  }
  if (plan !== undefined) {
    const result = directResult(parts, query, { plan, snapshot, selection, tsids }, signal, release)
    return { ...result, labels }
  }
  // From here on the stream lets the files go, also when it cannot be opened.
  const result = await parts.duckdb.stream({ sql: seriesSql(query, whole, selection, tsids) }, signal, release)
  return { ...result, labels }
}

function wholeSnapshot(parts: ReadParts, { table, others = [] }: SeriesQuery): Snapshot {
  const snapshot = snapshotOf(parts, table, Date.now())
  return others.length === 0
    ? snapshot
    : { ...snapshot, view: undefined, logical: [table, ...others].map(({ id }) => id) }
}

/** Until rows in memory lie in the order of their series. */
async function settle(data: TableData): Promise<void> {
  while (data.memtables.some(memtable => memtable.arrange())) await new Promise(resolve => setImmediate(resolve))
}

interface ReadPlan extends GatherOptions {
  /** In the order they were written, all before the rows in memory. */
  readonly files: readonly DataFile[]
  readonly writes: readonly SampleRows[]
}

/** How rows are read without DuckDB; undefined where it alone can tell which of them count, or what they hold. */
function planRead(
  data: TableData,
  { values, table, from, to }: SeriesQuery,
  { table: host, files: all, cutoff }: Snapshot
): ReadPlan | undefined {
  const columns = values.map(columnsOf(table, host))
  const { memtables } = data
  if (!hasSeries(host) || !columns.every(isPlain)) return undefined
  const merges = mergesFields(host)
  // Of several values each may come from another version.
  if (merges && values.length > 1) return undefined
  const earliest = cutoff === undefined || (from !== undefined && from > cutoff) ? from : cutoff
  const files = all
    .filter(file => (earliest === undefined || file.maxTime >= earliest) && (to === undefined || file.minTime < to))
    .sort((a, b) => a.minSeq - b.minSeq)
  if (files.some(file => file.deletes || !isTagged(host, file))) return undefined
  const writes = memtables.flatMap(memtable => memtable.writes)
  if (!writes.every(isSamples)) return undefined
  if (host.options.append_mode === true) return { files, writes, versions: false, merges }
  const spans = [...files, ...memtables.map(({ times }) => times)]
  // Such a file may hold several versions of a row.
  const hasVersions = merges && files.some(file => file.columns.includes(orderColumn))
  const versions = hasVersions || !memtables.every(({ times }) => times.areDistinct) || overlap(spans)
  // Versions are told apart by their time, as a float, and by the order they were written in.
  const exact = host.timeIndex.type !== 'TimestampNanosecond' && !columns.some(isText)
  const inOrder = filesInOrder(files) && inWriteOrder(writes)
  return versions && !(exact && inOrder) ? undefined : { files, writes, versions, merges }
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

/** Whether of two files that share a time all rows of one were written before those of the other; files ascend by their first. */
function filesInOrder(files: readonly DataFile[]): boolean {
  return files.every((file, i) => {
    for (let next = i + 1; next < files.length && files[next]!.minSeq <= file.maxSeq; next++) {
      if (meets(file, files[next]!)) return false
    }
    return true
  })
}

interface Span {
  readonly minTime: bigint
  readonly maxTime: bigint
}

/** Whether any two share a time. */
function overlap(spans: readonly Span[]): boolean {
  const sorted = spans.toSorted((a, b) => (a.minTime < b.minTime ? -1 : a.minTime > b.minTime ? 1 : 0))
  let latest: bigint | undefined
  return sorted.some(({ minTime, maxTime }) => {
    const meets = latest !== undefined && minTime <= latest
    if (latest === undefined || maxTime > latest) latest = maxTime
    return meets
  })
}

interface DirectRead {
  readonly plan: ReadPlan
  readonly snapshot: Snapshot
  readonly selection: Selection
  readonly tsids: Uint32Array
}

/** Series that are read first; how many come next depends on how many samples they had. */
const firstSeries = 1_000
/** Samples of a batch, roughly. */
const batchSamples = 1_000_000
const mostSeries = 100_000

/** Some series after the other; `release` runs once when the result has ended in any way. */
function directResult(
  parts: ReadParts,
  query: SeriesQuery,
  { plan, snapshot, selection, tsids }: DirectRead,
  signal: AbortSignal,
  release: () => void
): QueryResult {
  const files = plan.files.filter(selection.wants)
  const { view, logical } = snapshot
  const owners = view === undefined ? logical : [view.id]
  const tables = owners && Uint32Array.from(owners).sort()
  const paths = files.map(({ path }) => path)
  const columns = columnsAsked(query, snapshot)
  const isTexts = columns.values.some(isText)
  const reduction = paths.length > 0 && columns.values.length === 1 && !isTexts ? query.reduction : undefined
  const { versions, merges } = plan
  const inMemory = (wanted: WantedSeries) => readSamples(plan.writes, { ...columns, wanted }, plan)
  const read = async (from: number, count: number): Promise<SamplesFound> => {
    const some = tsids.subarray(from, from + count)
    if (paths.length === 0) return together([], inMemory(new WantedSeries(some)))
    const found = await parts.reader.read(some, tsids => {
      const wanted = { ...columns, wanted: new WantedSeries(tsids) }
      const hit = isTexts ? [] : plan.writes.filter(write => write.rows > 0 && mayHold(write, wanted))
      const later = hit.length === 0 ? undefined : collect(hit, wanted)
      return { paths, query: { ...columns, tables }, tsids, options: { versions, merges }, later, reduction }
    })
    // Rows with texts have no versions.
    return together(found, isTexts ? inMemory(new WantedSeries(some)) : [])
  }
  let isOpen = true
  const close = () => {
    if (isOpen) release()
    isOpen = false
  }
  return {
    columns: columnsOfResult(query),
    ...(reduction && { reduced: true }),
    close,
    async *batches() {
      try {
        for (let from = 0, count = firstSeries; from < tsids.length; ) {
          const { batches, samples } = await read(from, count)
          if (signal.aborted) throw cancelled(signal)
          if (!isOpen) return
          yield* query.distinct ? seriesIn(batches) : batches
          from += count
          count = Math.min(mostSeries, Math.max(1, Math.floor((count * batchSamples) / Math.max(samples, 1))))
        }
      } finally {
        close()
      }
    }
  }
}

function together(found: readonly SamplesFound[], inMemory: readonly ResultBatch[]): SamplesFound {
  return {
    batches: [...found.flatMap(({ batches }) => batches), ...inMemory],
    samples: found.reduce((sum, { samples }) => sum + samples, 0) + inMemory.reduce((sum, { rows }) => sum + rows, 0)
  }
}

function columnsAsked(query: SeriesQuery, { table: host, cutoff }: Snapshot) {
  const place = columnsOf(query.table, host)
  const fileColumn = ({ id, type, physical }: TableColumn) => ({ id, type, physical })
  const time = fileColumn(place(query.table.timeIndex.name))
  const from = Math.max(Number(query.from ?? Number.NEGATIVE_INFINITY), Number(cutoff ?? Number.NEGATIVE_INFINITY))
  const to = query.to === undefined ? Number.POSITIVE_INFINITY : Number(query.to - 1n)
  const unit = isTimestamp(time.type) ? timeUnit(time.type) : 'ms'
  return { time, unit, values: query.values.map(name => fileColumn(place(name))), from, to } as const
}

function columnsOfResult(query: SeriesQuery): readonly ResultColumn[] {
  const types = new Map(query.table.columns.map(({ name, type }) => [name, type]))
  const columns = query.values.map(name => {
    const type = types.get(name)
    return { name, type: type === 'Json' || type === 'String' ? 'String' : 'Float64' }
  })
  const head = [
    { name: 'series', type: 'UInt32' },
    { name: 'time', type: 'Float64' }
  ]
  return query.distinct ? head.slice(0, 1) : [...head, ...columns]
}

/** Each series once. */
function seriesIn(batches: readonly ResultBatch[]): readonly ResultBatch[] {
  const found = new Set<number>()
  for (const { columns } of batches) for (const series of columns[0]!.values as Uint32Array) found.add(series)
  return found.size === 0 ? [] : [{ rows: found.size, columns: [{ values: Uint32Array.from(found) }] }]
}
