// Exemplars of points: a measurement with the trace it was made in.
import { type ProtoReader, wireType } from '../../../core/wire/index.ts'
import type { ExemplarRow } from '../../services.ts'
import type { AttributeReader } from './labels.ts'
import { millisecondsOf } from './number.ts'

const field = { time: 2, double: 3, spanId: 4, traceId: 5, int: 6, attributes: 7 } as const

/** An exemplar without its series. */
export function readExemplar(
  reader: ProtoReader,
  attributes: AttributeReader,
  start: number,
  end: number
): Omit<ExemplarRow, 'name'> {
  const labels = new Map<string, Uint8Array>()
  attributes.each(reader, start, end, field.attributes, (key, text) => {
    if (text.length > 0) labels.set(key, text)
  })
  let value = 0
  let time = 0
  reader.seek(start, end)
  while (reader.next()) {
    if (reader.field === field.time) time = timeOf(reader)
    else if (reader.field === field.double) value = reader.double()
    else if (reader.field === field.int) value = Number(BigInt.asIntN(64, reader.bits64()))
    else if (reader.field === field.spanId) putId(labels, 'span_id', reader.data())
    else if (reader.field === field.traceId) putId(labels, 'trace_id', reader.data())
    else reader.skip()
  }
  return { labels, value, time: BigInt(time) }
}

/** The index of the bucket that a value falls into; bounds ascend. */
export function bucketOf(bounds: Uint8Array, value: number): number {
  const view = new DataView(bounds.buffer, bounds.byteOffset, bounds.length)
  let low = 0
  let high = bounds.length >> 3
  while (low < high) {
    const middle = (low + high) >>> 1
    if (value <= view.getFloat64(middle * 8, true)) high = middle
    else low = middle + 1
  }
  return low
}

function timeOf(reader: ProtoReader): number {
  reader.expect(wireType.fixed64)
  const { at } = reader
  reader.skip()
  return millisecondsOf(reader.view.getUint32(at, true), reader.view.getUint32(at + 4, true))
}

function putId(labels: Map<string, Uint8Array>, name: string, id: Uint8Array): void {
  if (id.length > 0) labels.set(name, Buffer.from(Buffer.from(id).toString('hex')))
}
