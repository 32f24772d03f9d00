// The reading threads: each series belongs to one of them, which keeps what it decoded of the pages it lies in.
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { DbError } from '../../../errors.ts'
import { startWorker } from '../../../workers/worker.ts'
import type { SampleBounds, SortTask } from '../memory/memtable.ts'
import type { ReadAnswer, ReadTask, ReadThreadData, SamplesAsked, SamplesFound } from './read.worker.ts'
import type { SortThreads } from './row-sorter.ts'
import type { SampleColumn } from './sample-rows.ts'

export interface ReadThreadsOptions {
  /** The folder paths of files begin in. */
  readonly folder: string
  readonly threads: number
  /** Modules they load when they start. */
  readonly reducers?: readonly string[]
  /** Bytes of decoded pages that all threads together keep. */
  readonly cacheBytes: number
  /** Told of every look for a page that may be kept. */
  readonly looked: (result: 'hit' | 'miss', count: number) => void
}

interface Waiting {
  readonly resolve: (answer: ReadAnswer) => void
  readonly reject: (error: unknown) => void
}

interface Thread {
  readonly worker: Worker
  /** Files it was told of. */
  readonly told: Set<string>
  readonly waiting: Map<number, Waiting>
  cacheBytes: number
}

export class ReadThreads implements SortThreads {
  readonly #options: ReadThreadsOptions
  /** They start when they are first needed at the latest, and again after one failed. */
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

  /**
   * What each thread finds of some series, `ask` saying what it is asked of those that belong to it; one that is asked to read nothing
   * finds nothing. Rejects with DbError
   * `StorageUnavailable` where a file cannot be read.
   */
  async read(tsids: Uint32Array, ask: (tsids: Uint32Array) => SamplesAsked): Promise<readonly SamplesFound[]> {
    const questions = Array.from(byThread(tsids, this.#options.threads), ([slot, own]) => ({ slot, asked: ask(own) }))
    const some = questions.filter(({ asked }) => asked.paths.length > 0 || asked.memory.length > 0)
    return Promise.all(some.map(({ slot, asked }) => this.#run(slot, asked)))
  }

  /** Makes all threads ready for questions about files, so that the first one need not wait. */
  start(paths: readonly string[]): void {
    for (let slot = 0; slot < this.#options.threads; slot++) {
      const thread = this.#threads[slot] ?? this.#start(slot)
      const { worker, told, waiting } = thread
      this.#threads[slot] = thread
      if (waiting.size === 0) worker.unref()
      for (const path of paths) {
        if (told.has(path)) continue
        told.add(path)
        worker.postMessage({ know: this.#pathOf(path) } satisfies ReadTask)
      }
    }
  }

  /** CRC-32 of a file, read beside the queries. Rejects with DbError `StorageUnavailable` where it cannot be read. */
  async checksum(path: string): Promise<number> {
    const { checksum } = await this.#ask(this.#idlest(), id => ({ id, checksumOf: path }))
    return checksum!
  }

  /** As `SortThreads` has it. */
  async sort(task: SortTask, { id: timeId, type }: SampleColumn): Promise<SampleBounds> {
    const { bounds } = await this.#ask(this.#idlest(), id => ({ id, sort: task, time: { id: timeId, type } }))
    return bounds!
  }

  #idlest(): number {
    const waiting = Array.from({ length: this.#options.threads }, (_, slot) => this.#threads[slot]?.waiting.size ?? 0)
    return waiting.indexOf(Math.min(...waiting))
  }

  async #run(slot: number, asked: SamplesAsked): Promise<SamplesFound> {
    const paths = asked.paths.map(path => this.#pathOf(path))
    const { found } = await this.#ask(slot, id => ({ id, asked: { ...asked, paths } }))
    return found!
  }

  #ask(slot: number, task: (id: number) => ReadTask): Promise<ReadAnswer> {
    if (this.#isClosed) return Promise.reject(closed())
    this.#threads[slot] ??= this.#start(slot)
    const { worker, waiting } = this.#threads[slot]
    const id = ++this.#lastId
    worker.ref()
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject })
      worker.postMessage(task(id))
    })
  }

  /** A file is gone. */
  forget(path: string): void {
    for (const thread of this.#threads) {
      thread?.told.delete(path)
      thread?.worker.postMessage({ forget: this.#pathOf(path) } satisfies ReadTask)
    }
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

  #start(slot: number): Thread {
    const { threads, cacheBytes, looked, reducers = [] } = this.#options
    const worker = startWorker(import.meta.url, 'read', {
      workerData: { cacheBytes: Math.floor(cacheBytes / threads), reducers } satisfies ReadThreadData
    })
    const thread: Thread = { worker, told: new Set(), waiting: new Map(), cacheBytes: 0 }
    worker.on('message', (answer: ReadAnswer) => {
      const { id, error, cacheBytes, hits, misses } = answer
      const asked = id === undefined ? undefined : thread.waiting.get(id)
      if (id !== undefined) thread.waiting.delete(id)
      // Without a question it keeps no process alive.
      if (thread.waiting.size === 0) worker.unref()
      thread.cacheBytes = cacheBytes
      if (hits > 0) looked('hit', hits)
      if (misses > 0) looked('miss', misses)
      if (error === undefined) asked?.resolve(answer)
      else asked?.reject(new DbError('StorageUnavailable', error))
    })
    worker.on('error', error => {
      if (this.#threads[slot] === thread) this.#threads[slot] = undefined
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

/** Series whose numbers differ in lower bits only belong to the same thread: their rows lie together. */
const neighbourBits = 8

/** The numbers that belong to each thread, ascending as they were. */
function byThread(tsids: Uint32Array, threads: number): Map<number, Uint32Array> {
  const slotOf = (tsid: number) => scattered(tsid >>> neighbourBits) % threads
  const counts = new Uint32Array(threads)
  for (const tsid of tsids) counts[slotOf(tsid)]!++
  const found = new Map<number, Uint32Array>()
  for (let slot = 0; slot < threads; slot++) if (counts[slot]! > 0) found.set(slot, new Uint32Array(counts[slot]!))
  counts.fill(0)
  for (const tsid of tsids) {
    const slot = slotOf(tsid)
    found.get(slot)![counts[slot]!++] = tsid
  }
  return found
}

/** Mixes the bits of a number (the end of MurmurHash3): the series of a metric often lie at regular distances. */
function scattered(number: number): number {
  let mixed = Math.imul(number ^ (number >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}
