// What a change of a column's type makes of its values.
import type { ColumnType } from '../../../core/model/types.ts'
import type { Cell } from '../../contract/engine/rows.ts'

/** Null where the value cannot be converted. Of types that random histories change columns to and from. */
export function converted(cell: Cell, from: ColumnType, to: ColumnType): Cell {
  if (cell === null || from === to) return cell
  if (to === 'String') return from === 'Float64' && Number.isInteger(cell) ? `${cell}.0` : String(cell)
  if (typeof cell === 'string' && !/^-?\d+(\.\d+)?$/.test(cell)) return null
  if (to === 'Float64') return Number(cell)
  if (to === 'Int64') return BigInt(nearest(Number(cell), from))
  throw new Error(`no test changes columns to ${to} yet`)
}

/** Halves of floats go to the even number, those of texts away from zero. */
function nearest(value: number, from: ColumnType): number {
  const down = Math.floor(value)
  if (value - down !== 0.5) return Math.round(value)
  if (from === 'Float64') return down % 2 === 0 ? down : down + 1
  return value < 0 ? down : down + 1
}
