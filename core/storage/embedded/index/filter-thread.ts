// The thread that makes filters of data files, seen from the others.
import type { Worker } from 'node:worker_threads'
import { DbError } from '../../../errors.ts'
import { after, type Timer } from '../../../timer.ts'
import { idleTime, startWorker } from '../../../workers/worker.ts'
import type { BuiltIndexes, FilterAnswer, FilterTask } from './filter.worker.ts'

export interface FilterThread {
  /** The filters of a file, parallel to those asked for, and its counts. Throws DbError, `Cancelled` when the thread was closed. */
  build(task: FilterTask): Promise<BuiltIndexes>
  close(): Promise<void>
}

interface Waiting {
  readonly resolve: (built: BuiltIndexes) => void
  readonly reject: (error: unknown) => void
}

/** The thread starts with the first file, and ends when it is idle. Answers come in the order of the questions. */
export function createFilterThread(idleAfter = idleTime): FilterThread {
  const waiting: Waiting[] = []
  let worker: Worker | undefined
  let idle: Timer | undefined
  let closed = false

  const fail = (error: unknown) => {
    worker = undefined
    for (const { reject } of waiting.splice(0)) reject(error)
  }
  const end = () => {
    const ended = worker
    worker = undefined
    return ended?.terminate()
  }
  const start = () => {
    const created = startWorker(import.meta.url, 'filter')
    created.unref()
    created.on('message', (answer: FilterAnswer) => {
      const asked = waiting.shift()
      if ('filters' in answer) asked?.resolve(answer)
      else asked?.reject(new DbError('StorageUnavailable', answer.error))
      if (waiting.length === 0 && created === worker) idle = after(idleAfter, end).unref()
    })
    created.on('error', error => {
      if (created === worker) fail(new DbError('Internal', 'the filters of a file could not be made', { cause: error }))
    })
    return created
  }
  return {
    build: task =>
      new Promise((resolve, reject) => {
        if (closed) {
          reject(stopped())
          return
        }
        idle?.stop()
        worker ??= start()
        waiting.push({ resolve, reject })
        worker.postMessage(task)
      }),
    async close() {
      closed = true
      idle?.stop()
      const ended = end()
      fail(stopped())
      await ended
    }
  }
}

function stopped(): DbError {
  return new DbError('Cancelled', 'the storage engine stops')
}
