// Decompresses content codings completely: every member of gzip, every frame of zstd. Trailing bytes that are neither are refused.
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

/** The content codings that can be decompressed. */
export const contentCodings = ['gzip', 'deflate', 'br', 'zstd'] as const
/** A content coding, as `Content-Encoding` names it. */
export type ContentCoding = (typeof contentCodings)[number]

/** Limits and names for decompressing. */
interface InflateOptions {
  /** Maximum bytes of the content, 0 for no limit. */
  readonly limit: number
  /** What to call the bytes in errors; default: `the body`. */
  readonly subject?: string
  /** Makes the error for content beyond the limit. */
  readonly tooLarge: () => unknown
  /** Cancels the work between two frames; it rejects with the signal's reason. */
  readonly signal?: AbortSignal
  /** Called about each MiB with the bytes of content so far. If it returns a promise, decompression waits for it. */
  readonly hold?: (bytes: number) => Promise<void> | undefined
}

/** The result of zlib's option `info`: the content, and the number of input bytes consumed. */
interface Unpacked {
  readonly buffer: Buffer
  readonly engine: { readonly bytesWritten: number }
}

type UnpackSync = (bytes: Uint8Array, options: ZlibOptions) => Unpacked
type Unpack = (bytes: Uint8Array, options: ZlibOptions, done: (error: Error | null, result: Unpacked) => void) => void

/** `zlib` is deflate with a mandatory header. */
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

/** Content up to this size is decompressed at once, larger content in steps of this size. */
const step = 1 << 20

/** Frames up to this size are decompressed on this thread: handing them to another costs more. */
const smallFrame = 256
/** Milliseconds after which a loop over small frames lets other work run. */
const slice = 5
const smallPart = 4096
const collectedSize = 1 << 16

/** Decompresses the bytes. Rejects with DbError `InvalidArguments` for invalid input, and with the result of `tooLarge` beyond the limit. */
export async function inflate(bytes: Uint8Array, coding: Format, options: InflateOptions): Promise<Buffer> {
  try {
    if (coding !== 'zstd') return await unpackHeld(bytes, codingOf(bytes, coding), options)
    return await inflateFrames(bytes, options)
  } catch (error) {
    throw failure(error, coding, options)
  }
}

/** Like `inflate`, without yielding: for short input, and for threads without other work. Throws instead of rejecting. */
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
  return new Pace({ signal })
}

/** Collects the content of frames; millions of small ones take no more memory than their content. */
class Content {
  readonly #limit: number
  readonly #parts: Buffer[] = []
  #length = 0
  #collected: Buffer | undefined
  #used = 0

  /** A limit of 0 means none. */
  constructor(limit: number) {
    this.#limit = limit
  }

  get length(): number {
    return this.#length
  }

  /** Bytes the next frame may have; never 0, which would mean no limit. */
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

  /** Hands over all parts. */
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

/** Decompresses the content; long content in steps that each wait for `hold`. */
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

/** Frees the memory of a part at once, because with many large bodies the garbage collector would be too late. */
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

/** In HTTP, deflate means zlib, but some clients send it without the header. */
function codingOf(bytes: Uint8Array, coding: Exclude<Format, 'zstd'>): Coding {
  if (coding !== 'deflate') return coding
  const hasHeader = bytes.length > 1 && (bytes[0]! & 0x0f) === 8 && ((bytes[0]! << 8) | bytes[1]!) % 31 === 0
  return hasHeader ? 'zlib' : 'raw'
}

function failure(error: unknown, coding: Format, options: InflateOptions): unknown {
  const { code, message } = error as NodeJS.ErrnoException
  if (error instanceof TooLarge || code === 'ERR_BUFFER_TOO_LARGE') return options.tooLarge()
  if (options.signal?.aborted === true && error === options.signal.reason) return error
  // Errors of `hold` are passed on as they are.
  if (code === undefined || (isDbError(error) && error.code !== 'InvalidArguments')) return error
  const subject = options.subject ?? 'the body'
  return new DbError('InvalidArguments', `${subject} is not valid ${coding}: ${message}`, { cause: error })
}
