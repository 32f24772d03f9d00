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
    const first = options.except.has(field.name) ? -1 : firstValue(batch, field, rows)
    if (first >= 0) found.push({ field, first })
  }
  found.sort((a, b) => a.first - b.first || compareUtf8(a.field.name, b.field.name))
  const declared = new Map(options.table?.columns.map(column => [column.name, column]))
  const planned = found.map(({ field, first }) => {
    checkName(batch, field, rows, first)
    const known = declared.get(field.name)
    const declares = options.declaredTypes && known !== undefined && isBuildable(known.type)
    return { field, known, type: declares ? known.type : expectedType(known), declares }
  })
  // Types that the table knows go first: an item that fails by them says nothing about the others.
  const columns = planned.map(({ field, known, type, declares }) => {
    if (type === undefined) return undefined
    if (!declares) checkKinds(batch, field, rows, type)
    return declares ? inferredColumn(batch, field, rows, type, known) : undefined
  })
  planned.forEach(({ field, known, type: given }, i) => {
    if (columns[i] !== undefined) return
    const first = firstValue(batch, field, rows)
    if (first < 0) return
    const type = inferredType(field.kinds[rows[first]!]!)
    if (given === undefined) checkKinds(batch, field, rows, type)
    columns[i] = inferredColumn(batch, field, rows, type, known)
  })
  return columns.filter(column => column !== undefined)
}

function inferredColumn(
  batch: ItemBatch,
  field: ItemField,
  rows: Uint32Array,
  type: ColumnType,
  known: TableColumn | undefined
): Column {
  const { name } = field
  const semantic = known?.semantic === 'tag' ? 'tag' : 'field'
  const column: TransformColumn = { from: name, to: name, type, semantic, onFailure: 'error', where: 'inferred column' }
  return buildColumn({ batch, field, rows }, column)
}

/** The place of the first live row that has a value. */
function firstValue(batch: ItemBatch, { kinds }: ItemField, rows: Uint32Array): number {
  for (let i = 0; i < rows.length; i++) if (kinds[rows[i]!]! > cell.null && batch.isLive(rows[i]!)) return i
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

function checkKinds(batch: ItemBatch, field: ItemField, rows: Uint32Array, type: ColumnType): void {
  const { kinds, name } = field
  const expected = Number(Object.keys(types).find(kind => types[Number(kind)] === type) ?? -1)
  for (let i = 0; i < rows.length; i++) {
    const kind = kinds[rows[i]!]!
    if (kind !== expected && kind > cell.null && batch.isLive(rows[i]!)) {
      batch.fail(
        rows[i]!,
        `Column datatype mismatch. For column: ${name}, expected datatype: ${type}, actual datatype: ${inferredType(kind)}`
      )
    }
  }
}
