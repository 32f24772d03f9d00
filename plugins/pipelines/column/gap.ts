// Fills a column where an item has no fitting value: null, a default, the current time, or a failed item.

import { bitmap, type ColumnType, clearBit, type ItemBatch, type ItemField } from '../../../core/compute.ts'
import { shownCell } from '../cell/input.ts'
import type { TransformColumn } from '../pipeline.ts'
import { integerRange } from './integer.ts'

/** The rows of a batch that become a column, and the field they take it from. */
export interface Source {
  readonly batch: ItemBatch
  /** Undefined where no item has the field. */
  readonly field: ItemField | undefined
  /** Row numbers of the batch, ascending. */
  readonly rows: Uint32Array
  /** The current time in the column's unit; for time columns. */
  readonly now?: bigint
}

export type Filler = bigint | number | string

/** Indexes `i` are those of the column. Each function returns the value to use, or undefined after it recorded a null or failed the item. */
export interface Gaps {
  /** The column's validity once all rows are through; undefined when every row has a value. */
  valid(): Uint8Array | undefined
  missing(i: number): Filler | undefined
  nothing(i: number): undefined
  /** A value that does not fit. */
  fault(i: number, reason: string): Filler | undefined
  /** The type takes no values of this kind. */
  refuse(i: number, reason: string): undefined
}

export function createGaps({ batch, field, rows, now }: Source, column: TransformColumn): Gaps {
  const { onFailure, fallback, semantic, type, to } = column
  let bits: Uint8Array | undefined
  const fail = (i: number, message: string): undefined => {
    if (batch.isLive(rows[i]!)) batch.fail(rows[i]!, `${message} (${column.where})`)
  }
  const nothing = (i: number): undefined => {
    if (semantic === 'timestamp') return fail(i, `Time index must be non null: ${to}`)
    bits ??= bitmap(rows.length, true)
    clearBit(bits, i)
  }
  const refuse = (i: number, reason: string): undefined => {
    const value = field === undefined ? 'nothing' : shownCell(batch, field, rows[i]!)
    fail(i, `Column ${to}: ${reason}: ${value} to ${type}`)
  }
  const missing = (i: number) => {
    if (onFailure !== 'default') return nothing(i)
    return fallback ?? (semantic === 'timestamp' ? now : nothing(i))
  }
  const fault = (i: number, reason: string) => {
    if (onFailure === 'error') return refuse(i, reason)
    return onFailure === 'ignore' ? nothing(i) : (fallback ?? zeroOf(type))
  }
  return { valid: () => bits, missing, nothing, fault, refuse }
}

function zeroOf(type: ColumnType): Filler {
  if (type === 'String') return ''
  return integerRange(type)?.wide || type.startsWith('Timestamp') ? 0n : 0
}
