// From a SpanBatch to the TableWrite, and the changes its table needs first.
import type { Column, Steps, Table, TableWrite } from '../../../core/index.ts'
import { checkExpansion } from '../wire/expansion.ts'
import { attributeColumns, type Level, type Retyped } from './attribute-columns.ts'
import { headColumns, tailColumns } from './columns.ts'
import { type SpanBatch, serviceKey } from './span-batch.ts'

export interface Layout {
  readonly table: string
  /** Largest number of attribute columns of the table; 0: one JSON column per level for all attributes. */
  readonly maxColumns: number
}

interface SpansWrite {
  readonly write: TableWrite
  /** Column changes that must be made first; the write is then built again. */
  readonly retyped: readonly Retyped[]
}

/** Throws DbError `InvalidArguments` for attributes the table cannot take and texts that are not valid UTF-8. */
export function* spansWrite(
  batch: SpanBatch,
  { table: name, maxColumns }: Layout,
  table: Table | undefined
): Steps<SpansWrite> {
  checkSize(batch)
  const levels = levelsOf(batch)
  const taken = table?.columns.filter(column => levels.some(level => column.name.startsWith(`${level.name}.`))).length
  const quota = { table: maxColumns === 0 ? undefined : table, left: Math.max(0, maxColumns - (taken ?? 0)) }
  const planned = { columns: [] as Column[], retyped: [] as Retyped[] }
  for (const level of levels) yield* attributeColumns(batch.body, level, quota, planned)
  const columns = [...(yield* headColumns(batch)), ...planned.columns, ...(yield* tailColumns(batch))]
  const write = { table: name, rows: batch.spans, columns, options: { append_mode: true } }
  return { write, retyped: planned.retyped }
}

function levelsOf(batch: SpanBatch): Level[] {
  const { spans, scopeOf, resourceOf, scopeUrls, resourceUrls } = batch
  return [
    { name: 'span_attributes', attributes: batch.spanAttributes, owners: spans },
    { name: 'scope_attributes', attributes: batch.scopeAttributes, owners: scopeUrls.count, of: scopeOf },
    {
      name: 'resource_attributes',
      attributes: batch.resourceAttributes,
      owners: resourceUrls.count,
      of: resourceOf,
      except: serviceKey
    }
  ]
}

function checkSize({ body, spans, spanAttributes, scopeAttributes, resourceAttributes }: SpanBatch): void {
  const keys = [spanAttributes, scopeAttributes, resourceAttributes].reduce((sum, each) => sum + each.columns.length, 0)
  checkExpansion(keys * spans * 8, body, `${spans} spans with ${keys} different attributes`)
}
