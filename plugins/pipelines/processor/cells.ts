// Loops over the cells of a batch that processors have in common.
import { cell, type ItemBatch, type ItemField, isDbError } from '../../../core/compute.ts'
import type { FieldPair, Processor, ProcessorOptions } from '../../services.ts'
import { hasText, type Input, reject } from '../cell/input.ts'

const encoder = new TextEncoder()

/** Calls `take` for every live row with text in the field; fails the others, unless the field is missing and may be. */
export function eachText(
  batch: ItemBatch,
  name: string,
  input: Input,
  take: (row: number, start: number, end: number) => void
): void {
  const field = batch.field(name)
  for (let row = 0; row < batch.rows; row++) {
    if (batch.states[row] !== 0 || !hasText(batch, field, row, input, name)) continue
    take(row, field!.words[row * 2]!, field!.words[row * 2 + 1]!)
  }
}

/**
 * A processor from text to text: `change` gives the new text, or undefined where it stays as it is; then both cells share their bytes. An
 * Error, and a DbError that it throws, is the reason why the row fails.
 */
export function mapTexts(
  { fields, ignoreMissing }: ProcessorOptions,
  of: Pick<Input, 'kind' | 'path'>,
  change: (bytes: Uint8Array, start: number, end: number) => string | Uint8Array | Error | undefined,
  pairs: readonly FieldPair[] = fields
): Processor {
  const input = { ...of, ignoreMissing }
  return {
    apply(batch) {
      for (const { from, to } of pairs) {
        const target = batch.getOrCreateField(to)
        eachText(batch, from, input, (row, start, end) => {
          const changed = attempt(() => change(batch.bytes, start, end))
          if (changed === undefined) target.setRange(row, start, end)
          else if (changed instanceof Error) reject(batch, row, input, changed.message)
          else setBytes(batch, target, row, typeof changed === 'string' ? encoder.encode(changed) : changed)
        })
      }
    }
  }
}

function attempt<T>(work: () => T): T | Error {
  try {
    return work()
  } catch (fault) {
    if (isDbError(fault)) return fault
    throw fault
  }
}

/** Calls `take` for every live row that has the field; fails the others, unless it may be missing. `nullCounts`: null is a value. */
export function eachPresent(
  batch: ItemBatch,
  name: string,
  input: Input,
  nullCounts: boolean,
  take: (row: number, field: ItemField) => void
): void {
  const field = batch.field(name)
  for (let row = 0; row < batch.rows; row++) {
    if (batch.states[row] !== 0) continue
    const kind = field === undefined ? cell.absent : field.kinds[row]!
    if (kind > (nullCounts ? cell.absent : cell.null)) take(row, field!)
    else if (!input.ignoreMissing) reject(batch, row, input, `missing field: ${name}`)
  }
}

/** UTF-8 into a cell, behind the bytes of the batch. */
export function setBytes(batch: ItemBatch, field: ItemField, row: number, bytes: Uint8Array): void {
  const start = batch.append(bytes)
  field.setRange(row, start, start + bytes.length)
}

/** The same value into another field of the row. */
export function copyCell(source: ItemField, target: ItemField, row: number): void {
  target.kinds[row] = source.kinds[row]!
  target.words[row * 2] = source.words[row * 2]!
  target.words[row * 2 + 1] = source.words[row * 2 + 1]!
  if (source.kinds[row] === cell.object) target.setObject(row, source.objects![row]!)
}
