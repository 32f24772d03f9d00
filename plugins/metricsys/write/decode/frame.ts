// The memory one remote write request is decoded into, in whatever thread: lent for the time of the request and used again by the next.
import { DbError, hashKeys, hashWords, type SeriesKeys } from '../../../../core/wire/index.ts'

/** Frames kept for later, and the largest body buffer such a one may have. */
export const maxIdle = 8
const maxIdleBytes = 16 << 20

/** What the server's thread and the decoding one share. */
export interface FrameMemory {
  /** The request as it was sent. */
  readonly input: Bytes
  readonly body: Bytes
  readonly starts: Numbers
  readonly ends: Numbers
  readonly hashes: Words
  readonly series: Numbers
  readonly timeWords: Words
  readonly valueWords: Words
}

const memoryNames = ['input', 'body', 'starts', 'ends', 'hashes', 'series', 'timeWords', 'valueWords'] as const

/** A frame has other memory as soon as one part of it was too small. */
export function isSameMemory(a: FrameMemory, b: FrameMemory): boolean {
  return memoryNames.every(name => a[name] === b[name])
}

/** Such memory is let go after its request. */
export function isLarge({ body }: FrameMemory): boolean {
  return body.length > maxIdleBytes
}

/** What a frame holds at the moment, besides its memory. */
export type FrameCounts = Pick<Frame, 'length' | 'tail' | 'keyCount' | 'samples' | 'isHashed'>

type Bytes = Uint8Array<SharedArrayBuffer>
type Numbers = Uint32Array<SharedArrayBuffer>
type Words = Int32Array<SharedArrayBuffer>

export class Frame implements FrameMemory {
  input = bytes(1 << 16)
  /** The request as protobuf, and behind it the keys that do not stand in it as they are. */
  body = bytes(1 << 16)
  /** Bytes of the request as protobuf. */
  length = 0
  /** Where the next of those keys begins. */
  tail = 0
  /** Bytes that all of them may have. */
  keyLimit = Number.POSITIVE_INFINITY
  starts = numbers(1024)
  ends = numbers(1024)
  /** Of the keys, four words each, when `isHashed`. */
  hashes = words(1024 * hashWords)
  isHashed = false
  keyCount = 0
  /** Of each sample: its key, its time and its number; the bits of a number pass untouched. */
  series = numbers(1024)
  timeWords = words(2048)
  valueWords = words(2048)
  samples = 0
  /** The same memory as the words, milliseconds since 1970 and numbers. */
  times = new BigInt64Array(this.timeWords.buffer)
  values = new Float64Array(this.valueWords.buffer)

  /** Takes the memory another frame has by now, and what is in it. */
  take(memory: FrameMemory, counts?: FrameCounts): void {
    Object.assign(this, memory, counts)
    this.#viewWords()
  }

  /** The same memory, to be sent to another thread. */
  get memory(): FrameMemory {
    const { input, body, starts, ends, hashes, series, timeWords, valueWords } = this
    return { input, body, starts, ends, hashes, series, timeWords, valueWords }
  }

  get counts(): FrameCounts {
    const { length, tail, keyCount, samples, isHashed } = this
    return { length, tail, keyCount, samples, isHashed }
  }

  get keys(): SeriesKeys {
    const { keyCount, body, starts, ends, hashes, isHashed } = this
    return { count: keyCount, bytes: body, starts, ends, ...(isHashed && { hashes }) }
  }

  /** Forgets the request before; the content of the next one has this many bytes. */
  begin(length: number): void {
    this.length = length
    this.tail = length
    this.keyCount = 0
    this.samples = 0
    this.isHashed = false
    this.keyLimit = Number.POSITIVE_INFINITY
  }

  /** Room for a request of this many bytes as it is sent. */
  reserveInput(size: number): Bytes {
    if (this.input.length < size) this.input = bytes(Math.max(size, this.input.length * 2))
    return this.input
  }

  /** Room for a body of this many bytes. */
  reserveBody(size: number): Bytes {
    if (this.body.length < size) this.body = bytes(Math.max(size, this.body.length * 2))
    return this.body
  }

  /**
   * Room for a key of this many bytes behind the body; returns where it begins. `body` may be another one afterwards. Throws DbError
   * `InvalidArguments` with status 413 where all keys together are longer than they may be.
   */
  reserveKey(size: number): number {
    const start = this.tail
    this.tail += size
    if (this.tail - this.length > this.keyLimit) {
      const reason = `the labels of its series, written out, take more than ${this.keyLimit} bytes (http.body_limit)`
      throw new DbError('InvalidArguments', `the request is too large: ${reason}`, { status: 413 })
    }
    if (this.tail > this.body.length) {
      const body = bytes(this.tail * 2)
      body.set(this.body.subarray(0, start))
      this.body = body
    }
    return start
  }

  /** One more series; its key are these bytes of `body`. */
  addKey(start: number, end: number): void {
    const i = this.keyCount++
    if (i === this.starts.length) {
      this.starts = grown(this.starts, numbers(i * 2))
      this.ends = grown(this.ends, numbers(i * 2))
    }
    this.starts[i] = start
    this.ends[i] = end
  }

  /** One more sample of the series that will be added next, by the words of its number and time. */
  addSample(valueLow: number, valueHigh: number, timeLow: number, timeHigh: number): void {
    const i = this.samples++
    if (i === this.series.length) this.#growSamples()
    this.series[i] = this.keyCount
    this.valueWords[2 * i] = valueLow
    this.valueWords[2 * i + 1] = valueHigh
    this.timeWords[2 * i] = timeLow
    this.timeWords[2 * i + 1] = timeHigh
  }

  /** Hashes the keys for the process with this seed. */
  hash(seed: Int32Array): void {
    const size = this.keyCount * hashWords
    if (this.hashes.length < size) this.hashes = words(Math.max(size, this.hashes.length * 2))
    hashKeys(this.keys, this.hashes, seed)
    this.isHashed = true
  }

  #growSamples(): void {
    const room = this.series.length * 2
    this.series = grown(this.series, numbers(room))
    this.timeWords = grown(this.timeWords, words(room * 2))
    this.valueWords = grown(this.valueWords, words(room * 2))
    this.#viewWords()
  }

  #viewWords(): void {
    this.times = new BigInt64Array(this.timeWords.buffer)
    this.values = new Float64Array(this.valueWords.buffer)
  }
}

function bytes(size: number): Bytes {
  return new Uint8Array(new SharedArrayBuffer(size))
}

function numbers(size: number): Numbers {
  return new Uint32Array(new SharedArrayBuffer(size * 4))
}

function words(size: number): Words {
  return new Int32Array(new SharedArrayBuffer(size * 4))
}

function grown<T extends Numbers | Words>(from: T, to: T): T {
  to.set(from)
  return to
}

export class Frames {
  readonly #idle: Frame[] = []

  /** Runs work with a frame of its own, which must not be used after it. */
  async use<T>(work: (frame: Frame) => Promise<T>): Promise<T> {
    const frame = this.#idle.pop() ?? new Frame()
    try {
      return await work(frame)
    } finally {
      if (this.#idle.length < maxIdle && !isLarge(frame)) this.#idle.push(frame)
    }
  }
}
