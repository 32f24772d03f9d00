// Nested objects of items to fields with dotted names.
import {
  cell,
  compareUtf8,
  type ItemBatch,
  type ItemField,
  type ItemValue,
  Timestamp,
  writeJson
} from '../../../core/compute.ts'

/** Replaces objects by their members (`a.b.c`), `levels` deep, arrays and what lies deeper by JSON text. */
export function flattenObjects(batch: ItemBatch, rows: Uint32Array, levels: number): void {
  const fields = [...batch.fields.values()].filter(field => field.objects !== undefined)
  fields.sort((a, b) => compareUtf8(a.name, b.name))
  for (const field of fields) {
    for (const row of rows) {
      if (field.kinds[row] !== cell.object) continue
      const value = field.objects![row]!
      if (!isObject(value) || levels <= 1) batch.setText(field, row, writeJson(value))
      else {
        field.setAbsent(row)
        flattenInto(batch, row, field.name, value, levels - 1)
      }
    }
  }
}

function flattenInto(batch: ItemBatch, row: number, base: string, object: object, levels: number): void {
  for (const [key, value] of Object.entries(object) as [string, ItemValue][]) {
    const name = `${base}.${key}`
    if (isObject(value) && levels > 1) flattenInto(batch, row, name, value, levels - 1)
    else put(batch, batch.getOrCreateField(name), row, value)
  }
}

/** A field that stands in the item under the same name wins. */
function put(batch: ItemBatch, field: ItemField, row: number, value: ItemValue): void {
  if (field.kinds[row] !== cell.absent) return
  const nested = typeof value === 'object' && value !== null && !(value instanceof Timestamp)
  batch.set(field, row, nested ? writeJson(value) : value)
}

function isObject(value: ItemValue): value is { [key: string]: ItemValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Timestamp)
}
