// The tables of traces, and their columns.
import type { IncomingHttpHeaders } from 'node:http'
import {
  DbError,
  firstValue,
  headerText,
  type Parameters,
  type RequestContext,
  type Store,
  type Table
} from '../../core/index.ts'

const defaultTable = 'telemetry_traces'

export interface Source {
  readonly store: Store
  readonly ctx: RequestContext
  /** Name of the span table. */
  readonly name: string
  /** Undefined if nothing was written yet. */
  readonly table: Table | undefined
}

/**
 * Chosen by parameter `table`, else header `x-svc-trace-table-name`. Throws DbError `DatabaseNotFound`, or `InvalidArguments` for a table
 * that has no spans.
 */
export function sourceOf(store: Store, ctx: RequestContext, headers: IncomingHttpHeaders, query: Parameters): Source {
  store.requireDatabase(ctx.db)
  const header = headerText(headers, 'x-svc-trace-table-name')
  const name = firstValue(query, 'table') || header || defaultTable
  const table = store.table(ctx.db, name)
  if (table !== undefined) checkTable(table)
  return { store, ctx, name, table }
}

/** A table beside the span table; undefined if it does not exist. */
export function besideOf({ store, ctx, name, table }: Source, what: 'services' | 'operations'): Table | undefined {
  return store.table(ctx.db, `${name}_${what}`) ?? table
}

const needed = {
  timestamp: 'TimestampNanosecond',
  duration_nano: 'UInt64',
  trace_id: 'String',
  span_id: 'String',
  parent_span_id: 'String',
  span_kind: 'String',
  span_name: 'String',
  span_status_code: 'String',
  service_name: 'String'
} as const

function checkTable({ database, name, columns }: Table): void {
  for (const [column, type] of Object.entries(needed)) {
    if (columns.some(each => each.name === column && each.type === type)) continue
    throw new DbError(
      'InvalidArguments',
      `table ${database}.${name} holds no spans: it has no column ${column} of type ${type}`
    )
  }
}
