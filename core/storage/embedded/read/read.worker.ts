// A reading thread: samples out of data files, so that decoding them holds up nobody.
import { parentPort, workerData } from 'node:worker_threads'
import { SampleFiles, type SamplesAsked, type SamplesFound } from './file-samples.ts'
import { PageCache } from './page-cache.ts'

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
const pages = new PageCache(cacheBytes)
const files = new SampleFiles(pages)

parentPort!.on('message', (task: ReadTask) => {
  if ('forget' in task) {
    files.forget(task.forget)
    parentPort!.postMessage(state() satisfies ReadAnswer)
    return
  }
  const { id, asked } = task
  try {
    const found = files.read(asked)
    parentPort!.postMessage({ id, found, ...state() } satisfies ReadAnswer, buffersOf(found))
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    parentPort!.postMessage({ id, error: text, ...state() } satisfies ReadAnswer)
  }
})

function state() {
  return { cacheBytes: pages.bytes, ...pages.takeCounts() }
}

/** Memory that goes with the answer instead of being copied. */
function buffersOf({ tsids, times, values }: SamplesFound): ArrayBuffer[] {
  const views = values.flatMap(column => {
    if (column === undefined) return []
    const data =
      column.kind === 'fixed' ? [column.values] : column.kind === 'bytes' ? [column.offsets, column.bytes] : []
    return [...data, ...(column.valid ? [column.valid] : [])]
  })
  return [tsids, times, ...views].map(view => view.buffer as ArrayBuffer)
}
