// Attributes that have no column, as one JSON object per owner.

import type { ColumnData, Steps } from '../../../core/index.ts'
import { ProtoReader } from '../../../core/wire/index.ts'
import { GrowingBytes } from '../column/growing-bytes.ts'
import { validity } from '../column/text-data.ts'
import { KeyValue } from '../wire/any-value.ts'
import { JsonText } from '../wire/json-text.ts'
import type { Ranges } from '../wire/ranges.ts'
import { jsonWriter } from './attribute-data.ts'
import type { AttributeColumn } from './attributes.ts'

/** Bytes handled between two yields to other requests. */
const stepBytes = 1 << 16

/** A JSON column with a row per owner; null for owners without such attributes. */
export function* overflowData(
  body: Uint8Array,
  columns: readonly AttributeColumn[],
  rest: Ranges,
  owners: number
): Steps<ColumnData> {
  const sources: readonly { readonly owners: Uint32Array; readonly count: number }[] = [...columns, rest]
  const { source, entry, ends } = byOwner(sources, owners)
  const out = new GrowingBytes()
  const writeMember = memberWriter(body, columns, rest, out)
  const offsets = new Uint32Array(owners + 1)
  const filled: number[] = []
  let at = 0
  let step = 0
  yield
  for (let owner = 0; owner < owners; owner++) {
    if (out.length > step) {
      step = out.length + stepBytes
      yield
    }
    if (at < ends[owner]!) filled.push(owner)
    for (let opening = '{'; at < ends[owner]!; at++, opening = ',') {
      out.ascii(opening)
      writeMember(source[at]!, entry[at]!)
      if (at + 1 === ends[owner]) out.ascii('}')
    }
    offsets[owner + 1] = out.length
  }
  const valid = validity(filled.length, owners, Uint32Array.from(filled))
  return { kind: 'bytes', offsets, bytes: out.bytes.subarray(0, out.length), ...(valid && { valid }) }
}

/** All entries of all sources, grouped by owner. */
function byOwner(sources: readonly { readonly owners: Uint32Array; readonly count: number }[], owners: number) {
  const ends = new Uint32Array(owners)
  let total = 0
  for (const { owners: of, count } of sources) {
    for (let i = 0; i < count; i++) ends[of[i]!]!++
    total += count
  }
  for (let owner = 1; owner < owners; owner++) ends[owner]! += ends[owner - 1]!
  const next = new Uint32Array(owners)
  next.set(ends.subarray(0, owners - 1), 1)
  const source = new Uint32Array(total)
  const entry = new Uint32Array(total)
  for (const [number, { owners: of, count }] of sources.entries()) {
    for (let i = 0; i < count; i++) {
      const at = next[of[i]!]!++
      source[at] = number
      entry[at] = i
    }
  }
  return { source, entry, ends }
}

/** Writes `"key":value` of an entry. */
function memberWriter(body: Uint8Array, columns: readonly AttributeColumn[], rest: Ranges, out: GrowingBytes) {
  const json = new JsonText(out)
  const reader = new ProtoReader(body)
  const pair = new KeyValue()
  const writeValue = jsonWriter(body)
  return (source: number, i: number): void => {
    const column = columns[source]
    if (column !== undefined) {
      json.string(column.bytes, 0, column.bytes.length)
      out.ascii(':')
      writeValue(out, column, i)
      return
    }
    pair.seek(reader, rest.starts[i]!, rest.ends[i]!)
    json.string(body, pair.keyStart, pair.keyEnd)
    out.ascii(':')
    json.value(reader, pair.valueStart, pair.valueEnd)
  }
}
