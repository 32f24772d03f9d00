// Events as items for a pipeline: as they were sent, with their time as a field.
import { type Item, ItemBatch, timeColumn } from '../../core/index.ts'
import type { Events, Group } from './decode/events.ts'

/** The events of a table as items: the batch itself if it has no others. */
export function itemsOf({ batch, time, groups }: Events, { rows }: Group): ItemBatch {
  if (groups.length === 1 && rows.length === batch.rows) {
    batch.fields.set(timeColumn, time)
    time.grow(batch.capacity)
    return batch
  }
  const items = Array.from(rows, (row): Item => {
    const item = batch.item(row)
    item[timeColumn] = batch.get(time, row)!
    return item
  })
  const selected = ItemBatch.from(items)
  selected.positions = Uint32Array.from(rows, row => batch.position(row))
  return selected
}
