// Sends an ItemBatch to another thread: its arrays are transferred, nested values are serialised.
import { deserialize, serialize } from 'node:v8'
import {
  type Item,
  ItemBatch,
  type ItemBatchParts,
  type ItemValue,
  type Steps,
  Timestamp
} from '../../../core/compute.ts'

/** Structured cloning keeps no prototypes: objects are sent as Maps, and timestamps as plain objects. */
type Packed = null | boolean | bigint | number | string | Packed[] | Map<string, Packed> | { readonly ns: bigint }

/** Values of one step: as many are made bytes of at a time. */
const stepValues = 256

export interface PackedItems extends Omit<ItemBatchParts, 'fields'> {
  readonly fields: readonly (Omit<ItemBatchParts['fields'][number], 'objects'> & {
    /** Nested values as bytes, so many at a time: made into them by the thread's messages, they would hold the event loop. */
    readonly objects: readonly Uint8Array<ArrayBuffer>[] | undefined
  })[]
}

/** The batch must not be used afterwards. `moved`: the buffers to transfer. */
export function* packItems(
  batch: ItemBatch
): Steps<{ readonly items: PackedItems; readonly moved: readonly ArrayBuffer[] }> {
  const parts = batch.parts()
  const fields: PackedItems['fields'][number][] = []
  const moved = [parts.states.buffer as ArrayBuffer]
  for (const field of parts.fields) {
    const objects = field.objects && (yield* packObjects(field.objects))
    fields.push({ ...field, objects })
    moved.push(field.kinds.buffer as ArrayBuffer, field.words.buffer as ArrayBuffer)
    for (const { buffer } of objects ?? []) moved.push(buffer)
  }
  return { items: { ...parts, fields }, moved }
}

function* packObjects(objects: readonly (ItemValue | undefined)[]): Steps<Uint8Array<ArrayBuffer>[]> {
  const packed: Uint8Array<ArrayBuffer>[] = []
  for (let at = 0; at < objects.length; at += stepValues) {
    const some = objects.slice(at, at + stepValues).map(each => (each === undefined ? undefined : pack(each)))
    packed.push(new Uint8Array(serialize(some)))
    yield
  }
  return packed
}

export function unpackItems(items: PackedItems): ItemBatch {
  const fields = items.fields.map(field => ({ ...field, objects: field.objects && unpackObjects(field.objects) }))
  return ItemBatch.fromParts({ ...items, fields })
}

function unpackObjects(packed: readonly Uint8Array[]): ItemValue[] {
  const objects: ItemValue[] = []
  for (const [i, bytes] of packed.entries()) {
    const some: (Packed | undefined)[] = deserialize(bytes)
    some.forEach((each, k) => {
      if (each !== undefined) objects[i * stepValues + k] = unpack(each)
    })
  }
  return objects
}

function pack(value: ItemValue): Packed {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(pack)
  if (value instanceof Timestamp) return { ns: value.ns }
  return new Map(Object.entries(value).map(([key, each]) => [key, pack(each)]))
}

function unpack(value: Packed): ItemValue {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(unpack)
  if (!(value instanceof Map)) return new Timestamp(value.ns)
  const object: Item = Object.create(null)
  for (const [key, each] of value) object[key] = unpack(each)
  return object
}
