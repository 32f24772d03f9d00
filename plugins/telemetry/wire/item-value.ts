// Values and attributes as those of log items, for pipelines.

import { DbError, emptyObject, type ItemValue, type Steps } from '../../../core/index.ts'
import type { ProtoReader } from '../../../core/wire/index.ts'
import { AnyValue, KeyValue, maxLevels } from './any-value.ts'
import { anyValue } from './field.ts'
import { findField } from './find-field.ts'
import { utf8 } from './utf8.ts'

/** Bytes that are read between two yields to other requests; the smallest value takes two. */
const stepBytes = 1 << 12

/** Counts the values nested in an item, a resource or a scope: those of one object are listed in one step, which takes as long as they are many. */
export class NestedValues {
  readonly #max: number
  #count = 0

  constructor(max: number) {
    this.#max = max
  }

  /** Throws DbError `InvalidArguments` with status 413 for one too many. */
  add(): void {
    if (++this.#count <= this.#max) return
    const reason = `an item, a resource or a scope holds more than ${this.#max} values (plugins.telemetry.max_item_values)`
    throw new DbError('InvalidArguments', reason, { status: 413 })
  }
}

/** The KeyValues in one field of the message between two offsets, in steps. Nobody else may use the reader meanwhile. */
export function* itemObjectSteps(
  reader: ProtoReader,
  start: number,
  end: number,
  field: number,
  values: NestedValues,
  level = 0
): Steps<ItemObject> {
  if (end - start <= stepBytes) return itemObject(reader, start, end, field, values, level)
  const object = emptyObject()
  const { at, end: outer } = reader
  const pair = new KeyValue()
  let step = start
  reader.seek(start, end)
  while (findField(reader, field)) {
    pair.read(reader)
    const key = utf8(reader.bytes, pair.keyStart, pair.keyEnd)
    values.add()
    object[key] = yield* itemValueSteps(reader, pair.valueStart, pair.valueEnd, values, level + 1)
    if (reader.at - step < stepBytes) continue
    step = reader.at
    yield
  }
  reader.seek(at, outer)
  return object
}

/** The AnyValue between two offsets, in steps; bytes are base64. Nobody else may use the reader meanwhile. */
export function* itemValueSteps(
  reader: ProtoReader,
  start: number,
  end: number,
  values: NestedValues,
  level = 0
): Steps<ItemValue> {
  if (end - start <= stepBytes || level > maxLevels) return itemValue(reader, start, end, values, level)
  const value = new AnyValue()
  value.read(reader, start, end)
  if (value.kind === anyValue.map) return yield* itemObjectSteps(reader, value.start, value.end, 1, values, level)
  if (value.kind !== anyValue.array) return itemValue(reader, start, end, values, level)
  const array: ItemValue[] = []
  const { at, end: outer } = reader
  let step = start
  reader.seek(value.start, value.end)
  while (findField(reader, 1)) {
    const from = reader.pass()
    values.add()
    array.push(yield* itemValueSteps(reader, from, reader.at, values, level + 1))
    if (reader.at - step < stepBytes) continue
    step = reader.at
    yield
  }
  reader.seek(at, outer)
  return array
}

type ItemObject = { [key: string]: ItemValue }

/** The AnyValue between two offsets. The position of the reader does not change. Bytes are base64. */
function itemValue(reader: ProtoReader, start: number, end: number, values: NestedValues, level: number): ItemValue {
  if (level > maxLevels) {
    throw new DbError('InvalidArguments', `a value is nested deeper than ${maxLevels} levels`)
  }
  const value = new AnyValue()
  value.read(reader, start, end)
  switch (value.kind) {
    case anyValue.text:
      return utf8(reader.bytes, value.start, value.end)
    case anyValue.bool:
      return value.bool
    case anyValue.int:
      return value.int
    case anyValue.double:
      return value.double
    case anyValue.bytes:
      return Buffer.from(reader.bytes.subarray(value.start, value.end)).toString('base64')
    case anyValue.map:
      return itemObject(reader, value.start, value.end, 1, values, level)
    case anyValue.array:
      return itemArray(reader, value.start, value.end, values, level)
    default:
      return null
  }
}

/** The KeyValues in one field of the message between two offsets. */
function itemObject(
  reader: ProtoReader,
  start: number,
  end: number,
  field: number,
  values: NestedValues,
  level: number
): ItemObject {
  const object = emptyObject()
  const { at, end: outer } = reader
  const pair = new KeyValue()
  reader.seek(start, end)
  while (findField(reader, field)) {
    pair.read(reader)
    const key = utf8(reader.bytes, pair.keyStart, pair.keyEnd)
    values.add()
    object[key] = itemValue(reader, pair.valueStart, pair.valueEnd, values, level + 1)
  }
  reader.seek(at, outer)
  return object
}

function itemArray(reader: ProtoReader, start: number, end: number, values: NestedValues, level: number): ItemValue[] {
  const array: ItemValue[] = []
  const { at, end: outer } = reader
  reader.seek(start, end)
  while (findField(reader, 1)) {
    const from = reader.pass()
    values.add()
    array.push(itemValue(reader, from, reader.at, values, level + 1))
  }
  reader.seek(at, outer)
  return array
}
