// The memory one remote write request is decoded into, lent for the time of the request and used again by the next.
import type { SeriesKeys } from '../../../core/index.ts'

/** Frames kept for later, and the largest body buffer such a one may have. */
const mostIdle = 8
const largestIdle = 16 << 20

export class Frame {
  /** The request as protobuf, and behind it the keys that do not stand in it as they are. */
  body: Uint8Array = new Uint8Array(1 << 16)
  /** Where the next of those keys begins. */
  tail = 0
  starts = new Uint32Array(1024)
  ends = new Uint32Array(1024)
  keyCount = 0
  /** Of each sample: its key, its time and its number. */
  series = new Uint32Array(1024)
  times = new BigInt64Array(1024)
  values = new Float64Array(1024)
  samples = 0
  /** The same memory as `times` and `values`: the bits of a number pass untouched. */
  timeWords = new Int32Array(this.times.buffer)
  valueWords = new Int32Array(this.values.buffer)

  /** Forgets the request before; the content of the next one has this many bytes. */
  begin(length: number): void {
    this.tail = length
    this.keyCount = 0
    this.samples = 0
  }

  /** Room for a body of this many bytes. */
  reserveBody(bytes: number): Uint8Array {
    if (this.body.length < bytes) this.body = new Uint8Array(Math.max(bytes, this.body.length * 2))
    return this.body
  }

  get keys(): SeriesKeys {
    return { count: this.keyCount, bytes: this.body, starts: this.starts, ends: this.ends }
  }

  /** Room for a key of this many bytes behind the body; returns where it begins. `body` may be another one afterwards. */
  reserveKey(bytes: number): number {
    const start = this.tail
    this.tail += bytes
    if (this.tail > this.body.length) {
      const body = new Uint8Array(this.tail * 2)
      body.set(this.body.subarray(0, start))
      this.body = body
    }
    return start
  }

  /** One more series; its key are these bytes of `body`. */
  addKey(start: number, end: number): void {
    const i = this.keyCount++
    if (i === this.starts.length) {
      this.starts = grown(this.starts, new Uint32Array(i * 2))
      this.ends = grown(this.ends, new Uint32Array(i * 2))
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

  #growSamples(): void {
    const room = this.series.length * 2
    this.series = grown(this.series, new Uint32Array(room))
    this.timeWords = grown(this.timeWords, new Int32Array(room * 2))
    this.valueWords = grown(this.valueWords, new Int32Array(room * 2))
    this.times = new BigInt64Array(this.timeWords.buffer)
    this.values = new Float64Array(this.valueWords.buffer)
  }
}

function grown<T extends Uint32Array<ArrayBuffer> | Int32Array<ArrayBuffer>>(from: T, to: T): T {
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
      if (this.#idle.length < mostIdle && frame.body.length <= largestIdle) this.#idle.push(frame)
    }
  }
}
