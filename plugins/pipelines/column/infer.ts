// Inferred columns: every field with a value becomes a column of the type of its first value.
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
} from '../../../core/compute.ts'
import { shownCell } from '../cell/input.ts'
import type { TransformColumn } from '../pipeline.ts'
import { buildColumn, isBuildable } from './coerce.ts'
import { exactCheck } from './exact.ts'

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

interface InferOptions {
  /** Fields that do not become columns here. */
  readonly except: ReadonlySet<string>
  /** The existing table: its columns keep their roles and types, and a value they cannot represent exactly fails its item. */
  readonly table: Table | undefined
}

/**
 * The columns of the fields, in order of first appearance: row by row, names ascending within a row. A row is failed in the batch, and then
 * the result is of no use, when the table's column does not hold its value as it is, when there is no such column and the value has another
 * type than the first one of its field, and when the field can be no column's name.
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
    // A wrong time index fails the whole write, not single items.
    return { field, known, type: known?.semantic === 'timestamp' ? undefined : known?.type }
  })
  // Types known from the table are checked first, because items that fail there must not determine other types.
  const columns = planned.map(({ field, known, type }) => {
    if (type === undefined) return undefined
    checkExact(batch, field, rows, type)
    return isBuildable(type) ? inferredColumn(batch, field, rows, type, known) : undefined
  })
  planned.forEach(({ field, known, type: given }, i) => {
    if (given !== undefined) return
    const first = firstValue(batch, field, rows)
    if (first < 0) return
    const type = inferredType(field.kinds[rows[first]!]!)
    checkKinds(batch, field, rows, type)
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

/** The index of the first live row that has a value. */
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

const kindsOfTypes = new Map(Object.entries(types).map(([kind, type]) => [type, Number(kind)]))

/** Values of the column's own kind are only checked if its type is narrower. */
function checkExact(batch: ItemBatch, field: ItemField, rows: Uint32Array, type: ColumnType): void {
  const { kinds } = field
  const own = kindsOfTypes.get(type) ?? -1
  const isExact = exactCheck(batch, field, type)
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!
    const kind = kinds[row]!
    if (kind === own || kind <= cell.null || !batch.isLive(row) || isExact(row)) continue
    batch.fail(row, `${mismatch(field.name, type, kind)}, value: ${shownCell(batch, field, row)}`)
  }
}

function checkKinds(batch: ItemBatch, field: ItemField, rows: Uint32Array, type: ColumnType): void {
  const { kinds, name } = field
  const expected = kindsOfTypes.get(type)!
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!
    const kind = kinds[row]!
    if (kind !== expected && kind > cell.null && batch.isLive(row)) batch.fail(row, mismatch(name, type, kind))
  }
}

function mismatch(name: string, expected: ColumnType, kind: number): string {
  const types = `expected datatype: ${expected}, actual datatype: ${inferredType(kind)}`
  return `Column datatype mismatch. For column: ${name}, ${types}`
}
