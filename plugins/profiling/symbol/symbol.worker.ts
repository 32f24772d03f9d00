// A thread that turns an uploaded heap dump into a flame graph, because a large one takes seconds and much memory.
import { parentPort, workerData } from 'node:worker_threads'
import { isDbError } from '../../../core/wire/index.ts'
import { createFrameNamer } from '../frame.ts'
import { drawFlameGraph } from '../output/flame-graph.ts'
import { readDump } from './read.ts'

export interface SymbolTask {
  readonly bytes: Uint8Array
  /** Bytes after decompression. */
  readonly limit: number
  readonly root: string
  readonly modules: ReadonlyMap<string, string>
}

export type SymbolAnswer = { readonly svg: string } | { readonly error: string; readonly status: number }

parentPort?.postMessage(answer(workerData as SymbolTask))

function answer({ bytes, limit, root, modules }: SymbolTask): SymbolAnswer {
  try {
    const { profile, format } = readDump(bytes, limit, createFrameNamer({ root, modules }))
    const words = { heapprofile: 'sampled heap', heapsnapshot: 'what keeps the heap alive', pprof: 'pprof' }[format]
    return { svg: drawFlameGraph(profile, `${words}, uploaded`) }
  } catch (error) {
    if (isDbError(error)) return { error: error.message, status: error.status }
    return { error: `the dump cannot be read: ${(error as Error).message}`, status: 400 }
  }
}
