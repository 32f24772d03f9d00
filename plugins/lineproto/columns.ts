// Makes the field and time columns of a measurement's table. Checks them against the columns the table has; errors name the line.
import {
  type Column,
  convertTime,
  type Table,
  type TableColumn,
  type TimestampType,
  timeUnit
} from '../../core/index.ts'
import type { DecodedTable } from './decode/measurement.ts'
import { failure } from './decode/position.ts'

/** The time index of new tables. */
export const timeColumn = 'svc_timestamp'

/** The rows of one measurement, and the table they will be written to. */
export interface LineTable {
  readonly body: Buffer
  readonly decoded: DecodedTable
  /** Undefined: the write creates it. */
  readonly table: Table | undefined
}

/** The field columns and the time index. Throws ParseError for the first line with a field that the table cannot store. */
export function columnsOf(line: LineTable): Column[] {
  checkFields(line)
  return [...line.decoded.fields.map(fieldColumn), timestamps(line)]
}

function fieldColumn({ name, type, data }: DecodedTable['fields'][number]): Column {
  return { name, type, semantic: 'field', data }
}

/** The time index, truncated to the unit of the table's own. */
function timestamps({ decoded: { times }, table }: LineTable): Column {
  const { name, type } = table?.timeIndex ?? ({ name: timeColumn, type: 'TimestampNanosecond' } as const)
  const unit = timeUnit(type as TimestampType)
  const values = unit === 'ns' ? times : times.map(time => convertTime(time, 'ns', unit))
  return { name, type, semantic: 'timestamp', data: { kind: 'fixed', values } }
}

function checkFields({ body, decoded, table }: LineTable): void {
  const known = table?.columns ?? []
  let next = 0
  for (const { name, type, at } of decoded.fields) {
    // Fields mostly come in the order of their columns.
    const index = known[next]?.name === name ? next : known.findIndex(column => column.name === name)
    const column = known[index]
    if (table === undefined && name === timeColumn)
      throw failure(body, at, `field ${name} has the name of the time index`)
    if (column === undefined) continue
    if (column.semantic !== 'field')
      throw failure(body, at, semanticMismatch(name, decoded.name, column.semantic, 'field'))
    if (column.type !== type) {
      const reason = `column ${name} of table ${decoded.name} is ${column.type}, the field is ${type}`
      throw failure(body, at, reason)
    }
    next = index + 1
  }
}

export function columnsByName(table: Table | undefined): ReadonlyMap<string, TableColumn> {
  return new Map(table?.columns.map(column => [column.name, column]))
}

export function semanticMismatch(name: string, table: string, stored: string, given: string): string {
  const is = stored === 'timestamp' ? 'the time index' : `a ${stored}`
  return `column ${name} of table ${table} is ${is}, the line has a ${given} of that name`
}
