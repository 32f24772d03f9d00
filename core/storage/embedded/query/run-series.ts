// Series queries: rows in memory and rows of files are put together series by series; what that way cannot tell, DuckDB reads.
import type { ResultBatch, ResultColumn } from '../../../model/batch.ts'
import type { Table, TableColumn } from '../../../model/table.ts'
import { isTimestamp, timeUnit } from '../../../model/types.ts'
import { Pace, runPaced } from '../../../pace.ts'
import type { QueryResult, SeriesQuery } from '../../engine.ts'
import { mergesFields } from '../../logical.ts'
import type { DataFile } from '../catalog/catalog-rows.ts'
import { cancelled } from '../duckdb/errors.ts'
import type { Memtable } from '../memory/memtable.ts'
import type { ReadLimits } from '../read/limits.ts'
import { isFile, type Plan, planRead } from '../read/plan.ts'
import type { SamplesFound } from '../read/read.worker.ts'
import type { SampleRows } from '../read/sample-rows.ts'
import { isText, readSamples } from '../read/samples.ts'
import { shareSamples } from '../read/share-samples.ts'
import { WantedSeries } from '../read/wanted-series.ts'
import { type ChosenSeries, chooseSeries } from './chosen-series.ts'
import { columnsOf, seriesSql, timesOf } from './series.ts'
import { counted, ReadCounts, shown } from './shown.ts'
import { type Held, pin, type ReadDependencies, readable, type Snapshot, snapshotOf } from './snapshot.ts'

/** Starts a query over everything that was answered before the call. */
export async function runSeries(
  parts: ReadDependencies,
  query: SeriesQuery,
  signal: AbortSignal
): Promise<QueryResult> {
  if (signal.aborted) throw cancelled(signal)
  const pace = new Pace({ signal })
  let data = parts.tables.getOrCreate(query.table)
  await runPaced(pace, data.load())
  await learnMicros(parts, data.table)
  const sorting = parts.sorter.sort(data)
  let chosen = await runPaced(pace, chooseSeries(data, query))
  if (sorting && chosen.tsids.length > parts.limits.unsortedSeries) {
    await sorting
    chosen = await runPaced(pace, chooseSeries(data, query))
  }
  // Its series are numbered anew where the table has become another one meanwhile.
  while (parts.tables.getOrCreate(query.table) !== data) {
    data = parts.tables.getOrCreate(query.table)
    chosen = await runPaced(pace, chooseSeries(data, query))
  }
  // From here to the pins in one turn: rows in memory and in files are those of one moment.
  const { tsids, owners, labels } = chosen
  const snapshot = wholeSnapshot(parts, query)
  const samples = query.values.map(columnsOf(query.table, snapshot.table))
  const asked = { where: timesOf(query), samples, micros: parts.reader.micros }
  let read = directRead(snapshot, planRead(snapshot, asked, parts.limits))
  const held: Held[] = [pin(parts.pins, [snapshot])]
  const release = () => {
    for (const each of held) each.unpin()
  }
  let whole = snapshot
  try {
    const files = read.plan.steps.flatMap(({ part, path }) => (isFile(part) && path !== 'skip' ? [part] : []))
    await parts.requireSound(query.table, files)
    if (!read.isDirect) {
      whole = (await readable(parts, [snapshot], new Map(), pace, held))[0]!
      // Rows came meanwhile: which may hide others is up to those there are now.
      read = directRead(whole, planRead(whole, asked, parts.limits))
    }
    if (signal.aborted) throw cancelled(signal)
  } catch (error) {
    release()
    throw error
  }
  const plan = counted(parts, read.plan)
  if (read.isDirect) {
    const known = Math.max(data.seriesCount ?? 0, tsids.length)
    const result = directResult(parts, query, { ...read, snapshot, tsids, owners, known }, signal, release)
    return { ...result, labels }
  }
  // From here on the stream lets the files go, also when it cannot be opened.
  const result = await parts.duckdb.stream(
    { sql: seriesSql(query, whole, { ...plan, tsids, parameter: 1 }, parts.limits) },
    signal,
    release
  )
  return { ...result, labels, reading: () => shown(query.table, plan.steps) }
}

/** What a plan has to know of the files of a table whose rows may have versions. */
async function learnMicros({ catalog, reader }: ReadDependencies, table: Table): Promise<void> {
  const { type, physical } = table.timeIndex
  if (type !== 'TimestampNanosecond' || table.options.append_mode || catalog.tableById(table.id) === undefined) return
  const paths = catalog.files(table).map(({ path }) => path)
  await reader.learnMicros(paths, physical)
}

/** A plan with the rows in memory it was made for: those that come later may be versions of them. */
function directRead(snapshot: Snapshot, plan: Plan<Memtable>) {
  const steps = plan.steps.filter(({ path }) => path !== 'skip')
  const memtables = snapshot.memtables.filter(memtable => steps.some(({ part }) => part === memtable))
  return {
    plan,
    isDirect: steps.every(({ path }) => path === 'series'),
    writes: memtables.flatMap(({ writes }) => writes) as readonly SampleRows[]
  }
}

function wholeSnapshot(parts: ReadDependencies, { table, others = [] }: SeriesQuery): Snapshot {
  const snapshot = snapshotOf(parts, table, Date.now())
  return others.length === 0
    ? snapshot
    : { ...snapshot, view: undefined, logical: [table, ...others].map(({ id }) => id) }
}

interface DirectRead {
  readonly plan: Plan<Memtable>
  readonly writes: readonly SampleRows[]
  readonly snapshot: Snapshot
  readonly tsids: Uint32Array
  readonly owners: ChosenSeries['owners']
  /** Number of series whose rows the files and memory hold, those that nobody asked for included. */
  readonly known: number
}

/** Some series after the other; `release` runs once when the result has ended in any way. */
function directResult(
  parts: ReadDependencies,
  query: SeriesQuery,
  { plan, writes, snapshot, tsids, owners, known }: DirectRead,
  signal: AbortSignal,
  release: () => void
): QueryResult {
  const { table: host } = snapshot
  const { limits } = parts
  const files = plan.steps.flatMap(({ part, path }) => (isFile(part) && path === 'series' ? [part] : []))
  const paths = files.map(({ path }) => path)
  const options = { versions: plan.versions, merges: mergesFields(host) }
  const columns = columnsAsked(query, snapshot)
  const isTexts = columns.values.some(isText)
  const reduction = columns.values.length === 1 && !isTexts ? query.reduction : undefined
  const counts = new ReadCounts()
  const rowsOfAll = rowsWithin(columns, files, writes)
  const rowsPerSeries = rowsOfAll / Math.max(known, 1)
  /** Each series takes memory for all values it is reduced to, however few rows it has. */
  const maxSeries = Math.max(1, Math.min(limits.maxSeries, Math.floor(limits.values / (reduction?.width ?? 1))))
  const closing = new AbortController()
  const ended = AbortSignal.any([signal, closing.signal])
  const pace = new Pace({ signal: ended })
  const read = async (from: number, count: number): Promise<Omit<SamplesFound, 'files'>> => {
    const some = tsids.subarray(from, from + count)
    const ask = async (tsids: Uint32Array) => {
      const wanted = new WantedSeries(tsids)
      const memory = isTexts ? [] : await runPaced(pace, shareSamples(writes, { ...columns, wanted }))
      const rows = Math.ceil(rowsPerSeries * tsids.length)
      return { paths, query: columns, tsids, owners: owners(tsids), options, memory, rows, reduction }
    }
    const found = await parts.reader.read(some, ask, ended)
    for (const { files } of found) counts.add(paths, files)
    if (!isTexts) return together(found, [])
    // Rows with texts have no versions.
    const texts = readSamples(writes, { ...columns, wanted: new WantedSeries(some) }, options)
    return together(found, await runPaced(pace, texts))
  }
  let isOpen = true
  let reading: Promise<unknown> | undefined
  const close = () => {
    if (!isOpen) return
    isOpen = false
    if (reading === undefined) return release()
    closing.abort()
    // Threads may still be reading the memory of rows.
    reading.then(release, release)
  }
  return {
    columns: columnsOfResult(query),
    ...(reduction && { reduced: true }),
    reading: () => shown(query.table, plan.steps, counts),
    close,
    async *batches() {
      try {
        let count = Math.min(maxSeries, firstSeries(limits, rowsOfAll, rowsPerSeries))
        for (let from = 0; isOpen && from < tsids.length; ) {
          const found = read(from, count)
          reading = found
          const { batches, samples } = await found.catch(error => {
            if (isOpen) throw signal.aborted ? cancelled(signal) : error
            return { batches: [], samples: 0 }
          })
          reading = undefined
          if (signal.aborted) throw cancelled(signal)
          if (!isOpen) return
          yield* query.distinct ? seriesIn(batches) : batches
          from += count
          count = Math.max(1, Math.floor((count * limits.samples) / Math.max(samples, 1)))
          count = Math.min(maxSeries, count)
        }
      } finally {
        close()
      }
    }
  }
}

/** Rows of all series that may be in the time range: of a file, as many as if its rows were evenly spread over its times. */
function rowsWithin({ from, to }: TimeRange, files: readonly DataFile[], writes: readonly SampleRows[]): number {
  const inMemory = writes.reduce((sum, { rows }) => sum + rows, 0)
  return files.reduce((sum, { rows, minTime, maxTime }) => {
    const [min, max] = [Number(minTime), Number(maxTime)]
    const share = (Math.min(max, to) - Math.max(min, from) + 1) / (max - min + 1)
    return sum + rows * Math.min(1, Math.max(0, share))
  }, inMemory)
}

/**
 * Series of the first batch: all where the rows of all are few enough for one. Else a few, as if they had as many rows as others; later
 * batches are as many as the samples of those before tell.
 */
function firstSeries({ firstSeries, samples }: ReadLimits, rowsOfAll: number, rowsPerSeries: number): number {
  if (rowsOfAll <= samples) return Number.POSITIVE_INFINITY
  return Math.max(1, Math.min(firstSeries, Math.floor(samples / Math.max(rowsPerSeries, 1))))
}

function together(found: readonly SamplesFound[], inMemory: readonly ResultBatch[]): Omit<SamplesFound, 'files'> {
  return {
    batches: [...found.flatMap(({ batches }) => batches), ...inMemory],
    samples: found.reduce((sum, { samples }) => sum + samples, 0) + inMemory.reduce((sum, { rows }) => sum + rows, 0)
  }
}

type TimeRange = Pick<ReturnType<typeof columnsAsked>, 'from' | 'to'>

function columnsAsked(query: SeriesQuery, { table: host, cutoff }: Snapshot) {
  const columnOf = columnsOf(query.table, host)
  const fileColumn = ({ id, type, physical }: TableColumn) => ({ id, type, physical })
  const time = fileColumn(columnOf(query.table.timeIndex.name))
  const from = Math.max(Number(query.from ?? Number.NEGATIVE_INFINITY), Number(cutoff ?? Number.NEGATIVE_INFINITY))
  const to = query.to === undefined ? Number.POSITIVE_INFINITY : Number(query.to - 1n)
  const unit = isTimestamp(time.type) ? timeUnit(time.type) : 'ms'
  return { time, unit, values: query.values.map(name => fileColumn(columnOf(name))), from, to } as const
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
