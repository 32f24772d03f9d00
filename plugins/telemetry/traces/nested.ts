// Events and links of spans as JSON: one array per span.

import { type ColumnData, formatTimestamp, type Steps } from '../../../core/index.ts'
import { ProtoReader, wireType } from '../../../core/wire/index.ts'
import { GrowingBytes } from '../column/growing-bytes.ts'
import { JsonText } from '../wire/json-text.ts'
import type { Ranges } from '../wire/ranges.ts'
import { event, link } from './field.ts'

/** Bytes handled between two yields to other requests. */
const stepBytes = 1 << 16

/** `[{"name":…,"time":…,"attributes":{…}}]`, an empty array where a span has none. */
export function eventsData(body: Uint8Array, events: Ranges, rows: number): Steps<ColumnData> {
  return arrays(body, events, rows, writeEvent)
}

/** `[{"trace_id":…,"span_id":…,"trace_state":…,"attributes":{…}}]`, an empty array where a span has none. */
export function linksData(body: Uint8Array, links: Ranges, rows: number): Steps<ColumnData> {
  return arrays(body, links, rows, writeLink)
}

type Write = (json: JsonText, reader: ProtoReader, start: number, end: number) => void

function* arrays(
  body: Uint8Array,
  { count, owners, starts, ends }: Ranges,
  rows: number,
  write: Write
): Steps<ColumnData> {
  if (count === 0) return { kind: 'dictionary', codes: new Uint32Array(rows), dictionary: emptyArray() }
  const out = new GrowingBytes()
  const json = new JsonText(out)
  const reader = new ProtoReader(body)
  const offsets = new Uint32Array(rows + 1)
  let i = 0
  let step = 0
  for (let row = 0; row < rows; row++) {
    if (out.length > step) {
      step = out.length + stepBytes
      yield
    }
    out.ascii('[')
    for (let separator = ''; i < count && owners[i] === row; i++, separator = ',') {
      out.ascii(separator)
      write(json, reader, starts[i]!, ends[i]!)
    }
    out.ascii(']')
    offsets[row + 1] = out.length
  }
  return { kind: 'bytes', offsets, bytes: out.bytes.subarray(0, out.length) }
}

function emptyArray() {
  return { kind: 'bytes', offsets: Uint32Array.of(0, 2), bytes: Buffer.from('[]') } as const
}

function writeEvent(json: JsonText, reader: ProtoReader, start: number, end: number): void {
  const { out } = json
  let [nameStart, nameEnd] = [0, 0]
  let time = 0n
  let dropped = 0
  reader.seek(start, end)
  while (reader.next()) {
    if (reader.field === event.name) {
      nameStart = reader.pass()
      nameEnd = reader.at
    } else if (reader.field === event.time) {
      reader.expect(wireType.fixed64)
      time = reader.bits64()
    } else if (reader.field === event.dropped) {
      reader.expect(wireType.varint)
      dropped = reader.uint()
    } else reader.skip()
  }
  out.ascii('{"name":')
  json.string(reader.bytes, nameStart, nameEnd)
  out.ascii(`,"time":"${formatTimestamp(BigInt.asIntN(64, time))}","attributes":`)
  json.members(reader, start, end, event.attributes)
  out.ascii(dropped === 0 ? '}' : `,"dropped_attributes_count":${dropped}}`)
}

function writeLink(json: JsonText, reader: ProtoReader, start: number, end: number): void {
  const { out } = json
  const offsets = new Uint32Array(2 * link.flags)
  let dropped = 0
  let flags = 0
  reader.seek(start, end)
  while (reader.next()) {
    if (reader.field <= link.traceState) {
      const { field } = reader
      offsets[2 * field] = reader.pass()
      offsets[2 * field + 1] = reader.at
    } else if (reader.field === link.dropped) {
      reader.expect(wireType.varint)
      dropped = reader.uint()
    } else if (reader.field === link.flags) {
      reader.expect(wireType.fixed32)
      flags = reader.view.getUint32(reader.at, true)
      reader.skip()
    } else reader.skip()
  }
  out.ascii('{"trace_id":"')
  out.hex(reader.bytes, offsets[2 * link.traceId]!, offsets[2 * link.traceId + 1]!)
  out.ascii('","span_id":"')
  out.hex(reader.bytes, offsets[2 * link.spanId]!, offsets[2 * link.spanId + 1]!)
  out.ascii('","trace_state":')
  json.string(reader.bytes, offsets[2 * link.traceState]!, offsets[2 * link.traceState + 1]!)
  out.ascii(',"attributes":')
  json.members(reader, start, end, link.attributes)
  if (dropped !== 0) out.ascii(`,"dropped_attributes_count":${dropped}`)
  out.ascii(flags === 0 ? '}' : `,"flags":${flags}}`)
}
