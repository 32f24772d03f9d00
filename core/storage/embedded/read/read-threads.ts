// The reading threads: each file belongs to one of them, which keeps what it decoded of it.
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { DbError } from '../../../errors.ts'
import { startWorker } from '../../../workers/worker.ts'
import type { SamplesAsked, SamplesFound } from './file-samples.ts'
import type { ReadAnswer, ReadTask } from './read.worker.ts'

export interface ReadThreadsOptions {
  /** The folder paths of files begin in. */
  readonly folder: string
  readonly threads: number
  /** Bytes of decoded pages that all threads together keep. */
  readonly cacheBytes: number
  /** Told of every look for a page that may be kept. */
  readonly looked: (result: 'hit' | 'miss', count: number) => void
}

interface Waiting {
  readonly resolve: (found: SamplesFound) => void
  readonly reject: (error: unknown) => void
}

interface Thread {
  readonly worker: Worker
  readonly waiting: Map<number, Waiting>
  cacheBytes: number
}

export class ReadThreads {
  readonly #options: ReadThreadsOptions
  /** They start when they are first needed, and again after one failed. */
  readonly #threads: (Thread | undefined)[] = []
  #lastId = 0
  #isClosed = false

  constructor(options: ReadThreadsOptions) {
    this.#options = options
  }

  /** Bytes of decoded pages that are kept. */
  get cacheBytes(): number {
    return this.#threads.reduce((sum, thread) => sum + (thread?.cacheBytes ?? 0), 0)
  }

  /** Rejects with DbError `StorageUnavailable` where the file cannot be read. */
  read(path: string, asked: Omit<SamplesAsked, 'path'>): Promise<SamplesFound> {
    if (this.#isClosed) return Promise.reject(closed())
    const place = this.#placeOf(path)
    this.#threads[place] ??= this.#start(place)
    const { worker, waiting } = this.#threads[place]
    const id = ++this.#lastId
    worker.ref()
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject })
      worker.postMessage({ id, asked: { ...asked, path: this.#pathOf(path) } } satisfies ReadTask)
    })
  }

  /** A file is gone. */
  forget(path: string): void {
    this.#threads[this.#placeOf(path)]?.worker.postMessage({ forget: this.#pathOf(path) } satisfies ReadTask)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const thread of this.#threads) {
      for (const { reject } of thread?.waiting.values() ?? []) reject(closed())
      await thread?.worker.terminate()
    }
  }

  #pathOf(path: string): string {
    return join(this.#options.folder, path)
  }

  #placeOf(path: string): number {
    let hash = 0
    for (let i = 0; i < path.length; i++) hash = (Math.imul(hash, 31) + path.charCodeAt(i)) | 0
    return (hash >>> 0) % this.#options.threads
  }

  #start(place: number): Thread {
    const { threads, cacheBytes, looked } = this.#options
    const worker = startWorker(import.meta.url, 'read', {
      workerData: { cacheBytes: Math.floor(cacheBytes / threads) }
    })
    const thread: Thread = { worker, waiting: new Map(), cacheBytes: 0 }
    worker.on('message', ({ id, found, error, cacheBytes, hits, misses }: ReadAnswer) => {
      const asked = id === undefined ? undefined : thread.waiting.get(id)
      if (id !== undefined) thread.waiting.delete(id)
      // Without a question it keeps no process alive.
      if (thread.waiting.size === 0) worker.unref()
      thread.cacheBytes = cacheBytes
      if (hits > 0) looked('hit', hits)
      if (misses > 0) looked('miss', misses)
      if (found !== undefined) asked?.resolve(found)
      else asked?.reject(new DbError('StorageUnavailable', error!))
    })
    worker.on('error', error => {
      if (this.#threads[place] === thread) this.#threads[place] = undefined
      for (const { reject } of thread.waiting.values()) {
        reject(new DbError('Internal', 'the reading thread failed', { cause: error }))
      }
    })
    return thread
  }
}

function closed(): DbError {
  return new DbError('Cancelled', 'the storage engine is closed')
}
