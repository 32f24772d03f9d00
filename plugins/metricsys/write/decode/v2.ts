// Remote write 2.0: `Request` into a buffer. Labels are indices of symbols there; the key of a series is its labels written as in version 1.0.
import { DbError, isDbError, ProtoReader } from '../../../../core/wire/index.ts'
import type { MetricMetadata } from '../../../services.ts'
import type { DecodeBuffer } from './decode-buffer.ts'
import { type Decoded, metricTypes, nothingDecoded, type Range } from './decoded.ts'
import { readSample } from './sample.ts'

const request = { symbols: 4, series: 5 } as const
const series = { labels: 1, samples: 2, histograms: 3, exemplars: 4, metadata: 5 } as const

/** Ranges of the request's symbols in the body. */
type Symbols = readonly Range[]

/**
 * Reads the request in `buffer.body`. Throws DbError `InvalidArguments` if the body is not valid protobuf or refers to symbols that it does not have;
 * a series that is wrong by itself is left out and told in `failures`. Series share texts: `limit` is how many bytes their labels may be when
 * they are written out, 0 for any number; more is refused with 413.
 */
export function decodeV2(buffer: DecodeBuffer, length: number, limit = 0): Decoded {
  buffer.begin(length)
  buffer.keyLimit = limit === 0 ? Number.POSITIVE_INFINITY : limit
  const decoded = nothingDecoded()
  const symbols: Range[] = []
  const found: Range[] = []
  const reader = new ProtoReader(buffer.body, 0, length)
  while (reader.next()) {
    if (reader.field === request.symbols) symbols.push(rangeOf(reader))
    else if (reader.field === request.series) found.push(rangeOf(reader))
    else if (reader.field < request.symbols) throw reader.error('it is a request of version 1.0')
    else reader.skip()
  }
  if (found.length > 0) {
    const first = symbols[0]
    if (first === undefined) throw new DbError('InvalidArguments', 'symbols are empty')
    if (first.end > first.start) throw new DbError('InvalidArguments', 'the first symbol must be the empty text')
  }
  for (const range of found) readSeries(buffer, reader, range, symbols, decoded)
  return decoded
}

function readSeries(
  buffer: DecodeBuffer,
  request: ProtoReader,
  range: Range,
  symbols: Symbols,
  decoded: Decoded
): void {
  const { samples: before, tail } = buffer
  try {
    readFields(buffer, new ProtoReader(request.bytes, range.start, range.end), symbols, decoded)
  } catch (error) {
    if (!isDbError(error) || error.status === 413) throw error
    buffer.samples = before
    buffer.tail = tail
    decoded.failures.push(error)
  }
}

function readFields(buffer: DecodeBuffer, reader: ProtoReader, symbols: Symbols, decoded: Decoded): void {
  const refs: number[] = []
  const histograms: Range[] = []
  const exemplars: ProtoReader[] = []
  let metadata: ProtoReader | undefined
  const before = buffer.samples
  while (reader.next()) {
    if (reader.field === series.labels) reader.repeated(each => refs.push(each.uint()))
    else if (reader.field === series.samples) {
      const { start, end } = rangeOf(reader)
      readSample(buffer, reader, start, end)
    } else if (reader.field === series.histograms) histograms.push(rangeOf(reader))
    else if (reader.field === series.exemplars) exemplars.push(reader.message())
    else if (reader.field === series.metadata) metadata = reader.message()
    else reader.skip()
  }
  const key = writeKey(buffer, refs, symbols)
  const sampled = buffer.samples > before
  if (sampled && histograms.length > 0) throw new DbError('InvalidArguments', 'a series has samples and histograms')
  const found = exemplars.map(each => ({ key, ...readExemplar(buffer, each, symbols) }))
  if (metadata !== undefined) {
    const about = readMetadata(buffer, metadata, symbols, metricOf(buffer, refs, symbols))
    if (about !== undefined) decoded.metadata.push(about)
  }
  for (const exemplar of found) decoded.exemplars.push(exemplar)
  for (const message of histograms) decoded.histograms.push({ key, message })
  if (sampled) buffer.addKey(key.start, key.end)
}

/** The labels as version 1.0 writes them, behind the body. */
function writeKey(buffer: DecodeBuffer, refs: readonly number[], symbols: Symbols): Range {
  if (refs.length % 2 !== 0)
    throw new DbError('InvalidArguments', `a series has ${refs.length} label references, they come in pairs`)
  const label = (i: number) => {
    const name = symbolAt(symbols, refs[i]!)
    const value = symbolAt(symbols, refs[i + 1]!)
    return { name, value, size: fieldSize(sizeOf(name)) + fieldSize(sizeOf(value)) }
  }
  let size = 0
  for (let i = 0; i < refs.length; i += 2) size += fieldSize(label(i).size)
  const start = buffer.reserveKey(size)
  let at = start
  for (let i = 0; i < refs.length; i += 2) {
    const { name, value, size } = label(i)
    at = putHead(buffer.body, at, 0x0a, size)
    for (const [tag, text] of [[0x0a, name] as const, [0x12, value] as const]) {
      at = putHead(buffer.body, at, tag, sizeOf(text))
      buffer.body.copyWithin(at, text.start, text.end)
      at += sizeOf(text)
    }
  }
  return { start, end: at }
}

function readExemplar(buffer: DecodeBuffer, reader: ProtoReader, symbols: Symbols) {
  const refs: number[] = []
  let value = 0
  let time = 0n
  while (reader.next()) {
    if (reader.field === 1) reader.repeated(each => refs.push(each.uint()))
    else if (reader.field === 2) {
      reader.expect(1)
      value = reader.double()
    } else if (reader.field === 3) {
      reader.expect(0)
      time = reader.int64()
    } else reader.skip()
  }
  return { labels: writeKey(buffer, refs, symbols), value, time }
}

/** Undefined where the request has no metadata for the series. */
function readMetadata(
  buffer: DecodeBuffer,
  reader: ProtoReader,
  symbols: Symbols,
  metric: string
): MetricMetadata | undefined {
  const found = { type: 0, help: 0, unit: 0 }
  while (reader.next()) {
    if (reader.field === 1) found.type = reader.uint()
    else if (reader.field === 3) found.help = reader.uint()
    else if (reader.field === 4) found.unit = reader.uint()
    else reader.skip()
  }
  const help = textOf(buffer, symbolAt(symbols, found.help))
  const unit = textOf(buffer, symbolAt(symbols, found.unit))
  if (found.type === 0 && help === '' && unit === '') return undefined
  return { metric, type: metricTypes[found.type] ?? 'unknown', help, unit }
}

function metricOf(buffer: DecodeBuffer, refs: readonly number[], symbols: Symbols): string {
  for (let i = 0; i < refs.length; i += 2) {
    if (textOf(buffer, symbolAt(symbols, refs[i]!)) === '__name__')
      return textOf(buffer, symbolAt(symbols, refs[i + 1]!))
  }
  return ''
}

function symbolAt(symbols: Symbols, ref: number): Range {
  const range = symbols[ref]
  if (range === undefined)
    throw new DbError('InvalidArguments', `there is no symbol ${ref}, there are ${symbols.length}`)
  return range
}

function rangeOf(reader: ProtoReader): Range {
  return { start: reader.pass(), end: reader.at }
}

function textOf(buffer: DecodeBuffer, { start, end }: Range): string {
  return Buffer.from(buffer.body.buffer, buffer.body.byteOffset + start, end - start).toString()
}

function sizeOf({ start, end }: Range): number {
  return end - start
}

/** Bytes of a length-delimited field with content of this many bytes. */
function fieldSize(content: number): number {
  let size = 2 + content
  for (let rest = content; rest > 127; rest = Math.floor(rest / 128)) size++
  return size
}

function putHead(bytes: Uint8Array, from: number, tag: number, size: number): number {
  let at = from
  bytes[at++] = tag
  for (let rest = size; ; rest = Math.floor(rest / 128)) {
    bytes[at++] = rest > 127 ? (rest & 127) | 128 : rest
    if (rest <= 127) return at
  }
}
