// Everything plugins may do with data: checks the request against users, catalog and limits, then hands it to the engine.
import type { RequestContext } from '../http/context.ts'
import type { TableWrite } from '../model/batch.ts'
import type { Database, Table, TableChange, TableDefinition, TableOptions } from '../model/table.ts'
import type { Maintenance, Query, QueryResult, Report, TableStatistics } from './engine.ts'

export interface WriteResult {
  /** Affected rows, all writes together. */
  readonly rows: number
  /** Affected rows of each write, in order. */
  readonly perWrite: readonly number[]
}

export interface Store {
  readonly engineName: string
  /** All writes or none, in the request's database: finds or creates tables, adds columns, waits for durability. Needs write permission. */
  write(ctx: RequestContext, writes: readonly TableWrite[]): Promise<WriteResult>
  /** Needs read permission; stops when the context's signal fires. */
  query(ctx: RequestContext, query: Query): Promise<QueryResult>

  databases(): readonly Database[]
  database(name: string): Database | undefined
  tables(database: string): readonly Table[]
  table(database: string, name: string): Table | undefined
  statistics(table: Table): TableStatistics

  createDatabase(ctx: RequestContext, name: string, options: TableOptions): Promise<Database>
  dropDatabase(ctx: RequestContext, name: string): Promise<void>
  createTable(ctx: RequestContext, definition: TableDefinition): Promise<Table>
  changeTable(ctx: RequestContext, table: Table, change: TableChange): Promise<Table>
  dropTable(ctx: RequestContext, table: Table): Promise<void>
  maintain(ctx: RequestContext, task: Maintenance): Promise<Report>
}
