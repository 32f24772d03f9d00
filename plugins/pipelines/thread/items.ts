// A batch of items as it passes to another thread: its arrays move, and nested values keep what they are.
import { type Item, ItemBatch, type ItemBatchParts, type ItemValue, Timestamp } from '../../../core/compute.ts'

/** Maps stand for objects, which inherit nothing, and objects for points in time: threads pass on no classes. */
type Packed = null | boolean | bigint | number | string | Packed[] | Map<string, Packed> | { readonly ns: bigint }

export interface PackedItems extends Omit<ItemBatchParts, 'fields'> {
  readonly fields: readonly (Omit<ItemBatchParts['fields'][number], 'objects'> & {
    readonly objects: Packed[] | undefined
  })[]
}

/** The batch is used up. `moved` are the buffers to move. */
export function packItems(batch: ItemBatch): { readonly items: PackedItems; readonly moved: ArrayBuffer[] } {
  const parts = batch.parts()
  const fields = parts.fields.map(field => ({ ...field, objects: field.objects?.map(pack) }))
  const arrays = [parts.states, ...parts.fields.flatMap(({ kinds, words }) => [kinds, words])]
  return { items: { ...parts, fields }, moved: arrays.map(({ buffer }) => buffer as ArrayBuffer) }
}

export function unpackItems(items: PackedItems): ItemBatch {
  const fields = items.fields.map(field => ({ ...field, objects: field.objects?.map(unpack) }))
  return ItemBatch.fromParts({ ...items, fields })
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
