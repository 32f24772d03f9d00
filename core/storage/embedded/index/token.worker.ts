// The thread in which texts become filters: a second of it is a gigabyte's tenth, too long for the thread that answers requests.
import { parentPort } from 'node:worker_threads'
import { HashSet } from './hash-set.ts'
import { tokenFilter } from './token-filter.ts'

export interface TokenTask {
  readonly text: Uint8Array<ArrayBuffer>
  readonly falsePositiveRate: number
}

const scratch = new HashSet()

parentPort!.on('message', ({ text, falsePositiveRate }: TokenTask) => {
  const words = tokenFilter(text, falsePositiveRate, scratch)
  parentPort!.postMessage(words, [words.buffer as ArrayBuffer])
})
