// One span from its bytes into the batch.
import { type ProtoReader, wireType } from '../../../core/wire/index.ts'
import { kindNames, span, status, statusNames } from './field.ts'
import type { Dropped, SpanBatch } from './span-batch.ts'

/** Reads span `i`, the message the reader is in; spans come in order. Returns the error for an invalid span. */
export function readSpan(batch: SpanBatch, reader: ProtoReader, i: number): string | undefined {
  batch.parentOffsets[i + 1] = batch.parentOffsets[i]!
  let ids = 0
  while (reader.next()) {
    switch (reader.field) {
      case span.traceId:
        if (!readId(reader, batch.traceIds, i * 32, 16)) return 'trace_id must be 16 bytes that are not all zero'
        ids |= 1
        break
      case span.spanId:
        if (!readId(reader, batch.spanIds, i * 16, 8)) return 'span_id must be 8 bytes that are not all zero'
        ids |= 2
        break
      case span.parentSpanId:
        if (!readParent(batch, reader, i)) return 'parent_span_id must be empty or 8 bytes'
        break
      case span.name: {
        const start = reader.pass()
        batch.names[i] = batch.nameTexts.add(start, reader.at) + 1
        break
      }
      case span.start:
        readTime(reader, batch.starts, i)
        break
      case span.end:
        readTime(reader, batch.ends, i)
        break
      case span.attributes:
        batch.spanAttributes.read(reader, i)
        break
      default:
        readRare(batch, reader, i)
    }
  }
  if (ids !== 3) return ids === 1 ? 'span_id is missing' : 'trace_id is missing'
  return checkTimes(batch, i)
}

function readRare(batch: SpanBatch, reader: ProtoReader, i: number): void {
  switch (reader.field) {
    case span.kind: {
      reader.expect(wireType.varint)
      const kind = reader.uint()
      batch.kinds[i] = kind < kindNames.length ? kind : 0
      break
    }
    case span.status:
      readStatus(batch, reader, i)
      break
    case span.traceState:
      batch.traceStates.read(reader, i)
      break
    case span.events: {
      const start = reader.pass()
      batch.events.add(i, start, reader.at)
      break
    }
    case span.links: {
      const start = reader.pass()
      batch.links.add(i, start, reader.at)
      break
    }
    case span.flags:
      reader.expect(wireType.fixed32)
      batch.flags ??= new Uint32Array(batch.spans)
      batch.flags[i] = reader.view.getUint32(reader.at, true)
      reader.skip()
      break
    case span.droppedAttributes:
      readDropped(batch, reader, i, 'attributes')
      break
    case span.droppedEvents:
      readDropped(batch, reader, i, 'events')
      break
    case span.droppedLinks:
      readDropped(batch, reader, i, 'links')
      break
    default:
      reader.skip()
  }
}

function readDropped({ dropped, spans }: SpanBatch, reader: ProtoReader, i: number, of: Dropped): void {
  reader.expect(wireType.varint)
  const count = reader.uint()
  if (count === 0) return
  dropped[of] ??= new Uint32Array(spans)
  dropped[of][i] = count
}

function readStatus({ statuses, statusMessages }: SpanBatch, reader: ProtoReader, i: number): void {
  statuses[i] = 0
  const outer = reader.enter()
  while (reader.next()) {
    if (reader.field === status.message) statusMessages.read(reader, i)
    else if (reader.field === status.code) {
      reader.expect(wireType.varint)
      const code = reader.uint()
      statuses[i] = code < statusNames.indexOf('') ? code : 0
    } else reader.skip()
  }
  reader.leave(outer)
}

/** Both hexadecimal digits of each byte value, in memory order. */
const digits = Uint16Array.from({ length: 256 }, (_, byte) => {
  const [high, low] = Buffer.from([byte]).toString('hex')
  return new Uint16Array(Uint8Array.of(high!.charCodeAt(0), low!.charCodeAt(0)).buffer)[0]!
})

/** Reads an id; false for another length and for zeros only. */
function readId(reader: ProtoReader, hex: Uint8Array, to: number, length: number): boolean {
  const { bytes } = reader
  const start = reader.pass()
  if (reader.at - start !== length) return false
  let any = 0
  for (let i = 0; i < length; i++) {
    const byte = bytes[start + i]!
    any |= byte
    const pair = digits[byte]!
    hex[to + 2 * i] = pair & 255
    hex[to + 2 * i + 1] = pair >> 8
  }
  return any !== 0
}

/** Reads the parent id; a root span has none or zeros. False for another length. */
function readParent(batch: SpanBatch, reader: ProtoReader, i: number): boolean {
  const before = reader.at
  const length = reader.length()
  reader.at = before
  const to = batch.parentOffsets[i]!
  if (readId(reader, batch.parentIds, to, 8)) {
    batch.parentOffsets[i + 1] = to + 16
    batch.hasParent[i >> 3]! |= 1 << (i & 7)
  }
  return length === 0 || length === 8
}

function readTime(reader: ProtoReader, words: Int32Array, i: number): void {
  reader.expect(wireType.fixed64)
  const { at, view } = reader
  reader.skip()
  words[2 * i] = view.getInt32(at, true)
  words[2 * i + 1] = view.getInt32(at + 4, true)
}

/** Fills in the duration: 0 where the end is before the start. */
function checkTimes({ starts, ends, durations }: SpanBatch, i: number): string | undefined {
  const [startLow, startHigh] = [starts[2 * i]! >>> 0, starts[2 * i + 1]!]
  const [endLow, endHigh] = [ends[2 * i]! >>> 0, ends[2 * i + 1]!]
  if (startHigh < 0) return 'start_time_unix_nano is after the year 2262'
  if (endHigh < 0) return 'end_time_unix_nano is after the year 2262'
  const high = endHigh - startHigh - (endLow < startLow ? 1 : 0)
  if (high < 0) return undefined
  durations[2 * i] = endLow - startLow
  durations[2 * i + 1] = high
  return undefined
}
