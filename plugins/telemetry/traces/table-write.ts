// From a frame to the write of its table, and what the table must become first.
import type { Column, Steps, Table, TableWrite } from '../../../core/index.ts'
import { checkExpansion } from '../wire/expansion.ts'
import { attributeColumns, type Level, type Retyped } from './attribute-columns.ts'
import { headColumns, tailColumns } from './columns.ts'
import { type Frame, serviceKey } from './frame.ts'

export interface Layout {
  readonly table: string
  /** Attributes with a column of their own, in the whole table; 0: all of them in one column a level. */
  readonly maxColumns: number
}

export interface SpansWrite {
  readonly write: TableWrite
  /** Not empty: the table has to change before, and the write has to be made anew. */
  readonly retyped: readonly Retyped[]
}

/** Throws DbError `InvalidArguments` for attributes the table cannot take and texts that are not valid UTF-8. */
export function* spansWrite(
  frame: Frame,
  { table: name, maxColumns }: Layout,
  table: Table | undefined
): Steps<SpansWrite> {
  checkSize(frame)
  const levels = levelsOf(frame)
  const taken = table?.columns.filter(column => levels.some(level => column.name.startsWith(`${level.name}.`))).length
  const room = { table: maxColumns === 0 ? undefined : table, left: Math.max(0, maxColumns - (taken ?? 0)) }
  const planned = { columns: [] as Column[], retyped: [] as Retyped[] }
  for (const level of levels) yield* attributeColumns(frame.body, level, room, planned)
  const columns = [...(yield* headColumns(frame)), ...planned.columns, ...(yield* tailColumns(frame))]
  const write = { table: name, rows: frame.spans, columns, options: { append_mode: true } }
  return { write, retyped: planned.retyped }
}

function levelsOf(frame: Frame): Level[] {
  const { spans, scopeOf, resourceOf, scopeUrls, resourceUrls } = frame
  return [
    { name: 'span_attributes', attributes: frame.spanAttributes, owners: spans },
    { name: 'scope_attributes', attributes: frame.scopeAttributes, owners: scopeUrls.count, of: scopeOf },
    {
      name: 'resource_attributes',
      attributes: frame.resourceAttributes,
      owners: resourceUrls.count,
      of: resourceOf,
      except: serviceKey
    }
  ]
}

function checkSize({ body, spans, spanAttributes, scopeAttributes, resourceAttributes }: Frame): void {
  const keys = [spanAttributes, scopeAttributes, resourceAttributes].reduce((sum, each) => sum + each.columns.length, 0)
  checkExpansion(keys * spans * 8, body, `${spans} spans with ${keys} different attributes`)
}
