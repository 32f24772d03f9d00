// Undoes content codings to the last byte: every member of gzip, every frame of zstd; what is behind the end and none is refused.
import {
  brotliDecompress,
  brotliDecompressSync,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
  gunzip,
  gunzipSync,
  inflateRaw,
  inflateRawSync,
  inflate as inflateZlib,
  inflateSync as inflateZlibSync,
  type ZlibOptions,
  zstdDecompress,
  zstdDecompressSync
} from 'node:zlib'
import { DbError, isDbError } from '../errors.ts'
import { eachPaced, joinPaced, Pace } from '../pace.ts'
import { zstdFrames } from './zstd-frames.ts'

export const contentCodings = ['gzip', 'deflate', 'br', 'zstd'] as const
export type ContentCoding = (typeof contentCodings)[number]

export interface InflateOptions {
  /** Bytes the content may have, 0 for any number. */
  readonly limit: number
  /** What the bytes are called in errors, `the body` where it is left out. */
  readonly subject?: string
  /** Makes what is thrown beyond the limit. */
  readonly tooLarge: () => unknown
  /** Ends the work between two frames, rejecting with its reason. */
  readonly signal?: AbortSignal
  /** Told how many bytes the content has so far, about each MiB; no more is inflated until it resolves. Undefined: go on. */
  readonly hold?: (bytes: number) => Promise<void> | undefined
}

/** What the runtime tells with the option `info`: the content, and how many bytes of the input it took. */
interface Unpacked {
  readonly buffer: Buffer
  readonly engine: { readonly bytesWritten: number }
}

type UnpackSync = (bytes: Uint8Array, options: ZlibOptions) => Unpacked
type Unpack = (bytes: Uint8Array, options: ZlibOptions, done: (error: Error | null, result: Unpacked) => void) => void

/** `zlib` is deflate that must have its header. */
type Format = ContentCoding | 'zlib'
type Coding = Exclude<Format, 'deflate'> | 'raw'

const unpackers = {
  gzip: gunzip,
  zlib: inflateZlib,
  raw: inflateRaw,
  br: brotliDecompress,
  zstd: zstdDecompress
} as unknown as Readonly<Record<Coding, Unpack>>

const syncUnpackers = {
  gzip: gunzipSync,
  zlib: inflateZlibSync,
  raw: inflateRawSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync
} as unknown as Readonly<Record<Coding, UnpackSync>>

type Stepwise = AsyncIterable<Buffer> & {
  end(bytes: Uint8Array): unknown
  destroy(): unknown
  readonly bytesWritten: number
}

const stepwise: Readonly<Record<Coding, (options: { readonly chunkSize: number }) => Stepwise>> = {
  gzip: createGunzip,
  zlib: createInflate,
  raw: createInflateRaw,
  br: createBrotliDecompress,
  zstd: createZstdDecompress
}

/** Content up to this size is inflated at once, the rest in steps of as much. */
const step = 1 << 20

/** Frames up to this size are undone at once: the way to another thread costs more, and they cannot become large. */
const smallFrame = 256
/** Milliseconds after which many small frames let others have their turn. */
const slice = 5
const smallPart = 4096
const collectedSize = 1 << 16

/**
 * The content of the bytes. Rejects with DbError `InvalidArguments` for what is not valid, and with what `tooLarge` makes beyond the
 * limit.
 */
export async function inflate(bytes: Uint8Array, coding: Format, options: InflateOptions): Promise<Buffer> {
  try {
    if (coding !== 'zstd') return await unpackHeld(bytes, codingOf(bytes, coding), options)
    return await inflateFrames(bytes, options)
  } catch (error) {
    throw failure(error, coding, options)
  }
}

/** The same at once, for texts that are short or for threads that have nothing else to do. */
export function inflateSync(bytes: Uint8Array, coding: Format, options: InflateOptions): Buffer {
  try {
    if (coding !== 'zstd') return unpackWholeSync(bytes, codingOf(bytes, coding), options.limit)
    const content = new Content(options.limit)
    for (const { start, end } of zstdFrames(bytes)) {
      content.add(unpackWholeSync(bytes.subarray(start, end), 'zstd', content.left))
    }
    return Buffer.concat(content.take(), content.length)
  } catch (error) {
    throw failure(error, coding, options)
  }
}

async function inflateFrames(bytes: Uint8Array, options: InflateOptions): Promise<Buffer> {
  const content = new Content(options.limit)
  let paused = performance.now()
  for (const { start, end } of zstdFrames(bytes)) {
    if (end - start === bytes.length) return unpackHeld(bytes, 'zstd', options)
    options.signal?.throwIfAborted()
    const frame = bytes.subarray(start, end)
    const before = content.length
    const hold = options.hold && ((size: number) => options.hold!(before + size))
    if (frame.length > smallFrame)
      content.add(await unpackHeld(frame, 'zstd', { ...options, limit: content.left, ...(hold && { hold }) }))
    else content.add(unpackWholeSync(frame, 'zstd', content.left))
    const memory = options.hold?.(content.length)
    if (memory !== undefined) await memory
    if (performance.now() - paused > slice) {
      await new Promise(setImmediate)
      paused = performance.now()
    }
  }
  return joinPaced(paceOf(options), content.take(), content.length)
}

function paceOf({ signal }: InflateOptions): Pace {
  return new Pace(signal)
}

/** The content of frames, as it grows. Millions of small ones do not take more memory than what is in them. */
class Content {
  readonly #limit: number
  readonly #parts: Buffer[] = []
  #length = 0
  #collected: Buffer | undefined
  #used = 0

  /** A limit of 0 is none. */
  constructor(limit: number) {
    this.#limit = limit
  }

  get length(): number {
    return this.#length
  }

  /** Bytes the next frame may have; never 0, which would mean any number. */
  get left(): number {
    return this.#limit > 0 ? Math.max(1, this.#limit - this.#length) : 0
  }

  add(part: Buffer): void {
    this.#length += part.length
    if (this.#limit > 0 && this.#length > this.#limit) throw new TooLarge()
    if (part.length > smallPart) {
      this.#seal()
      this.#parts.push(part)
      return
    }
    if (this.#collected === undefined || this.#used + part.length > collectedSize) {
      this.#seal()
      this.#collected = Buffer.allocUnsafe(collectedSize)
    }
    this.#used += part.copy(this.#collected, this.#used)
  }

  /** All of it, part by part. */
  take(): readonly Buffer[] {
    this.#seal()
    return this.#parts
  }

  #seal(): void {
    if (this.#collected !== undefined) this.#parts.push(this.#collected.subarray(0, this.#used))
    this.#collected = undefined
    this.#used = 0
  }
}

class TooLarge extends Error {}

/** The content, long ones in steps that each wait for `hold`. */
async function unpackHeld(bytes: Uint8Array, coding: Coding, options: InflateOptions): Promise<Buffer> {
  const { limit, hold } = options
  if (hold === undefined || (limit > 0 && limit <= step)) {
    const content = await unpackWhole(bytes, coding, limit)
    await hold?.(content.length)
    return content
  }
  try {
    const content = await unpackWhole(bytes, coding, step)
    await hold(content.length)
    return content
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_BUFFER_TOO_LARGE') throw error
  }
  return unpackStepwise(bytes, coding, options)
}

async function unpackStepwise(bytes: Uint8Array, coding: Coding, options: InflateOptions): Promise<Buffer> {
  const { limit, hold } = options
  const engine = stepwise[coding]({ chunkSize: step })
  const parts: Buffer[] = []
  let length = 0
  try {
    engine.end(bytes)
    for await (const part of engine) {
      length += part.length
      if (limit > 0 && length > limit) throw new TooLarge()
      parts.push(part)
      const memory = hold?.(length)
      if (memory !== undefined) await memory
    }
    return complete(bytes, { buffer: await joinPaced(paceOf(options), parts, length), engine })
  } finally {
    engine.destroy()
    if (parts.length > 1) await eachPaced(new Pace(), parts, giveBack)
  }
}

/** Memory that nobody reads any more, where it is a part's own: many large bodies would come before it is collected. */
function giveBack({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}

function unpackWhole(bytes: Uint8Array, coding: Coding, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    unpackers[coding](bytes, zlibOptions(bytes, limit), (error, result) => {
      if (error !== null) return reject(error)
      try {
        resolve(complete(bytes, result))
      } catch (behind) {
        reject(behind)
      }
    })
  })
}

function unpackWholeSync(bytes: Uint8Array, coding: Coding, limit: number): Buffer {
  return complete(bytes, syncUnpackers[coding](bytes, zlibOptions(bytes, limit)))
}

function zlibOptions(bytes: Uint8Array, limit: number): ZlibOptions {
  const chunkSize = Math.min(1 << 20, Math.max(1 << 10, bytes.length * 4))
  return { info: true, chunkSize, ...(limit > 0 && { maxOutputLength: limit }) }
}

function complete(bytes: Uint8Array, { buffer, engine }: Unpacked): Buffer {
  const behind = bytes.length - engine.bytesWritten
  if (behind > 0) {
    throw new DbError('InvalidArguments', `${behind} bytes follow its end at offset ${engine.bytesWritten}`)
  }
  return buffer
}

/** HTTP means zlib by deflate, and some send it without its header. */
function codingOf(bytes: Uint8Array, coding: Exclude<Format, 'zstd'>): Coding {
  if (coding !== 'deflate') return coding
  const hasHeader = bytes.length > 1 && (bytes[0]! & 0x0f) === 8 && ((bytes[0]! << 8) | bytes[1]!) % 31 === 0
  return hasHeader ? 'zlib' : 'raw'
}

function failure(error: unknown, coding: Format, options: InflateOptions): unknown {
  const { code, message } = error as NodeJS.ErrnoException
  if (error instanceof TooLarge || code === 'ERR_BUFFER_TOO_LARGE') return options.tooLarge()
  if (options.signal?.aborted === true && error === options.signal.reason) return error
  // What `hold` rejects with is not the content's fault.
  if (code === undefined || (isDbError(error) && error.code !== 'InvalidArguments')) return error
  const subject = options.subject ?? 'the body'
  return new DbError('InvalidArguments', `${subject} is not valid ${coding}: ${message}`, { cause: error })
}
