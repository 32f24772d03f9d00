// The decoding thread: requests come and go in memory that both threads share.
import { parentPort, workerData } from 'node:worker_threads'
import { type ErrorCode, isDbError } from '../../../core/wire/index.ts'
import { decode, type Encoding } from './decode.ts'
import type { Decoded } from './decoded.ts'
import { Frame, type FrameCounts, type FrameMemory } from './frame.ts'

export interface DecodeTask {
  readonly id: number
  readonly encoding: Encoding
  /** The request is the first so many bytes of its input. */
  readonly size: number
  readonly memory: FrameMemory
}

/** Errors do not pass between threads as what they are. */
export interface ErrorNote {
  readonly code: ErrorCode
  readonly message: string
  readonly status: number
}

export type DecodeAnswer =
  | { readonly id: number; readonly error: ErrorNote }
  | {
      readonly id: number
      readonly memory: FrameMemory
      readonly counts: FrameCounts
      readonly decoded: Omit<Decoded, 'failures'>
      readonly failures: readonly ErrorNote[]
    }

const { seed } = workerData as { readonly seed: Int32Array }
const frame = new Frame()

async function answer({ id, encoding, size, memory }: DecodeTask): Promise<DecodeAnswer> {
  try {
    frame.take(memory)
    const { failures, ...decoded } = await decode(frame, frame.input.subarray(0, size), encoding)
    frame.hash(seed)
    return { id, memory: frame.memory, counts: frame.counts, decoded, failures: failures.map(noteOf) }
  } catch (error) {
    if (!isDbError(error)) throw error
    return { id, error: noteOf(error) }
  }
}

function noteOf({ code, message, status }: ErrorNote): ErrorNote {
  return { code, message, status }
}

// One after the other: there is one frame.
let last = Promise.resolve()
parentPort!.on('message', (task: DecodeTask) => {
  last = last.then(async () => parentPort!.postMessage(await answer(task)))
})
parentPort!.postMessage('ready')
