// The thread that writes data files, seen from the others: it starts when it is needed, and ends when it is idle.
import type { Worker } from 'node:worker_threads'
import { DbError } from '../../../errors.ts'
import { after, type Timer } from '../../../timer.ts'
import { idleTime, startWorker } from '../../../workers/worker.ts'
import { ioError } from '../file/data-file.ts'
import type { FlushTask } from './flush-rows.ts'
import { type MergeTask, UnsortedInput } from './merge-files.ts'
import type { SortedFileFacts } from './sorted-file.ts'
import type { UpkeepAnswer, UpkeepTask } from './upkeep.worker.ts'

interface UpkeepThreadOptions {
  /** The thread died with work to do. */
  readonly died: () => void
  /** Default: the thread of this folder. */
  readonly start?: () => Worker
  /** Milliseconds without work after which the thread ends. */
  readonly idleTime?: number
}

interface Waiting {
  readonly resolve: (file: SortedFileFacts | undefined) => void
  readonly reject: (error: unknown) => void
  readonly isMerge: boolean
}

export class UpkeepThread {
  readonly #options: UpkeepThreadOptions
  readonly #waiting = new Map<number, Waiting>()
  #worker: Worker | undefined
  #idle: Timer | undefined
  #lastId = 0
  #isClosed = false

  constructor(options: UpkeepThreadOptions) {
    this.#options = options
  }

  /**
   * Writes rows to a file; undefined where none is left of them. Their memory must stay as it is until then. Rejects with DbError
   * `StorageUnavailable` where they cannot be written, `Internal` where the thread died; there is no whole file then.
   */
  flush(task: FlushTask): Promise<SortedFileFacts | undefined> {
    return this.#ask(id => ({ id, flush: task }))
  }

  /** Merges files to one. Rejects as `flush` does, and with UnsortedInput where the rows of one are not in order. */
  merge(task: MergeTask): Promise<SortedFileFacts | undefined> {
    return this.#ask(id => ({ id, merge: task }))
  }

  /** Abandons a running merge, which may take minutes and can be done again. */
  async stopMerging(): Promise<void> {
    if ([...this.#waiting.values()].some(({ isMerge }) => isMerge)) await this.#end()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#end()
  }

  async #end(): Promise<void> {
    this.#idle?.stop()
    const worker = this.#worker
    this.#fail(new DbError('Cancelled', 'the storage engine stops'))
    await worker?.terminate()
  }

  #ask(make: (id: number) => UpkeepTask): Promise<SortedFileFacts | undefined> {
    if (this.#isClosed) return Promise.reject(new DbError('Cancelled', 'the storage engine stops'))
    this.#idle?.stop()
    this.#worker ??= this.#start()
    const worker = this.#worker
    const id = ++this.#lastId
    worker.ref()
    return new Promise((resolve, reject) => {
      const task = make(id)
      this.#waiting.set(id, { resolve, reject, isMerge: 'merge' in task })
      worker.postMessage(task)
    })
  }

  #start(): Worker {
    const worker = this.#options.start?.() ?? startWorker(import.meta.url, 'upkeep')
    worker.on('message', ({ id, file, error }: UpkeepAnswer) => {
      const asked = this.#waiting.get(id)
      this.#waiting.delete(id)
      // Without work it keeps no process alive; while it is terminated, `close` waits for it.
      if (this.#waiting.size === 0 && this.#worker === worker) {
        worker.unref()
        this.#idle = after(this.#options.idleTime ?? idleTime, () => void this.#end()).unref()
      }
      if (error === undefined) asked?.resolve(file)
      else asked?.reject(errorOf(error))
    })
    const gone = (cause: unknown) => {
      if (this.#worker !== worker) return
      if (this.#waiting.size > 0) this.#options.died()
      this.#fail(new DbError('Internal', 'the thread that writes data files died', { cause }))
    }
    worker.on('error', gone)
    worker.on('exit', code => gone(new Error(`it ended with ${code}`)))
    return worker
  }

  #fail(error: DbError): void {
    this.#worker = undefined
    const waiting = [...this.#waiting.values()]
    this.#waiting.clear()
    for (const { reject } of waiting) reject(error)
  }
}

function errorOf({ message, isAboutRows, isUnsorted }: NonNullable<UpkeepAnswer['error']>): Error {
  if (isUnsorted) return new UnsortedInput(message)
  return isAboutRows ? new DbError('StorageUnavailable', message) : ioError(message)
}
