// Remote write 1.0: `WriteRequest` into a frame. The labels of a series are not read, only found: their bytes are its key.
import { ProtoReader } from '../../../../core/wire/index.ts'
import { type Decoded, metricTypes, nothingDecoded, type Range } from './decoded.ts'
import type { Frame } from './frame.ts'
import { readSample } from './sample.ts'

const request = { series: 1, metadata: 3 } as const
const series = { labels: 1, samples: 2, exemplars: 3, histograms: 4 } as const

/** Reads the request in `frame.body`. Throws DbError `InvalidArguments` with the offset of what is no protobuf. */
export function decodeV1(frame: Frame, length: number): Decoded {
  frame.begin(length)
  const decoded = nothingDecoded()
  const reader = new ProtoReader(frame.body, 0, length)
  while (reader.next()) {
    if (reader.field === request.series) readSeries(frame, reader, decoded)
    else if (reader.field === request.metadata) decoded.metadata.push(readMetadata(reader.message()))
    else reader.skip()
  }
  return decoded
}

/** Labels first, then samples, lengths below 128: what senders make is read here, the rest field by field. */
function readSeries(frame: Frame, reader: ProtoReader, decoded: Decoded): void {
  const start = reader.pass()
  const end = reader.at
  const { bytes } = reader
  let at = start
  while (at < end && bytes[at] === 0x0a && bytes[at + 1]! < 128) at += 2 + bytes[at + 1]!
  const labelsEnd = at
  const before = frame.samples
  while (at < end && bytes[at] === 0x12 && bytes[at + 1]! < 128) {
    const from = at + 2
    at = from + bytes[at + 1]!
    if (at > end) break
    readSample(frame, reader, from, at)
  }
  if (at === end) {
    if (frame.samples > before) frame.addKey(start, labelsEnd)
    return
  }
  frame.samples = before
  readFields(frame, new ProtoReader(bytes, start, end), decoded)
}

/** Fields in any order. */
function readFields(frame: Frame, reader: ProtoReader, decoded: Decoded): void {
  const labels: Range[] = []
  const exemplars: ProtoReader[] = []
  const histograms: Range[] = []
  const before = frame.samples
  for (let start = reader.at; reader.next(); start = reader.at) {
    if (reader.field === series.labels) {
      reader.expect(2)
      reader.skip()
      labels.push({ start, end: reader.at })
    } else if (reader.field === series.samples) {
      const from = reader.pass()
      readSample(frame, reader, from, reader.at)
    } else if (reader.field === series.exemplars) exemplars.push(reader.message())
    else if (reader.field === series.histograms) histograms.push({ start: reader.pass(), end: reader.at })
    else reader.skip()
  }
  const used = frame.samples > before || exemplars.length > 0 || histograms.length > 0
  if (!used) return
  const key = joined(frame, labels)
  for (const message of exemplars) decoded.exemplars.push({ key, ...readExemplar(frame, message) })
  for (const message of histograms) decoded.histograms.push({ key, message })
  if (frame.samples > before) frame.addKey(key.start, key.end)
}

function readExemplar(frame: Frame, reader: ProtoReader) {
  const labels: Range[] = []
  let value = 0
  let time = 0n
  for (let start = reader.at; reader.next(); start = reader.at) {
    if (reader.field === 2) {
      reader.expect(1)
      value = reader.double()
    } else if (reader.field === 3) {
      reader.expect(0)
      time = reader.int64()
    } else {
      const isLabel = reader.field === 1
      reader.skip()
      if (isLabel) labels.push({ start, end: reader.at })
    }
  }
  return { labels: joined(frame, labels), value, time }
}

/** The labels as one range: as they stand when nothing lies between them, else copied behind the body. */
function joined(frame: Frame, labels: readonly Range[]): Range {
  const [first] = labels
  if (first === undefined) return { start: 0, end: 0 }
  if (labels.every(({ start }, i) => i === 0 || labels[i - 1]!.end === start)) {
    return { start: first.start, end: labels.at(-1)!.end }
  }
  const start = frame.reserveKey(labels.reduce((sum, range) => sum + range.end - range.start, 0))
  let at = start
  for (const range of labels) {
    frame.body.copyWithin(at, range.start, range.end)
    at += range.end - range.start
  }
  return { start, end: at }
}

function readMetadata(reader: ProtoReader) {
  const metadata = { type: 'unknown', metric: '', help: '', unit: '' }
  while (reader.next()) {
    if (reader.field === 1) metadata.type = metricTypes[reader.uint()] ?? 'unknown'
    else if (reader.field === 2) metadata.metric = reader.text()
    else if (reader.field === 4) metadata.help = reader.text()
    else if (reader.field === 5) metadata.unit = reader.text()
    else reader.skip()
  }
  return metadata
}
