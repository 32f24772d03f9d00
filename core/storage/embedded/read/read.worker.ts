// A reading thread: samples out of data files, so that decoding and reducing them holds up nobody.
import { parentPort, workerData } from 'node:worker_threads'
import type { ResultBatch } from '../../../model/batch.ts'
import type { CreateReducer, Reducer, Reduction } from '../../engine.ts'
import { FileParts, type FileQuery, type Kept, sizeOf } from './file-parts.ts'
import { asRows, type Gathered, type GatherOptions } from './gather.ts'
import { PageCache } from './page-cache.ts'
import { type ReduceOptions, reduce } from './reduce.ts'
import { mayHold } from './sample-rows.ts'
import { readSamples } from './samples.ts'
import { WantedSeries } from './wanted-series.ts'

/** Samples of some series. */
export interface SamplesAsked {
  /** Of files, in the order they were written. */
  readonly paths: readonly string[]
  readonly query: Omit<FileQuery, 'wanted'>
  /** Numbers of the series, ascending. */
  readonly tsids: Uint32Array
  readonly options: GatherOptions
  /** Rows of these series that were written after those of the files. */
  readonly later?: Gathered | undefined
  readonly reduction?: Reduction | undefined
}

export interface SamplesFound {
  readonly batches: readonly ResultBatch[]
  /** Samples that were looked at. */
  readonly samples: number
}

export type ReadTask = { readonly id: number; readonly asked: SamplesAsked } | { readonly forget: string }

export interface ReadAnswer {
  /** Of the task; absent after a file was forgotten. */
  readonly id?: number
  readonly found?: SamplesFound
  /** Why there are none. */
  readonly error?: string
  readonly cacheBytes: number
  readonly hits: number
  readonly misses: number
}

const { cacheBytes } = workerData as { readonly cacheBytes: number }
const pages = new PageCache<Kept>(cacheBytes, sizeOf)
const files = new FileParts(pages)

parentPort!.on('message', async (task: ReadTask) => {
  if ('forget' in task) {
    files.forget(task.forget)
    parentPort!.postMessage(state() satisfies ReadAnswer)
    return
  }
  const { id, asked } = task
  try {
    const { reduction } = asked
    const reducer = reduction && (await load(reduction))
    const found = read(asked, reducer && { reducer, width: reduction.width })
    parentPort!.postMessage({ id, found, ...state() } satisfies ReadAnswer, buffersOf(found))
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    parentPort!.postMessage({ id, error: text, ...state() } satisfies ReadAnswer)
  }
})

async function load({ module, options }: Reduction): Promise<Reducer> {
  const { createReducer } = (await import(module)) as { readonly createReducer: CreateReducer }
  return createReducer(options)
}

function read(asked: SamplesAsked, reduction: Pick<ReduceOptions, 'reducer' | 'width'> | undefined): SamplesFound {
  const { paths, tsids, later, options } = asked
  const query: FileQuery = { ...asked.query, wanted: new WantedSeries(tsids) }
  const parts = paths.flatMap(path => files.read(path, query))
  const memory = later && asRows(later, tsids, query)
  if (memory !== undefined && memory.rows > 0 && mayHold(memory, query)) parts.push(memory)
  if (reduction === undefined) {
    const batches = readSamples(parts, query, options)
    return { batches, samples: batches.reduce((sum, { rows }) => sum + rows, 0) }
  }
  const { batch, samples } = reduce(parts, query, { ...options, ...reduction })
  return { batches: [batch], samples }
}

function state() {
  return { cacheBytes: pages.bytes, ...pages.takeCounts() }
}

/** Memory that goes with the answer instead of being copied. */
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
