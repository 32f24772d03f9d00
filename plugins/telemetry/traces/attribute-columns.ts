// Plans the columns for attributes of one level (resource, scope or span): which keys get their own column, its type, and needed changes of
// existing columns.
import {
  type Column,
  type ColumnDefinition,
  type ColumnType,
  DbError,
  nameProblem,
  type Steps,
  type Table,
  type TableColumn
} from '../../../core/index.ts'
import { expanded } from '../column/expand.ts'
import { attributeData } from './attribute-data.ts'
import { type AttributeColumn, type Attributes, kindBit } from './attributes.ts'
import { newType, widened } from './fit.ts'
import { overflowData } from './overflow.ts'

export interface Level {
  /** Columns of its attributes are named `<name>.<key>`; `<name>` holds all others. */
  readonly name: 'span_attributes' | 'scope_attributes' | 'resource_attributes'
  readonly attributes: Attributes
  readonly owners: number
  /** Index of the owner of each span; absent: spans are the owners. */
  readonly of?: Uint32Array
  /** A key that is stored elsewhere. */
  readonly except?: string
}

/** A column of the table that must change its type before the write. */
export interface Retyped {
  readonly name: string
  readonly definition: ColumnDefinition
}

interface Planned {
  readonly columns: Column[]
  readonly retyped: Retyped[]
}

/** Columns for attributes that the table has or gets; `left` is how many may still be added. */
interface ColumnQuota {
  readonly table: Table | undefined
  left: number
}

/** Plans and fills the columns. If `retyped` is not empty, the table must be changed first and the columns built again. */
export function* attributeColumns(body: Uint8Array, level: Level, quota: ColumnQuota, planned: Planned): Steps<void> {
  const known = new Map(quota.table?.columns.map(column => [column.name, column]))
  const others: AttributeColumn[] = []
  for (const column of level.attributes.columns) {
    if (column.key === level.except) continue
    const name = `${level.name}.${column.key}`
    const existing = known.get(name)
    if (existing === undefined && !takeColumn(quota, name)) {
      others.push(column)
      continue
    }
    const type = existing === undefined ? newType(body, column) : typeIn(body, column, existing)
    if (existing !== undefined && type !== existing.type) planned.retyped.push(retype(existing, type))
    const data = yield* attributeData(body, column, type, level.owners)
    yield
    const semantic = existing?.semantic === 'tag' ? 'tag' : 'field'
    planned.columns.push({ name, type, semantic, data: level.of ? expanded(data, level.of) : data })
  }
  const { rest } = level.attributes
  if (others.length === 0 && rest.count === 0) return
  const data = yield* overflowData(body, others, rest, level.owners)
  planned.columns.push({
    name: level.name,
    type: 'Json',
    semantic: 'field',
    data: level.of ? expanded(data, level.of) : data
  })
}

function takeColumn(quota: ColumnQuota, name: string): boolean {
  if (quota.left === 0 || nameProblem('column', name) !== undefined) return false
  quota.left--
  return true
}

function typeIn(body: Uint8Array, column: AttributeColumn, existing: TableColumn): ColumnType {
  const type = widened(body, column, existing.type)
  if (type === existing.type || existing.semantic === 'field') return type
  // A text tag accepts every value as text.
  if (existing.semantic === 'tag' && existing.type === 'String') return 'String'
  const found = column.seen === kindBit.text ? 'texts' : 'values'
  throw new DbError(
    'InvalidArguments',
    `column ${existing.name} is part of the table's key and of type ${existing.type}: it cannot take ${found} of another`
  )
}

function retype({ name, comment, index }: TableColumn, type: ColumnType): Retyped {
  const kept = index !== undefined && index.kind !== 'fulltext' ? { index } : {}
  const definition = { name, type, semantic: 'field', nullable: true, ...kept, ...(comment && { comment }) } as const
  return { name, definition }
}
