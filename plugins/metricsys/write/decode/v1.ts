// Remote write 1.0: `WriteRequest` into a buffer. The labels of a series are not decoded: their bytes are its key.
import { ProtoReader } from '../../../../core/wire/index.ts'
import type { DecodeBuffer } from './decode-buffer.ts'
import { type Decoded, metricTypes, nothingDecoded, type Range } from './decoded.ts'
import { readSample } from './sample.ts'

const request = { series: 1, metadata: 3 } as const
const series = { labels: 1, samples: 2, exemplars: 3, histograms: 4 } as const

/** Reads the request in `buffer.body`. Throws DbError `InvalidArguments` with the byte offset if the body is not valid protobuf. */
export function decodeV1(buffer: DecodeBuffer, length: number): Decoded {
  buffer.begin(length)
  const decoded = nothingDecoded()
  const reader = new ProtoReader(buffer.body, 0, length)
  while (reader.next()) {
    if (reader.field === request.series) readSeries(buffer, reader, decoded)
    else if (reader.field === request.metadata) decoded.metadata.push(readMetadata(reader.message()))
    else reader.skip()
  }
  return decoded
}

/** Reads series as all senders write them: labels, then samples, with lengths below 128. Others go through `readFields`. */
function readSeries(buffer: DecodeBuffer, reader: ProtoReader, decoded: Decoded): void {
  const start = reader.pass()
  const end = reader.at
  const { bytes } = reader
  let at = start
  while (at < end && bytes[at] === 0x0a && bytes[at + 1]! < 128) at += 2 + bytes[at + 1]!
  const labelsEnd = at
  const before = buffer.samples
  while (at < end && bytes[at] === 0x12 && bytes[at + 1]! < 128) {
    const from = at + 2
    at = from + bytes[at + 1]!
    if (at > end) break
    readSample(buffer, reader, from, at)
  }
  if (at === end) {
    if (buffer.samples > before) buffer.addKey(start, labelsEnd)
    return
  }
  buffer.samples = before
  readFields(buffer, new ProtoReader(bytes, start, end), decoded)
}

/** Reads fields in any order. */
function readFields(buffer: DecodeBuffer, reader: ProtoReader, decoded: Decoded): void {
  const labels: Range[] = []
  const exemplars: ProtoReader[] = []
  const histograms: Range[] = []
  const before = buffer.samples
  for (let start = reader.at; reader.next(); start = reader.at) {
    if (reader.field === series.labels) {
      reader.expect(2)
      reader.skip()
      labels.push({ start, end: reader.at })
    } else if (reader.field === series.samples) {
      const from = reader.pass()
      readSample(buffer, reader, from, reader.at)
    } else if (reader.field === series.exemplars) exemplars.push(reader.message())
    else if (reader.field === series.histograms) histograms.push({ start: reader.pass(), end: reader.at })
    else reader.skip()
  }
  const used = buffer.samples > before || exemplars.length > 0 || histograms.length > 0
  if (!used) return
  const key = joined(buffer, labels)
  for (const message of exemplars) decoded.exemplars.push({ key, ...readExemplar(buffer, message) })
  for (const message of histograms) decoded.histograms.push({ key, message })
  if (buffer.samples > before) buffer.addKey(key.start, key.end)
}

function readExemplar(buffer: DecodeBuffer, reader: ProtoReader) {
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
  return { labels: joined(buffer, labels), value, time }
}

/** The labels as one range: of the request where they are contiguous, else of a copy behind the body. */
function joined(buffer: DecodeBuffer, labels: readonly Range[]): Range {
  const [first] = labels
  if (first === undefined) return { start: 0, end: 0 }
  if (labels.every(({ start }, i) => i === 0 || labels[i - 1]!.end === start)) {
    return { start: first.start, end: labels.at(-1)!.end }
  }
  const start = buffer.reserveKey(labels.reduce((sum, range) => sum + range.end - range.start, 0))
  let at = start
  for (const range of labels) {
    buffer.body.copyWithin(at, range.start, range.end)
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
