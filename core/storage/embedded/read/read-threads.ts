// The reading threads. Each series belongs to one thread, which caches the pages it decoded.
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { DbError } from '../../../errors.ts'
import { startWorker } from '../../../workers/worker.ts'
import type { SampleBounds, SortTask } from '../memory/memtable.ts'
import type { ReadAnswer, ReadTask, ReadThreadData, SamplesAsked, SamplesFound } from './read.worker.ts'
import type { SortThreads } from './row-sorter.ts'
import type { SampleColumn } from './sample-rows.ts'

interface ReadThreadsOptions {
  /** The folder that file paths are relative to. */
  readonly folder: string
  readonly threads: number
  /** Modules of reductions to load at the start. */
  readonly reducers?: readonly string[]
  /** Bytes of decoded pages cached by all threads together. */
  readonly cacheBytes: number
  /** Called for every cache lookup. */
  readonly looked: (result: 'hit' | 'miss', count: number) => void
  /** Called when a thread ended by itself; its requests are rejected. */
  readonly failed: (error: Error) => void
}

interface Waiting {
  readonly resolve: (answer: ReadAnswer) => void
  readonly reject: (error: unknown) => void
}

interface Thread {
  readonly worker: Worker
  /** Files this thread was told about. */
  readonly told: Set<string>
  readonly waiting: Map<number, Waiting>
  cacheBytes: number
}

export class ReadThreads implements SortThreads {
  readonly #options: ReadThreadsOptions
  /** Started when first needed, and again after a failure. */
  readonly #threads: (Thread | undefined)[] = []
  /** Files that were asked about, see `learnMicros`. */
  readonly #learned = new Set<string>()
  readonly #micros = new Set<string>()
  #lastId = 0
  #isClosed = false

  constructor(options: ReadThreadsOptions) {
    this.#options = options
  }

  /** Bytes of cached pages. */
  get cacheBytes(): number {
    return this.#threads.reduce((sum, thread) => sum + (thread?.cacheBytes ?? 0), 0)
  }

  /**
   * The results of all threads for some series; `ask` makes the question for the series of one thread. Threads with nothing to read are not
   * asked. Rejects with DbError `StorageUnavailable` if a file cannot be read, and after `signal` has fired, as soon as no thread reads for it any more.
   */
  async read(
    tsids: Uint32Array,
    ask: (tsids: Uint32Array) => Promise<SamplesAsked>,
    signal: AbortSignal
  ): Promise<readonly SamplesFound[]> {
    const slots = byThread(tsids, this.#options.threads)
    const questions = await Promise.all(Array.from(slots, async ([slot, own]) => ({ slot, asked: await ask(own) })))
    const some = questions.filter(({ asked }) => asked.paths.length > 0 || asked.memory.length > 0)
    const answers = await Promise.allSettled(some.map(({ slot, asked }) => this.#run(slot, asked, signal)))
    return answers.map(answer => {
      if (answer.status === 'rejected') throw answer.reason
      return answer.value
    })
  }

  /** Starts all threads and lets them read footers, so that the first query does not wait. */
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

  /** Paths of files whose times in nanoseconds are whole microseconds, of those that `learnMicros` was told. */
  get micros(): ReadonlySet<string> {
    return this.#micros
  }

  /** Reads from files whether the times in a column of nanoseconds are whole microseconds; those that are known are not read again. */
  async learnMicros(paths: readonly string[], column: string): Promise<void> {
    const unknown = paths.filter(path => !this.#learned.has(path))
    if (unknown.length === 0) return
    const full = new Map(unknown.map(path => [this.#pathOf(path), path]))
    const { micros } = await this.#ask(this.#idlest(), id => ({ id, micros: [...full.keys()], column }))
    for (const path of unknown) this.#learned.add(path)
    for (const path of micros!) this.#micros.add(full.get(path)!)
  }

  /** CRC-32 of a file, computed in a thread. Rejects with DbError `StorageUnavailable` if it cannot be read. */
  async checksum(path: string): Promise<number> {
    const { checksum } = await this.#ask(this.#idlest(), id => ({ id, checksumOf: path }))
    return checksum!
  }

  /** Sorts rows; see `SortThreads`. */
  async sort(task: SortTask, { id: timeId, type }: SampleColumn): Promise<SampleBounds> {
    const { bounds } = await this.#ask(this.#idlest(), id => ({ id, sort: task, time: { id: timeId, type } }))
    return bounds!
  }

  #idlest(): number {
    const waiting = Array.from({ length: this.#options.threads }, (_, slot) => this.#threads[slot]?.waiting.size ?? 0)
    return waiting.indexOf(Math.min(...waiting))
  }

  async #run(slot: number, asked: SamplesAsked, signal: AbortSignal): Promise<SamplesFound> {
    const paths = asked.paths.map(path => this.#pathOf(path))
    const { found } = await this.#ask(slot, id => ({ id, asked: { ...asked, paths } }), signal)
    return found!
  }

  async #ask(slot: number, task: (id: number) => ReadTask, signal?: AbortSignal): Promise<ReadAnswer> {
    if (this.#isClosed) throw closed()
    signal?.throwIfAborted()
    this.#threads[slot] ??= this.#start(slot)
    const { worker, waiting } = this.#threads[slot]
    const id = ++this.#lastId
    worker.ref()
    const answered = new Promise<ReadAnswer>((resolve, reject) => {
      waiting.set(id, { resolve, reject })
      worker.postMessage(task(id))
    })
    const cancel = () => worker.postMessage({ cancel: id } satisfies ReadTask)
    signal?.addEventListener('abort', cancel)
    try {
      return await answered
    } finally {
      signal?.removeEventListener('abort', cancel)
    }
  }

  /** Forgets a file that was removed. */
  forget(path: string): void {
    this.#learned.delete(path)
    this.#micros.delete(path)
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
    const { threads, cacheBytes, looked, failed, reducers = [] } = this.#options
    const worker = startWorker(import.meta.url, 'read', {
      workerData: { cacheBytes: Math.floor(cacheBytes / threads), reducers } satisfies ReadThreadData
    })
    const thread: Thread = { worker, told: new Set(), waiting: new Map(), cacheBytes: 0 }
    worker.on('message', (answer: ReadAnswer) => {
      const { id, error, cacheBytes, hits, misses } = answer
      const asked = id === undefined ? undefined : thread.waiting.get(id)
      if (id !== undefined) thread.waiting.delete(id)
      // An idle thread does not keep the process alive; while it is terminated, `close` waits for it.
      if (thread.waiting.size === 0 && !this.#isClosed) worker.unref()
      thread.cacheBytes = cacheBytes
      if (hits > 0) looked('hit', hits)
      if (misses > 0) looked('miss', misses)
      if (error === undefined) asked?.resolve(answer)
      else asked?.reject(new DbError('StorageUnavailable', error))
    })
    worker.on('error', error => {
      if (this.#threads[slot] === thread) this.#threads[slot] = undefined
      failed(error)
      for (const { reject } of thread.waiting.values()) {
        reject(new DbError('StorageUnavailable', `the reading thread failed: ${error.message}`, { cause: error }))
      }
    })
    return thread
  }
}

function closed(): DbError {
  return new DbError('Cancelled', 'the storage engine is closed')
}

/** Series that differ only in these lower bits belong to the same thread, because their rows are adjacent in files. */
const neighbourBits = 8

/** The numbers of each thread, still ascending. */
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
