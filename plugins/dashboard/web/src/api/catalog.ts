// Names of databases, tables and columns, for choices and completion.
import { signal } from '@preact/signals'
import type { Request } from './http.ts'
import { quoteText, rowsOf } from './sql.ts'

export const databases = signal<readonly string[]>([])

export async function loadDatabases(): Promise<void> {
  try {
    const rows = await rowsOf<{ schema_name: string }>(
      'SELECT schema_name FROM information_schema.schemata ORDER BY schema_name'
    )
    databases.value = rows.map(({ schema_name }) => schema_name).filter(name => name !== 'information_schema')
  } catch {
    // Whatever is asked next says why.
  }
}

/** Whether the server has made this table of its own, in `svc_private`. */
export function hasOwnTable(name: string, options?: Pick<Request, 'signal'>): Promise<boolean> {
  return hasTable('svc_private', name, options)
}

export async function hasTable(db: string, name: string, options?: Pick<Request, 'signal'>): Promise<boolean> {
  const found = await rowsOf(
    `SELECT 1 AS one FROM information_schema.tables WHERE table_schema = ${quoteText(db)} AND table_name = ${quoteText(name)}`,
    options
  )
  return found.length > 0
}

export interface TableColumn {
  readonly table: string
  readonly name: string
  readonly type: string
  /** `TAG`, `TIMESTAMP` or `FIELD`. */
  readonly semantic: string
}

/** Columns of all tables of a database, by table and position. */
export async function columnsOf(db: string): Promise<TableColumn[]> {
  const rows = await rowsOf<{ table_name: string; column_name: string; svc_data_type: string; semantic_type: string }>(
    `SELECT table_name, column_name, svc_data_type, semantic_type FROM information_schema.columns WHERE table_schema = ${quoteText(db)} ORDER BY table_name, ordinal_position`
  )
  return rows.map(row => ({
    table: row.table_name,
    name: row.column_name,
    type: row.svc_data_type,
    semantic: row.semantic_type
  }))
}
