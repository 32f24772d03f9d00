// A point of a histogram: its sum, its count, and for each bound how many observations lie at or below it.
import { type ProtoReader, wireType } from '../../../core/wire/index.ts'
import { type Metric, part } from './metric.ts'
import { staleHigh, staleLow } from './number.ts'
import type { PointReader } from './point-reader.ts'

const field = {
  start: 2,
  time: 3,
  count: 4,
  sum: 5,
  counts: 6,
  bounds: 7,
  exemplar: 8,
  attributes: 9,
  flags: 10
} as const

/** Contiguous 8-byte words. */
interface Words {
  bytes: Uint8Array
  start: number
  end: number
  /** Whether `bytes` is a copy, made because the words were not contiguous in the body. */
  isCopy: boolean
}

/** Reads the message the reader has entered. */
export function readHistogramPoint(points: PointReader, metric: Metric): void {
  const { reader, samples } = points
  const counts: Words = { bytes: reader.bytes, start: 0, end: 0, isCopy: false }
  const bounds: Words = { bytes: reader.bytes, start: 0, end: 0, isCopy: false }
  let count = 0
  let sum: number | undefined
  points.begin()
  for (let start = reader.at; reader.next(); start = reader.at) {
    if (reader.field === field.start) points.takeStart()
    else if (reader.field === field.time) points.takeTime()
    else if (reader.field === field.count) count = integerAt(reader, fixed(reader))
    else if (reader.field === field.sum) sum = reader.view.getFloat64(fixed(reader), true)
    else if (reader.field === field.counts) takeWords(reader, counts)
    else if (reader.field === field.bounds) takeWords(reader, bounds)
    else if (reader.field === field.exemplar) points.takeExemplar()
    else if (reader.field === field.attributes) points.takeAttribute(start)
    else if (reader.field === field.flags) points.flags = reader.uint()
    else reader.skip()
  }
  const buckets = (counts.end - counts.start) >> 3
  const expected = ((bounds.end - bounds.start) >> 3) + 1
  const { isStale } = points
  if (buckets !== expected && !(buckets === 0 && (expected === 1 || isStale))) {
    const name = metric.metadata.metric
    points.reject(`metric ${name}: a point has ${buckets} buckets, its bounds make ${expected}`)
    return
  }
  const first = expected === 1 && buckets === 0 ? undefined : metric.buckets(bounds.bytes, bounds.start, bounds.end)
  if (first === undefined && (buckets > 0 || expected > 1)) {
    points.reject(`metric ${metric.metadata.metric}: the bounds of a point's buckets do not ascend`)
    return
  }
  const point = points.add(metric)
  if (point === undefined) return
  if (isStale) addStale(points, first === undefined ? 0 : first, first === undefined ? 0 : expected)
  else {
    if (sum !== undefined) samples.addNumber(part.sum, sum)
    samples.addNumber(part.count, count)
    if (first !== undefined) addBuckets(points, first, counts, count)
  }
  if (points.exemplarOffsets.length > 0) {
    points.addExemplars(
      point,
      first ?? part.count,
      first === undefined ? undefined : bounds.bytes.subarray(bounds.start, bounds.end)
    )
  }
}

/** Makes bucket counts cumulative; the last one is the count of the histogram. */
function addBuckets({ samples }: PointReader, first: number, counts: Words, count: number): void {
  const view = new DataView(counts.bytes.buffer, counts.bytes.byteOffset, counts.bytes.byteLength)
  const last = ((counts.end - counts.start) >> 3) - 1
  let total = 0
  for (let i = 0; i < last; i++) {
    const at = counts.start + i * 8
    total += view.getUint32(at, true) + view.getUint32(at + 4, true) * 4294967296
    samples.addNumber(first + i, total)
  }
  samples.addNumber(first + last, count)
}

function addStale({ samples }: PointReader, first: number, buckets: number): void {
  samples.addBits(part.sum, staleLow, staleHigh)
  samples.addBits(part.count, staleLow, staleHigh)
  for (let i = 0; i < buckets; i++) samples.addBits(first + i, staleLow, staleHigh)
}

/** Reads a packed field, or one element of an unpacked one. */
function takeWords(reader: ProtoReader, words: Words): void {
  const start = reader.type === wireType.bytes ? reader.pass() : fixed(reader)
  const { at, bytes } = reader
  if ((at - start) % 8 !== 0) throw reader.error('a list of numbers of 8 bytes has another length')
  if (words.end === words.start) Object.assign(words, { start, end: at })
  else append(words, bytes.subarray(start, at))
}

function append(words: Words, more: Uint8Array): void {
  const { bytes, start, end, isCopy } = words
  const length = end - start
  if (!isCopy || end + more.length > bytes.length) {
    const grown = Buffer.allocUnsafeSlow((length + more.length) * 2)
    grown.set(bytes.subarray(start, end))
    Object.assign(words, { bytes: grown, start: 0, end: length, isCopy: true })
  }
  words.bytes.set(more, words.end)
  words.end += more.length
}

/** Skips a field of 8 bytes; returns its offset. */
export function fixed(reader: ProtoReader): number {
  reader.expect(wireType.fixed64)
  const { at } = reader
  reader.skip()
  return at
}

export function integerAt({ view }: ProtoReader, at: number): number {
  return view.getUint32(at, true) + view.getUint32(at + 4, true) * 4294967296
}
