// Columns nobody listed: every field that has a value becomes one, by the type of its first value.
import {
  type Column,
  type ColumnType,
  cell,
  compareUtf8,
  type ItemBatch,
  type ItemField,
  nameProblem,
  type Table,
  type TableColumn
} from '../../../core/index.ts'
import type { TransformColumn } from '../pipeline.ts'
import { buildColumn, isBuildable } from './coerce.ts'

const types: Readonly<Record<number, ColumnType>> = {
  [cell.boolean]: 'Boolean',
  [cell.int]: 'Int64',
  [cell.float]: 'Float64',
  [cell.string]: 'String',
  [cell.timestamp]: 'TimestampNanosecond',
  [cell.object]: 'Json'
}

/** The column type that values of a kind get. */
export function inferredType(kind: number): ColumnType {
  return types[kind]!
}

export interface InferOptions {
  /** Fields that become no column here. */
  readonly except: ReadonlySet<string>
  /** The table as it is: its tags stay tags, and a value of another type than the column's fails its item. */
  readonly table: Table | undefined
  /** Columns take the table's types where it has them. */
  readonly declaredTypes: boolean
}

/**
 * The columns of the fields, in order of first appearance: row by row, names ascending within a row. A row whose value has another
 * type than the table's column, or without one than the first value of its field, and one whose field can be no column's name, is
 * failed in the batch; then the result is of no use.
 */
export function inferColumns(batch: ItemBatch, rows: Uint32Array, options: InferOptions): Column[] {
  const found: { field: ItemField; first: number }[] = []
  for (const field of batch.fields.values()) {
    const first = options.except.has(field.name) ? -1 : firstValue(field, rows)
    if (first >= 0) found.push({ field, first })
  }
  found.sort((a, b) => a.first - b.first || compareUtf8(a.field.name, b.field.name))
  const declared = new Map(options.table?.columns.map(column => [column.name, column]))
  return found.map(({ field, first }) => {
    checkName(batch, field, rows, first)
    const kind = field.kinds[rows[first]!]!
    const known = declared.get(field.name)
    const type = options.declaredTypes && known !== undefined && isBuildable(known.type) ? known.type : undefined
    if (type === undefined) checkKinds(batch, field, rows, first, expectedType(known) ?? inferredType(kind))
    const column: TransformColumn = {
      from: field.name,
      to: field.name,
      type: type ?? inferredType(kind),
      semantic: known?.semantic === 'tag' ? 'tag' : 'field',
      onFailure: 'error',
      where: 'inferred column'
    }
    return buildColumn({ batch, field, rows }, column)
  })
}

function firstValue(field: ItemField, rows: Uint32Array): number {
  for (let i = 0; i < rows.length; i++) if (field.kinds[rows[i]!]! > cell.null) return i
  return -1
}

function checkName(batch: ItemBatch, { name, kinds }: ItemField, rows: Uint32Array, first: number): void {
  const problem = nameProblem('column', name)
  if (problem === undefined) return
  for (let i = first; i < rows.length; i++) {
    const row = rows[i]!
    if (kinds[row]! > cell.null && batch.isLive(row)) batch.fail(row, problem)
  }
}

/** A time index is the whole write's matter: what is wrong with it is no item's fault. */
function expectedType(known: TableColumn | undefined): ColumnType | undefined {
  return known?.semantic === 'timestamp' ? undefined : known?.type
}

function checkKinds(batch: ItemBatch, field: ItemField, rows: Uint32Array, first: number, type: ColumnType): void {
  const { kinds, name } = field
  const expected = Number(Object.keys(types).find(kind => types[Number(kind)] === type) ?? -1)
  for (let i = first; i < rows.length; i++) {
    const kind = kinds[rows[i]!]!
    if (kind !== expected && kind > cell.null && batch.isLive(rows[i]!)) {
      batch.fail(
        rows[i]!,
        `Column datatype mismatch. For column: ${name}, expected datatype: ${type}, actual datatype: ${inferredType(kind)}`
      )
    }
  }
}
