// Converts fields of items to typed columns, as transforms ask.
import {
  type Column,
  type ColumnData,
  type ColumnType,
  cell,
  type FixedData,
  isTimestamp,
  writeJson
} from '../../../core/compute.ts'
import { kindName } from '../cell/input.ts'
import type { TransformColumn } from '../pipeline.ts'
import { floatData, integerData } from './coerce-number.ts'
import { textData } from './coerce-text.ts'
import { timeData } from './coerce-time.ts'
import { createGaps, type Filler, type Source } from './gap.ts'

/** Builds one column of the rows. Rows with values that cannot be converted are marked as failed; the column's value there is unspecified. */
export function buildColumn(source: Source, column: TransformColumn): Column {
  return {
    name: column.to,
    type: column.type,
    semantic: column.semantic,
    data: columnData(source, column),
    ...(column.index && { index: column.index })
  }
}

/** Whether columns of the type can be built from items. */
export function isBuildable(type: ColumnType): boolean {
  return type !== 'Binary' && type !== 'Date' && !type.startsWith('Decimal')
}

function columnData(source: Source, column: TransformColumn): ColumnData {
  const { type } = column
  if (type === 'String') return textData(source, column)
  if (type === 'Json') return jsonData(source, column)
  if (type === 'Boolean') return booleanData(source, column)
  if (type === 'Float32' || type === 'Float64') return floatData(source, column)
  return isTimestamp(type) ? timeData(source, column) : integerData(source, column)
}

function booleanData(source: Source, column: TransformColumn): FixedData {
  const { batch, field, rows } = source
  const gaps = createGaps(source, column)
  const values = new Uint8Array(rows.length)
  const exception = (i: number, kind: number): Filler | undefined => {
    if (kind === cell.absent) return gaps.missing(i)
    if (kind === cell.null) return gaps.nothing(i)
    if (kind !== cell.string) return gaps.refuse(i, `cannot convert ${kindName(kind)}`)
    const text = batch.text(field!, rows[i]!)
    if (text === 'true' || text === 'false') return text === 'true' ? 1 : 0
    return gaps.fault(i, 'expected true or false')
  }
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!
    const kind = field === undefined ? cell.absent : field.kinds[row]!
    if (kind === cell.boolean) values[i] = field!.words[row * 2]!
    else if (kind === cell.int) values[i] = (field!.words[row * 2]! | field!.words[row * 2 + 1]!) === 0 ? 0 : 1
    else if (kind === cell.float) values[i] = field!.floats[row] === 0 ? 0 : 1
    else values[i] = Number(exception(i, kind) ?? 0)
  }
  return fixed(values, gaps.valid())
}

function jsonData(source: Source, column: TransformColumn): ColumnData {
  const { batch, field, rows } = source
  const gaps = createGaps(source, column)
  const texts: string[] = []
  const offsets = new Uint32Array(rows.length + 1)
  let length = 0
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!
    const kind = field === undefined ? cell.absent : field.kinds[row]!
    if (kind === cell.object) {
      const text = writeJson(batch.get(field!, row)!)
      texts.push(text)
      length += Buffer.byteLength(text)
    } else if (kind === cell.absent) gaps.missing(i)
    else if (kind === cell.null) gaps.nothing(i)
    else gaps.refuse(i, `cannot convert ${kindName(kind)}`)
    offsets[i + 1] = length
  }
  const valid = gaps.valid()
  return { kind: 'bytes', offsets, bytes: Buffer.from(texts.join('')), ...(valid && { valid }) }
}

function fixed(values: FixedData['values'], valid: Uint8Array | undefined): FixedData {
  return { kind: 'fixed', values, ...(valid && { valid }) }
}
