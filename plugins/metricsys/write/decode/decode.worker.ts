// The decoding thread. Requests and results stay in memory that it shares with the main thread; messages carry only sizes.
import { parentPort, workerData } from 'node:worker_threads'
import { isDbError, type PlainError, toPlainError } from '../../../../core/wire/index.ts'
import { type BufferCounts, type BufferMemory, DecodeBuffer, isLarge, isSameMemory } from './decode-buffer.ts'
import type { Decoded } from './decoded.ts'
import { decode, type Encoding } from './request.ts'

export interface DecodeTask {
  readonly id: number
  readonly encoding: Encoding
  /** Bytes of the request in `input`. */
  readonly size: number
  /** Under which number this thread keeps the buffer; undefined for a buffer that is not kept. */
  readonly slot: number | undefined
  /** Absent where the memory of this slot has not changed. */
  readonly memory?: BufferMemory
}

export type DecodeAnswer =
  | { readonly id: number; readonly error: PlainError }
  | {
      readonly id: number
      /** Absent where it is the memory of the task. */
      readonly memory?: BufferMemory
      readonly counts: BufferCounts
      readonly decoded: Omit<Decoded, 'failures'>
      readonly failures: readonly PlainError[]
    }

const { seed } = workerData as { readonly seed: Int32Array }
const buffers: (DecodeBuffer | undefined)[] = []

async function answer(task: DecodeTask): Promise<DecodeAnswer> {
  const { id, encoding, size } = task
  const buffer = bufferOf(task)
  const before = buffer.memory
  try {
    const { failures, ...decoded } = await decode(buffer, buffer.input.subarray(0, size), encoding)
    buffer.hash(seed)
    const { counts, memory } = buffer
    const grown = isSameMemory(before, memory) ? {} : { memory }
    if (task.slot !== undefined && isLarge(memory)) buffers[task.slot] = undefined
    return { id, ...grown, counts, decoded, failures: failures.map(toPlainError) }
  } catch (error) {
    if (!isDbError(error)) throw error
    // The main thread does not learn of memory that grew before the failure.
    buffer.take(before)
    return { id, error: toPlainError(error) }
  }
}

function bufferOf({ slot, memory }: DecodeTask): DecodeBuffer {
  if (memory === undefined) return buffers[slot!]!
  const buffer = (slot === undefined ? undefined : buffers[slot]) ?? new DecodeBuffer()
  buffer.take(memory)
  if (slot !== undefined) buffers[slot] = buffer
  return buffer
}

// Tasks run one after the other, because slots are reused in the order of the tasks.
let last = Promise.resolve()
parentPort!.on('message', (task: DecodeTask) => {
  last = last.then(async () => parentPort!.postMessage(await answer(task)))
})
parentPort!.postMessage('ready')
