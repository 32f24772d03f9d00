// Decodes requests, large ones in a thread of their own, so that the server's thread is left with what only it can do.
import type { Worker } from 'node:worker_threads'
import { DbError, seriesSeed, startWorker } from '../../../../core/index.ts'
import type { DecodeAnswer, DecodeTask, ErrorNote } from './decode.worker.ts'
import type { Decoded } from './decoded.ts'
import { type Frame, type FrameMemory, isLarge, isSameMemory, maxIdle } from './frame.ts'
import { decode, type Encoding } from './request.ts'

/** Bytes of a request below which the way to the other thread costs more than it saves. */
const smallRequest = 8192
/** Bytes from which on a request waits for the thread to start. */
const largeRequest = 1 << 18

export interface Decoder {
  /** Decodes a request into the frame. Throws DbError `InvalidArguments` for what cannot be read. */
  decode(frame: Frame, request: Uint8Array, encoding: Encoding): Promise<Decoded>
  close(): Promise<void>
}

interface Waiting {
  readonly frame: Frame
  readonly slot: number | undefined
  readonly resolve: (decoded: Decoded) => void
  readonly reject: (error: unknown) => void
}

/** The thread starts with the first request that is not small, and takes over once it is ready; large ones wait for it. */
export function createDecoder(): Decoder {
  const waiting = new Map<number, Waiting>()
  const slots = createSlots()
  let worker: Worker | undefined
  let isReady = false
  let isClosed = false
  let lastId = 0

  const discard = (error: DbError) => {
    worker = undefined
    isReady = false
    slots.clear()
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
  }
  const settle = (answer: DecodeAnswer) => {
    const { frame, slot, resolve, reject } = waiting.get(answer.id)!
    waiting.delete(answer.id)
    if ('error' in answer) return reject(errorOf(answer.error))
    frame.take(answer.memory ?? frame.memory, answer.counts)
    if (answer.memory !== undefined) slots.keep(slot, frame)
    resolve({ ...answer.decoded, failures: answer.failures.map(errorOf) })
  }
  const start = () => {
    const created = startWorker(import.meta.url, 'decode', { workerData: { seed: seriesSeed } })
    // Without a request it keeps no process alive.
    created.unref()
    created.on('message', (message: DecodeAnswer | 'ready') => {
      if (created !== worker) return
      if (message === 'ready') isReady = true
      else settle(message)
    })
    created.on('error', error => {
      if (created === worker) discard(new DbError('Internal', 'the decoding thread failed', { cause: error }))
    })
    return created
  }

  return {
    decode(frame, request, encoding) {
      if (request.length < smallRequest || isClosed) return decode(frame, request, encoding)
      worker ??= start()
      if (!isReady && request.length < largeRequest) return decode(frame, request, encoding)
      frame.reserveInput(request.length).set(request)
      const task: DecodeTask = { id: ++lastId, encoding, size: request.length, ...slots.take(frame) }
      return new Promise((resolve, reject) => {
        waiting.set(task.id, { frame, slot: task.slot, resolve, reject })
        worker!.postMessage(task)
      })
    },
    async close() {
      isClosed = true
      const ended = worker
      discard(new DbError('Cancelled', 'the server stops'))
      await ended?.terminate()
    }
  }
}

/** Which frames the thread knows by a number, so that their memory need not be told with every request. */
function createSlots() {
  const known: ({ readonly frame: Frame; readonly memory: FrameMemory } | undefined)[] = []
  let next = 0
  return {
    /** How the thread is told of a frame. */
    take(frame: Frame): Pick<DecodeTask, 'slot' | 'memory'> {
      const { memory } = frame
      const found = known.findIndex(each => each?.frame === frame)
      if (found >= 0 && isSameMemory(known[found]!.memory, memory)) return { slot: found }
      if (isLarge(memory)) return { slot: undefined, memory }
      const slot = found >= 0 ? found : next++ % maxIdle
      known[slot] = { frame, memory }
      return { slot, memory }
    },
    /** A frame has got other memory from the thread. */
    keep(slot: number | undefined, frame: Frame): void {
      if (slot === undefined || known[slot]?.frame !== frame) return
      known[slot] = isLarge(frame) ? undefined : { frame, memory: frame.memory }
    },
    clear(): void {
      known.length = 0
    }
  }
}

function errorOf({ code, message, status }: ErrorNote): DbError {
  return new DbError(code, message, { status })
}
