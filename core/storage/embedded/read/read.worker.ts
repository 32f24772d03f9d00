// A reading thread: reads and reduces samples from data files and memory off the main thread.

import { closeSync, openSync, readSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { crc32 } from 'node:zlib'
import type { ResultBatch } from '../../../model/batch.ts'
import { Pace, runPaced, type Steps } from '../../../pace.ts'
import { collect } from '../../../workers/free.ts'
import { giveWay } from '../../../workers/give-way.ts'
import type { CreateReducer, Reducer, Reduction } from '../../engine.ts'
import { WeightedSemaphore } from '../../weighted-semaphore.ts'
import type { SampleBounds, SortTask } from '../memory/memtable.ts'
import { sortedRows, sortSteps } from '../memory/sort-by-series.ts'
import { type FileCounts, FileParts, type FileQuery, type Kept, sizeOf } from './file-parts.ts'
import type { GatherOptions } from './gather.ts'
import { usualLimits } from './limits.ts'
import { PageCache } from './page-cache.ts'
import { type ReduceOptions, reduce } from './reduce.ts'
import { boundsOf, mayHold, type SampleColumn, type SampleRows } from './sample-rows.ts'
import { readSamples } from './samples.ts'
import { WantedSeries } from './wanted-series.ts'

/** Samples of some series. */
export interface SamplesAsked {
  /** In write order. */
  readonly paths: readonly string[]
  readonly query: Omit<FileQuery, 'wanted'>
  /** Series numbers, ascending. */
  readonly tsids: Uint32Array
  /** The logical table of each series, if several share the physical one. */
  readonly owners: Uint32Array | undefined
  readonly options: GatherOptions
  /** Rows in memory, which are later than those of the files; in write order. */
  readonly memory: readonly SampleRows[]
  /** So many rows they are expected to have. */
  readonly rows: number
  readonly reduction?: Reduction | undefined
}

export interface SamplesFound {
  readonly batches: readonly ResultBatch[]
  /** Number of samples read. */
  readonly samples: number
  /** Keyed by path. */
  readonly files: readonly FileCounts[]
}

export type ReadTask =
  | { readonly id: number; readonly asked: SamplesAsked }
  | { readonly id: number; readonly checksumOf: string }
  | { readonly id: number; readonly micros: readonly string[]; readonly column: string }
  | { readonly id: number; readonly sort: SortTask; readonly time: SampleColumn }
  | { readonly forget: string }
  | { readonly know: string }
  /** Nobody waits for the answer to this task any more: it is told as a failure, soon. */
  | { readonly cancel: number }

export interface ReadAnswer {
  /** Id of the task; absent for the answer to a file that was forgotten. */
  readonly id?: number
  readonly found?: SamplesFound
  readonly checksum?: number
  /** Those of the files asked about whose times are whole microseconds. */
  readonly micros?: readonly string[]
  /** The answer to a sort. */
  readonly bounds?: SampleBounds
  /** The reason of a failure. */
  readonly error?: string
  readonly cacheBytes: number
  readonly hits: number
  readonly misses: number
}

/** The data a thread starts with. */
export interface ReadThreadData {
  readonly cacheBytes: number
  /** Modules that queries will name. */
  readonly reducers: readonly string[]
}

const { cacheBytes, reducers } = workerData as ReadThreadData
// A module that cannot be loaded fails the query that names it.
for (const module of reducers) import(module).catch(() => {})
const chunk = new Uint8Array(1 << 20)
const pages = new PageCache<Kept>(cacheBytes, sizeOf)
const files = new FileParts(pages)

/** Queries of so many samples leave some megabytes of garbage. */
const minCollectSamples = 100_000

const { turnRows, fewRows } = usualLimits
const turns = new WeightedSemaphore(turnRows)
/** Keyed by the id of the task. */
const running = new Map<number, AbortController>()

giveWay('reads')
parentPort!.on('message', async (task: ReadTask) => {
  if ('forget' in task) {
    files.forget(task.forget)
    parentPort!.postMessage(state() satisfies ReadAnswer)
    return
  }
  if ('know' in task) {
    files.know(task.know)
    return
  }
  if ('cancel' in task) {
    running.get(task.cancel)?.abort()
    return
  }
  const { id } = task
  try {
    if ('checksumOf' in task) {
      parentPort!.postMessage({ id, checksum: await checksumOf(task.checksumOf), ...state() } satisfies ReadAnswer)
      return
    }
    if ('micros' in task) {
      const micros = await filesInMicros(task.micros, task.column)
      parentPort!.postMessage({ id, micros, ...state() } satisfies ReadAnswer)
      return
    }
    if ('sort' in task) {
      const bounds = await sort(task.sort, task.time)
      parentPort!.postMessage({ id, bounds, ...state() } satisfies ReadAnswer)
      return
    }
    const found = await readInTurns(id, task.asked)
    parentPort!.postMessage({ id, found, ...state() } satisfies ReadAnswer, buffersOf(found))
    // Collects garbage after the answer, which need not wait for it.
    if (found.samples > minCollectSamples) collect('minor')
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    parentPort!.postMessage({ id, error: text, ...state() } satisfies ReadAnswer)
  }
})

async function load({ module, options }: Reduction): Promise<Reducer> {
  const { createReducer } = (await import(module)) as { readonly createReducer: CreateReducer }
  return createReducer(options)
}

/** Reads that arrive meanwhile have their turns, too. Rejects soon after it was cancelled. */
async function readInTurns(id: number, asked: SamplesAsked): Promise<SamplesFound> {
  const cancelled = new AbortController()
  const { signal } = cancelled
  running.set(id, cancelled)
  const rows = asked.rows > fewRows ? Math.min(asked.rows, turnRows) : 0
  try {
    if (!turns.acquire(rows)) await turns.enter(rows, { ...inOrder, signal })
    try {
      const { reduction } = asked
      const reducer = reduction && (await load(reduction))
      const steps = read(asked, reducer && { reducer, width: reduction.width })
      return await runPaced(new Pace(cancelled), steps)
    } finally {
      turns.give(rows)
    }
  } finally {
    running.delete(id)
  }
}

/** Waits as long as the query does: its end cancels the task. */
const inOrder = { user: '', wait: Number.POSITIVE_INFINITY, isStuck: false, taken: () => {} }

function* read(
  asked: SamplesAsked,
  reduction: Pick<ReduceOptions, 'reducer' | 'width'> | undefined
): Steps<SamplesFound> {
  const { paths, tsids, owners, memory, options } = asked
  const query: FileQuery = { ...asked.query, wanted: new WantedSeries(tsids, owners) }
  const counts: FileCounts[] = []
  const parts: SampleRows[] = []
  for (const path of paths) {
    const found = yield* files.read(path, query)
    counts.push(found.counts)
    for (const part of found.parts) parts.push(part)
    yield
  }
  for (const rows of memory) if (rows.rows > 0 && mayHold(rows, query)) parts.push(rows)
  if (reduction === undefined) {
    const batches = yield* readSamples(parts, query, options)
    return { batches, samples: batches.reduce((sum, { rows }) => sum + rows, 0), files: counts }
  }
  const { batch, samples } = yield* reduce(parts, query, { ...options, ...reduction })
  return { batches: [batch], samples, files: counts }
}

/** Queries that arrive meanwhile go first. */
async function sort({ writes, into }: SortTask, time: SampleColumn): Promise<SampleBounds> {
  for (const _ of sortSteps(writes, into)) await new Promise(resolve => setImmediate(resolve))
  return boundsOf(sortedRows(writes, into) as SampleRows, time, SharedArrayBuffer)
}

/** Queries that arrive meanwhile go first. */
async function filesInMicros(paths: readonly string[], column: string): Promise<string[]> {
  const found: string[] = []
  for (const path of paths) {
    if (files.areMicros(path, column)) found.push(path)
    await new Promise(resolve => setImmediate(resolve))
  }
  return found
}

/** Queries that arrive meanwhile go first. */
async function checksumOf(path: string): Promise<number> {
  const fd = openSync(path, 'r')
  try {
    for (let sum = 0; ; ) {
      const read = readSync(fd, chunk, 0, chunk.length, null)
      if (read === 0) return sum
      sum = crc32(chunk.subarray(0, read), sum)
      await new Promise(resolve => setImmediate(resolve))
    }
  } finally {
    closeSync(fd)
  }
}

function state() {
  return { cacheBytes: pages.bytes, ...pages.takeCounts() }
}

/** Buffers to transfer with the answer instead of copying. */
function buffersOf({ batches }: SamplesFound): ArrayBuffer[] {
  const buffers = new Set<ArrayBuffer>()
  for (const { columns } of batches) {
    for (const { values, valid } of columns) {
      if (ArrayBuffer.isView(values)) buffers.add(values.buffer as ArrayBuffer)
      if (valid !== undefined) buffers.add(valid.buffer as ArrayBuffer)
    }
  }
  return [...buffers]
}
