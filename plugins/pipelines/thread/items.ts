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

/** Of one step, which makes bytes of them at a time: cells at most, and values in them from which on no further cell is added. */
const [stepCells, stepValues] = [256, 4096]

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
  for (let at = 0; at < objects.length; ) {
    const some: (Packed | undefined)[] = []
    const count = { values: 0 }
    while (at < objects.length && some.length < stepCells && count.values < stepValues) {
      const each = objects[at++]
      some.push(each === undefined ? undefined : pack(each, count))
    }
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
  let at = 0
  for (const bytes of packed) {
    for (const each of deserialize(bytes) as readonly (Packed | undefined)[]) {
      if (each !== undefined) objects[at] = unpack(each)
      at++
    }
  }
  return objects
}

/** Adds the values to `count`. */
function pack(value: ItemValue, count: { values: number }): Packed {
  count.values++
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(each => pack(each, count))
  if (value instanceof Timestamp) return { ns: value.ns }
  return new Map(Object.entries(value).map(([key, each]) => [key, pack(each, count)]))
}

function unpack(value: Packed): ItemValue {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(unpack)
  if (!(value instanceof Map)) return new Timestamp(value.ns)
  const object: Item = Object.create(null)
  for (const [key, each] of value) object[key] = unpack(each)
  return object
}
