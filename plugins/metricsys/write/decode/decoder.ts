// Decodes requests: small ones on the main thread, large ones in the decoding thread.

import type { Worker } from 'node:worker_threads'
import { DbError, startWorker } from '../../../../core/index.ts'
import { fromPlainError, seriesSeed } from '../../../../core/wire/index.ts'
import type { DecodeAnswer, DecodeTask } from './decode.worker.ts'
import { type BufferMemory, type DecodeBuffer, isLarge, isSameMemory, maxIdle } from './decode-buffer.ts'
import type { Decoded } from './decoded.ts'
import { decode, type Encoding, statedLength } from './request.ts'

/** Bytes of a request, inflated, below which sending it to the thread costs more than decoding it here. */
const smallRequest = 1 << 15
/** Requests of at least this many bytes, inflated, wait until the thread has started; smaller ones are decoded here meanwhile. */
const largeRequest = 1 << 18

interface Decoder {
  /** Decodes a request into the buffer. Throws DbError `InvalidArguments` for what cannot be read. */
  decode(buffer: DecodeBuffer, request: Uint8Array, encoding: Encoding): Promise<Decoded>
  close(): Promise<void>
}

interface Waiting {
  readonly buffer: DecodeBuffer
  readonly slot: number | undefined
  readonly resolve: (decoded: Decoded) => void
  readonly reject: (error: unknown) => void
}

/** Starts the thread with the first request that is not small. */
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
    const { buffer, slot, resolve, reject } = waiting.get(answer.id)!
    waiting.delete(answer.id)
    if ('error' in answer) return reject(fromPlainError(answer.error))
    buffer.take(answer.memory ?? buffer.memory, answer.counts)
    if (answer.memory !== undefined) slots.keep(slot, buffer)
    resolve({ ...answer.decoded, failures: answer.failures.map(fromPlainError) })
  }
  const start = () => {
    const created = startWorker(import.meta.url, 'decode', { workerData: { seed: seriesSeed } })
    // While it has no request, the thread does not keep the process alive.
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
    decode(buffer, request, encoding) {
      if (isClosed) return decode(buffer, request, encoding)
      // What others inflate to is not known beforehand: a megabyte may come from some bytes.
      const size = isSnappy(request, encoding)
        ? Math.max(request.length, statedLength(request, encoding))
        : Number.POSITIVE_INFINITY
      if (size < smallRequest) return decode(buffer, request, encoding)
      worker ??= start()
      if (!isReady && size < largeRequest) return decode(buffer, request, encoding)
      buffer.reserveInput(request.length).set(request)
      const task: DecodeTask = { id: ++lastId, encoding, size: request.length, ...slots.take(buffer) }
      return new Promise((resolve, reject) => {
        waiting.set(task.id, { buffer, slot: task.slot, resolve, reject })
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

/** Whether it is Snappy, which states what it inflates to, also by its first bytes: of mislabelled requests the other codec is tried. */
function isSnappy(request: Uint8Array, { codec }: Encoding): boolean {
  if (codec !== 'snappy') return false
  const magic = request.length < 4 ? 0 : new DataView(request.buffer, request.byteOffset).getUint32(0, true)
  return magic !== zstdFrame && magic >>> 4 !== zstdSkippable
}

/** The first bytes of a frame of zstd, and those of a frame that readers skip without its lowest four bits. */
const [zstdFrame, zstdSkippable] = [0xfd2fb528, 0x184d2a5]

/** Numbers for buffers the thread has seen, so that their memory is sent once instead of with every request. */
function createSlots() {
  const known: ({ readonly buffer: DecodeBuffer; readonly memory: BufferMemory } | undefined)[] = []
  let next = 0
  return {
    /** The fields of a task that name a buffer. */
    take(buffer: DecodeBuffer): Pick<DecodeTask, 'slot' | 'memory'> {
      const { memory } = buffer
      const found = known.findIndex(each => each?.buffer === buffer)
      if (found >= 0 && isSameMemory(known[found]!.memory, memory)) return { slot: found }
      if (isLarge(memory)) return { slot: undefined, memory }
      const slot = found >= 0 ? found : next++ % maxIdle
      known[slot] = { buffer, memory }
      return { slot, memory }
    },
    /** Notes that the thread has replaced the memory of a buffer. */
    keep(slot: number | undefined, buffer: DecodeBuffer): void {
      if (slot === undefined || known[slot]?.buffer !== buffer) return
      known[slot] = isLarge(buffer) ? undefined : { buffer, memory: buffer.memory }
    },
    clear(): void {
      known.length = 0
    }
  }
}
