// Hands texts to the thread that makes filters of their tokens, and ends it.
import type { Worker } from 'node:worker_threads'
import { DbError } from '../../../errors.ts'
import { startWorker } from '../../../workers/worker.ts'
import type { TokenTask } from './token.worker.ts'

export interface Tokenizer {
  /** The filter of all tokens of a text, which is gone afterwards. Throws DbError `Cancelled` when it was closed. */
  filter(text: Uint8Array<ArrayBuffer>, falsePositiveRate: number): Promise<Uint32Array>
  close(): Promise<void>
}

interface Waiting {
  readonly resolve: (words: Uint32Array) => void
  readonly reject: (error: unknown) => void
}

/** The thread starts with the first text. Answers come in the order of the questions. */
export function createTokenizer(): Tokenizer {
  const waiting: Waiting[] = []
  let worker: Worker | undefined
  let closed = false

  const fail = (error: unknown) => {
    worker = undefined
    for (const { reject } of waiting.splice(0)) reject(error)
  }
  const start = () => {
    const created = startWorker(import.meta.url, 'token')
    created.unref()
    created.on('message', (words: Uint32Array) => waiting.shift()?.resolve(words))
    created.on('error', error => {
      if (created === worker)
        fail(new DbError('Internal', 'the tokens of an index could not be read', { cause: error }))
    })
    return created
  }
  return {
    filter: (text, falsePositiveRate) =>
      new Promise((resolve, reject) => {
        if (closed) {
          reject(stopped())
          return
        }
        worker ??= start()
        waiting.push({ resolve, reject })
        worker.postMessage({ text, falsePositiveRate } satisfies TokenTask, [text.buffer])
      }),
    async close() {
      closed = true
      const ended = worker
      fail(stopped())
      await ended?.terminate()
    }
  }
}

function stopped(): DbError {
  return new DbError('Cancelled', 'the storage engine stops')
}
