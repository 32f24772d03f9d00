// State that the readers of all kinds of points share: the body, what was found in it, and why points were left out.
import { ProtoReader } from '../../../core/wire/index.ts'
import type { NativeHistogram } from '../../services.ts'
import { AttributeReader } from './labels.ts'
import { type Metric, temporality } from './metric.ts'
import { millisecondsOf } from './number.ts'
import type { Samples } from './samples.ts'
import type { HashHalf, StartTimes } from './start-times.ts'

/** OTLP flag of a point without a value: its series ended. */
const noRecordedValue = 1
/** Largest time that queries can read. */
const maxTime = 2 ** 53

/** An exemplar that is not decoded yet. */
interface FoundExemplar {
  readonly point: number
  /** The part of its series; of a histogram that of the first bucket. */
  readonly part: number
  readonly bounds: Uint8Array | undefined
  readonly start: number
  readonly end: number
}

/** A point that is a native histogram. */
export interface FoundHistogram {
  readonly point: number
  readonly histogram: NativeHistogram
}

/** The start time of a point's series. */
interface FoundStart extends HashHalf {
  readonly point: number
  /** Milliseconds since 1970, as is the point's own time. */
  readonly start: number
  readonly time: number
}

/** The fields that all kinds of points have; the object is reused for each point. */
export class PointReader {
  readonly body: Buffer
  readonly reader: ProtoReader
  readonly attributes = new AttributeReader()
  readonly samples: Samples
  readonly histograms: FoundHistogram[] = []
  readonly exemplars: FoundExemplar[] = []
  readonly starts: FoundStart[] = []
  rejected = 0
  /** Why the first point was left out. */
  reason = ''
  readonly #startTimes: StartTimes | undefined
  attributeStart = 0
  attributeEnd = 0
  /** Attributes that are not contiguous in the body, field by field; empty where they are. */
  readonly #apart: Uint8Array[] = []
  startLow = 0
  startHigh = 0
  timeLow = 0
  timeHigh = 0
  flags = 0
  /** Start and end offsets of the point's exemplars, alternating. */
  readonly exemplarOffsets: number[] = []

  /** Samples are added to `samples`; without `startTimes` no start times are found. */
  constructor(body: Uint8Array, samples: Samples, startTimes?: StartTimes) {
    this.body = Buffer.from(body.buffer, body.byteOffset, body.length)
    this.reader = new ProtoReader(body)
    this.samples = samples
    this.#startTimes = startTimes
  }

  get isStale(): boolean {
    return (this.flags & noRecordedValue) !== 0
  }

  begin(): void {
    this.attributeStart = this.attributeEnd = 0
    this.#apart.length = 0
    this.startLow = this.startHigh = this.timeLow = this.timeHigh = this.flags = 0
    this.exemplarOffsets.length = 0
  }

  /** Takes the attribute in the reader's field, which began at `start`. */
  takeAttribute(fieldStart: number): void {
    const { reader } = this
    reader.skip()
    const { at } = reader
    const apart = this.#apart
    if (this.attributeEnd === 0) this.attributeStart = fieldStart
    else if (apart.length > 0 || this.attributeEnd !== fieldStart) {
      if (apart.length === 0) apart.push(reader.bytes.subarray(this.attributeStart, this.attributeEnd))
      apart.push(reader.bytes.subarray(fieldStart, at))
    }
    this.attributeEnd = at
  }

  takeStart(): void {
    const at = this.#words()
    this.startLow = this.reader.view.getUint32(at, true)
    this.startHigh = this.reader.view.getUint32(at + 4, true)
  }

  takeTime(): void {
    const at = this.#words()
    this.timeLow = this.reader.view.getUint32(at, true)
    this.timeHigh = this.reader.view.getUint32(at + 4, true)
  }

  takeExemplar(): void {
    this.exemplarOffsets.push(this.reader.pass(), this.reader.at)
  }

  /** Adds the point that was read; samples follow. Undefined for a point without a time. */
  add(metric: Metric): number | undefined {
    const { timeLow, timeHigh, reader } = this
    if (timeLow === 0 && timeHigh === 0) {
      this.reject(`metric ${metric.metadata.metric}: a point has no time`)
      return undefined
    }
    const time = millisecondsOf(timeLow, timeHigh)
    if (time >= maxTime) {
      this.reject(`metric ${metric.metadata.metric}: the time of a point is too far`)
      return undefined
    }
    const joined = this.#apart.length === 0 ? undefined : new Uint8Array(Buffer.concat(this.#apart))
    const point = this.samples.addPoint(metric, time, reader.view, this.attributeStart, this.attributeEnd, joined)
    if (this.startLow !== 0 || this.startHigh !== 0) this.#noteStart(metric, point, time)
    return point
  }

  addExemplars(point: number, part: number, bounds?: Uint8Array): void {
    const offsets = this.exemplarOffsets
    for (let i = 0; i < offsets.length; i += 2) {
      this.exemplars.push({ point, part, bounds, start: offsets[i]!, end: offsets[i + 1]! })
    }
  }

  reject(reason: string, points = 1): void {
    this.note(reason)
    this.rejected += points
  }

  /** Counts points that were left out; the first reason is reported. */
  note(reason: string): void {
    if (this.reason === '') this.reason = reason
  }

  #noteStart(metric: Metric, point: number, time: number): void {
    const { startLow, startHigh, samples } = this
    // Delta points have another start each.
    if (this.#startTimes === undefined || metric.kind.temporality === temporality.delta || !metric.counts) return
    if (!this.#startTimes.isNew(samples.hash, metric.id, startLow | 0, startHigh | 0)) return
    const { a, b } = samples.hash
    this.starts.push({ a, b, point, start: millisecondsOf(startLow, startHigh), time })
  }

  #words(): number {
    const { reader } = this
    reader.expect(1)
    const { at } = reader
    reader.skip()
    return at
  }
}
