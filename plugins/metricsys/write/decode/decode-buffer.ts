// The memory that a remote write request is decoded into, on the main thread or the decoding thread. Each request borrows one buffer; the next one reuses it.
import { DbError, hashKeys, hashWords, type SeriesKeys } from '../../../../core/wire/index.ts'

/** How many unused buffers are kept, and how many bytes the body of a kept one may have. */
export const maxIdle = 8
const maxIdleBytes = 16 << 20

/** The memory that the main thread and the decoding thread share. */
export interface BufferMemory {
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

/** False after any part of a buffer was replaced by a larger one. */
export function isSameMemory(a: BufferMemory, b: BufferMemory): boolean {
  return memoryNames.every(name => a[name] === b[name])
}

/** Whether the memory is too large to be kept after its request. */
export function isLarge({ body }: BufferMemory): boolean {
  return body.length > maxIdleBytes
}

/** How much of its memory a buffer uses at the moment. */
export type BufferCounts = Pick<DecodeBuffer, 'length' | 'tail' | 'keyCount' | 'samples' | 'isHashed'>

type Bytes = Uint8Array<SharedArrayBuffer>
type Numbers = Uint32Array<SharedArrayBuffer>
type Words = Int32Array<SharedArrayBuffer>

export class DecodeBuffer implements BufferMemory {
  input = bytes(1 << 16)
  /** The request as protobuf, followed by the series keys that are not contiguous in it. */
  body = bytes(1 << 16)
  /** Bytes of the request as protobuf. */
  length = 0
  /** Offset in `body` for the next of those keys. */
  tail = 0
  /** Largest number of bytes of all those keys. */
  keyLimit = Number.POSITIVE_INFINITY
  starts = numbers(1024)
  ends = numbers(1024)
  /** Hashes of the keys, four words each; set when `isHashed`. */
  hashes = words(1024 * hashWords)
  isHashed = false
  keyCount = 0
  /** Per sample: the index of its key, its time, its value. Values are copied bit by bit, so that NaN payloads stay. */
  series = numbers(1024)
  timeWords = words(2048)
  valueWords = words(2048)
  samples = 0
  /** `timeWords` as milliseconds since 1970 and `valueWords` as numbers: views of the same memory. */
  times = new BigInt64Array(this.timeWords.buffer)
  values = new Float64Array(this.valueWords.buffer)

  /** Uses the memory and the counts of another buffer. */
  take(memory: BufferMemory, counts?: BufferCounts): void {
    Object.assign(this, memory, counts)
    this.#viewWords()
  }

  /** The same memory, to be sent to another thread. */
  get memory(): BufferMemory {
    const { input, body, starts, ends, hashes, series, timeWords, valueWords } = this
    return { input, body, starts, ends, hashes, series, timeWords, valueWords }
  }

  get counts(): BufferCounts {
    const { length, tail, keyCount, samples, isHashed } = this
    return { length, tail, keyCount, samples, isHashed }
  }

  get keys(): SeriesKeys {
    const { keyCount, body, starts, ends, hashes, isHashed } = this
    return { count: keyCount, bytes: body, starts, ends, ...(isHashed && { hashes }) }
  }

  /** Resets the buffer for a request of `length` bytes of protobuf. */
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

  /** Hashes the keys with the seed of the process that stores them. */
  hash(seed: Int32Array): void {
    const size = this.keyCount * hashWords
    if (this.hashes.length < size) this.hashes = words(Math.max(size, this.hashes.length * 2))
    hashKeys(this.keys, this.hashes, seed)
    this.isHashed = true
  }

  #growSamples(): void {
    const capacity = this.series.length * 2
    this.series = grown(this.series, numbers(capacity))
    this.timeWords = grown(this.timeWords, words(capacity * 2))
    this.valueWords = grown(this.valueWords, words(capacity * 2))
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
