// The decoding thread: requests come and go in memory that both threads share.
import { parentPort, workerData } from 'node:worker_threads'
import { type ErrorCode, isDbError } from '../../../../core/wire/index.ts'
import type { Decoded } from './decoded.ts'
import { Frame, type FrameCounts, type FrameMemory, isLarge, isSameMemory } from './frame.ts'
import { decode, type Encoding } from './request.ts'

export interface DecodeTask {
  readonly id: number
  readonly encoding: Encoding
  /** The request is the first so many bytes of its input. */
  readonly size: number
  /** Which of the frames this thread keeps; undefined for one it shall not keep. */
  readonly slot: number | undefined
  /** Left out where it is the same as before in this slot. */
  readonly memory?: FrameMemory
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
      /** Left out where it is what the task came with. */
      readonly memory?: FrameMemory
      readonly counts: FrameCounts
      readonly decoded: Omit<Decoded, 'failures'>
      readonly failures: readonly ErrorNote[]
    }

const { seed } = workerData as { readonly seed: Int32Array }
const frames: (Frame | undefined)[] = []

async function answer(task: DecodeTask): Promise<DecodeAnswer> {
  const { id, encoding, size } = task
  const frame = frameOf(task)
  const before = frame.memory
  try {
    const { failures, ...decoded } = await decode(frame, frame.input.subarray(0, size), encoding)
    frame.hash(seed)
    const { counts, memory } = frame
    const grown = isSameMemory(before, memory) ? {} : { memory }
    if (task.slot !== undefined && isLarge(memory)) frames[task.slot] = undefined
    return { id, ...grown, counts, decoded, failures: failures.map(noteOf) }
  } catch (error) {
    if (!isDbError(error)) throw error
    // What grew until then is not told.
    frame.take(before)
    return { id, error: noteOf(error) }
  }
}

function frameOf({ slot, memory }: DecodeTask): Frame {
  if (memory === undefined) return frames[slot!]!
  const frame = (slot === undefined ? undefined : frames[slot]) ?? new Frame()
  frame.take(memory)
  if (slot !== undefined) frames[slot] = frame
  return frame
}

function noteOf({ code, message, status }: ErrorNote): ErrorNote {
  return { code, message, status }
}

// One after the other: frames come and go in the order of the tasks.
let last = Promise.resolve()
parentPort!.on('message', (task: DecodeTask) => {
  last = last.then(async () => parentPort!.postMessage(await answer(task)))
})
parentPort!.postMessage('ready')
