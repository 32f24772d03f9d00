// What lines ask of the tables there are: same types, same places, and room for what is new. Errors name the line.
import { type Core, DbError, type Table, type TableColumn } from '../../core/index.ts'
import type { DecodedTable } from './decode/measurement.ts'
import { failure } from './decode/position.ts'

/** The time index of tables that are made. */
export const timeColumn = 'svc_timestamp'

export interface TableLimits {
  readonly max_series: number
  readonly max_columns: number
  readonly max_tables: number
}

/** A request on its way to the store. */
export interface LineRequest {
  readonly core: Core
  readonly body: Buffer
  readonly limits: TableLimits
}

/** Throws DbError `InvalidArguments` where there is no room for so many more tables. */
export function checkTables(core: Core, db: string, added: number, limits: TableLimits): void {
  if (added === 0 || core.store.tables(db).length + added <= limits.max_tables) return
  throw full(`there are ${limits.max_tables} tables already`, 'max_tables')
}

/** Throws ParseError for the first line with a field the table cannot hold, DbError `InvalidArguments` where there is no room. */
export function checkFields(request: LineRequest, decoded: DecodedTable, table?: Table): void {
  const { body, limits } = request
  const known = table?.columns ?? []
  let columns = known.length
  let next = 0
  for (const { name, type, at } of decoded.fields) {
    // Fields mostly come in the order of their columns.
    const place = known[next]?.name === name ? next : known.findIndex(column => column.name === name)
    const column = known[place]
    if (table === undefined && name === timeColumn)
      throw failure(body, at, `field ${name} has the name of the time index`)
    if (column === undefined) columns++
    else if (column.semantic !== 'field')
      throw failure(body, at, wrongPlace(name, decoded.name, column.semantic, 'field'))
    else if (column.type !== type) {
      const reason = `column ${name} of table ${decoded.name} is ${column.type}, the field is ${type}`
      throw failure(body, at, reason)
    } else next = place + 1
  }
  if (columns > limits.max_columns && columns > known.length) throw tooWide(decoded.name, limits)
}

export function columnsOf(table: Table | undefined): ReadonlyMap<string, TableColumn> {
  return new Map(table?.columns.map(column => [column.name, column]))
}

export function wrongPlace(name: string, table: string, stored: string, given: string): string {
  const is = stored === 'timestamp' ? 'the time index' : `a ${stored}`
  return `column ${name} of table ${table} is ${is}, the line has a ${given} of that name`
}

export function tooWide(table: string, { max_columns }: TableLimits): DbError {
  return full(`table ${table} would have more than ${max_columns} columns`, 'max_columns')
}

/** DbError `InvalidArguments` naming the limit. */
export function full(reason: string, key: keyof TableLimits): DbError {
  return new DbError('InvalidArguments', `${reason} (plugins.lineproto.${key})`)
}
