// Sends items on to other pipelines by the value of one field.
import { cell, ItemBatch, type ItemValue, Timestamp } from '../../../core/compute.ts'
import type { Dispatcher, DispatchRule } from '../pipeline.ts'
import { copyField } from './variables.ts'

export interface Dispatched {
  readonly rule: DispatchRule
  readonly rows: Uint32Array
}

/** The rows matched by each rule, and those matched by none. */
export function dispatch(batch: ItemBatch, rows: Uint32Array, { field: name, rules }: Dispatcher) {
  const field = batch.field(name)
  const taken = rules.map((): number[] => [])
  const rest: number[] = []
  for (const row of rows) {
    const value = field === undefined || field.kinds[row] === cell.absent ? undefined : batch.get(field, row)
    const rule = value === undefined ? -1 : rules.findIndex(candidate => sameValue(candidate.value, value))
    if (rule < 0) rest.push(row)
    else taken[rule]!.push(row)
  }
  const dispatched: Dispatched[] = []
  rules.forEach((rule, i) => {
    if (taken[i]!.length > 0) dispatched.push({ rule, rows: Uint32Array.from(taken[i]!) })
  })
  return { dispatched, rest: Uint32Array.from(rest) }
}

/** Equal in type and value: 7, 7.0 and "7" are three values. */
function sameValue(a: ItemValue, b: ItemValue): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b
  if (a instanceof Timestamp || b instanceof Timestamp) return false
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((entry, i) => sameValue(entry, b[i]!))
    )
  }
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every(key => key in b && sameValue(a[key]!, b[key]!))
}

/** A batch of these rows alone; text stays where it is. */
export function selectRows(batch: ItemBatch, rows: Uint32Array): ItemBatch {
  const selected = new ItemBatch(rows.length, batch.bytes)
  selected.rows = rows.length
  selected.positions = Uint32Array.from(rows, row => batch.position(row))
  for (const [name, field] of batch.fields) selected.fields.set(name, copyField(field, rows))
  return selected
}
