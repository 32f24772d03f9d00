// Events as items for a pipeline: as they were sent, with their time as a field.
import { ItemBatch, type Steps, timeColumn } from '../../core/index.ts'
import type { Events, Group } from './decode/events.ts'

/** Cells of one step. */
const stepCells = 1_024

/** The events of a table as items: the batch itself if it has no others. */
export function* itemsOf({ batch, time, groups }: Events, { rows }: Group): Steps<ItemBatch> {
  if (groups.length === 1 && rows.length === batch.rows) {
    batch.fields.set(timeColumn, time)
    time.grow(batch.capacity)
    return batch
  }
  const selected = new ItemBatch(rows.length)
  const fields = [...batch.fields, [timeColumn, time] as const]
  let cells = 0
  for (const row of rows) {
    const own = selected.rows++
    for (const [name, field] of fields) {
      const value = batch.get(field, row)
      if (value !== undefined) selected.set(selected.getOrCreateField(name), own, value)
      if (++cells % stepCells === 0) yield
    }
  }
  selected.positions = Uint32Array.from(rows, row => batch.position(row))
  return selected
}
