// How processors read a cell: which cells count as missing, and the error messages for the others.
import { type CellKind, cell, type ItemBatch, type ItemField, shorten } from '../../../core/compute.ts'
import { valueText } from './text.ts'

/** How one processor reads its fields. */
export interface Input {
  readonly kind: string
  /** Where the processor stands in its document. */
  readonly path: string
  readonly ignoreMissing: boolean
}

const kindNames = ['nothing', 'null', 'boolean', 'integer', 'float', 'string', 'timestamp', 'array or object'] as const

export function kindName(kind: number): string {
  return kindNames[kind as CellKind]
}

/** Whether the row has text in the field. Otherwise fails the row, unless the field is missing and may be. */
export function hasText(batch: ItemBatch, field: ItemField | undefined, row: number, input: Input, name: string) {
  const kind = field === undefined ? cell.absent : field.kinds[row]!
  if (kind === cell.string) return true
  if (kind > cell.null) rejectKind(batch, field!, row, input, 'string value')
  else if (!input.ignoreMissing) reject(batch, row, input, `missing field: ${name}`)
  return false
}

/** Fails the row because its cell is of a kind the processor does not take; `expected` is for example `string value`. */
export function rejectKind(batch: ItemBatch, field: ItemField, row: number, input: Input, expected: string): void {
  const { kinds, name } = field
  const value = kinds[row] === cell.null ? '' : ` ${shownCell(batch, field, row)}`
  const nested = Array.isArray(field.objects?.[row]) ? 'array' : 'object'
  const found = kinds[row] === cell.object ? nested : kindName(kinds[row]!)
  reject(batch, row, input, `expect ${expected} in ${name}, but got ${found}${value}`)
}

/** Fails the row with a message that names the processor. */
export function reject(batch: ItemBatch, row: number, input: Input, message: string): void {
  batch.fail(row, `Processor ${input.kind}: ${message} (${input.path})`)
}

/** A cell for an error message: quoted text, truncated. */
export function shownCell(batch: ItemBatch, field: ItemField, row: number): string {
  if (field.kinds[row] === cell.string) {
    const start = field.words[row * 2]!
    const end = field.words[row * 2 + 1]!
    const text = new TextDecoder().decode(batch.bytes.subarray(start, Math.min(end, start + 240)))
    return shownText(text)
  }
  return shownText(valueText(batch.get(field, row) ?? null))
}

/** Text for a message: quoted, cut to a readable length. */
export function shownText(text: string): string {
  return `"${shorten(text, 60)}"`
}
