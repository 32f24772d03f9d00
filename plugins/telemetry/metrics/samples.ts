// Series keys and samples of a request, in memory that each request borrows and the next one reuses.
import { KeyHash, type SeriesKeys } from '../../../core/wire/index.ts'
import type { Metric } from './metric.ts'

/** Words of a key: 128 bits of the point's attributes, the metric, the part. */
const keyWords = 6
const keyBytes = keyWords * 4
const initialCapacity = 1024
/** The largest number of samples whose memory is kept for a later request. */
const maxIdleSamples = 1 << 19

export class Samples {
  count = 0
  /** One key per sample, because points of a request seldom share a series. */
  #keys = new Int32Array(initialCapacity * keyWords)
  #starts = numbers(initialCapacity, i => i * keyBytes)
  #ends = numbers(initialCapacity, i => (i + 1) * keyBytes)
  series = numbers(initialCapacity, i => i)
  #times = new Int32Array(initialCapacity * 2)
  #values = new Int32Array(initialCapacity * 2)
  #doubles = new Float64Array(this.#values.buffer)
  /** Of each sample: its point. */
  points = new Uint32Array(initialCapacity)
  /** Of each point: its metric and attributes. */
  pointCount = 0
  metrics: Metric[] = []
  attributeStarts = new Uint32Array(initialCapacity)
  attributeEnds = new Uint32Array(initialCapacity)
  /** Milliseconds since 1970. */
  pointTimes = new Float64Array(initialCapacity)
  /** Attributes that are not contiguous in the body, by point. */
  readonly joined = new Map<number, Uint8Array>()
  /** Of the attributes of the last point. */
  readonly hash = new KeyHash()
  #metric = 0
  #timeLow = 0
  #timeHigh = 0

  get keys(): SeriesKeys {
    const bytes = new Uint8Array(this.#keys.buffer, 0, this.count * keyBytes)
    return { count: this.count, bytes, starts: this.#starts, ends: this.#ends }
  }

  /** Milliseconds since 1970. */
  get times(): BigInt64Array {
    return new BigInt64Array(this.#times.buffer)
  }

  get values(): Float64Array {
    return this.#doubles
  }

  /** The part of a sample. */
  partOf(i: number): number {
    return this.#keys[i * keyWords + 5]!
  }

  /** Whether there is more memory than is kept for a later request. */
  get isLarge(): boolean {
    return this.series.length > maxIdleSamples
  }

  /** Makes it ready for the next request. */
  clear(): void {
    this.count = 0
    this.pointCount = 0
    this.metrics = []
    this.joined.clear()
  }

  /** One more point, whose samples follow; its attributes are fields between two offsets of the body, or `joined`. */
  addPoint(
    metric: Metric,
    milliseconds: number,
    view: DataView,
    start: number,
    end: number,
    joined?: Uint8Array
  ): number {
    const point = this.pointCount++
    if (point === this.attributeStarts.length) this.#growPoints()
    this.#metric = metric.id
    this.#timeLow = milliseconds | 0
    this.#timeHigh = Math.floor(milliseconds / 4294967296)
    this.metrics.push(metric)
    this.attributeStarts[point] = start
    this.attributeEnds[point] = end
    this.pointTimes[point] = milliseconds
    if (joined === undefined) this.hash.of(view, start, end)
    else {
      this.joined.set(point, joined)
      this.hash.of(new DataView(joined.buffer, joined.byteOffset, joined.length), 0, joined.length)
    }
    return point
  }

  /** Adds a sample with the bits of its value. */
  addBits(part: number, low: number, high: number): void {
    const i = this.#add(part)
    this.#values[i * 2] = low
    this.#values[i * 2 + 1] = high
  }

  addNumber(part: number, value: number): void {
    const i = this.#add(part)
    this.#doubles[i] = value
  }

  #add(part: number): number {
    const i = this.count++
    if (i === this.series.length) this.#grow()
    const { hash } = this
    const keys = this.#keys
    const at = i * keyWords
    keys[at] = hash.a
    keys[at + 1] = hash.b
    keys[at + 2] = hash.c
    keys[at + 3] = hash.d
    keys[at + 4] = this.#metric
    keys[at + 5] = part
    this.#times[i * 2] = this.#timeLow
    this.#times[i * 2 + 1] = this.#timeHigh
    this.points[i] = this.pointCount - 1
    return i
  }

  #grow(): void {
    const capacity = this.series.length * 2
    this.#starts = numbers(capacity, i => i * keyBytes)
    this.#ends = numbers(capacity, i => (i + 1) * keyBytes)
    this.series = numbers(capacity, i => i)
    this.#keys = grown(this.#keys, new Int32Array(capacity * keyWords))
    this.#times = grown(this.#times, new Int32Array(capacity * 2))
    this.#values = grown(this.#values, new Int32Array(capacity * 2))
    this.#doubles = new Float64Array(this.#values.buffer)
    this.points = grown(this.points, new Uint32Array(capacity))
  }

  #growPoints(): void {
    const capacity = this.attributeStarts.length * 2
    this.attributeStarts = grown(this.attributeStarts, new Uint32Array(capacity))
    this.attributeEnds = grown(this.attributeEnds, new Uint32Array(capacity))
    this.pointTimes = grown(this.pointTimes, new Float64Array(capacity))
  }
}

function numbers(count: number, of: (i: number) => number): Uint32Array<ArrayBuffer> {
  const array = new Uint32Array(count)
  for (let i = 0; i < count; i++) array[i] = of(i)
  return array
}

function grown<T extends Uint32Array<ArrayBuffer> | Int32Array<ArrayBuffer> | Float64Array<ArrayBuffer>>(
  from: T,
  to: T
): T {
  to.set(from)
  return to
}
