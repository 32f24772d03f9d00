// Rows of the tables of services and operations.
import { columnOf, type TableWrite } from '../../../core/index.ts'

export interface Operation {
  readonly service: string
  readonly name: string
  readonly kind: string
}

/** 2100-01-01 in nanoseconds: every row has this time, so that equal rows replace each other. */
const always = 4_102_444_800_000_000_000n

/** None if there are no services. */
export function servicesWrite(table: string, services: readonly string[]): TableWrite[] {
  return write(table, services.length, { service_name: services })
}

/** No write if there are no operations. */
export function operationsWrite(table: string, operations: readonly Operation[]): TableWrite[] {
  return write(table, operations.length, {
    service_name: operations.map(({ service }) => service),
    span_name: operations.map(({ name }) => name),
    span_kind: operations.map(({ kind }) => kind)
  })
}

function write(table: string, rows: number, tags: Readonly<Record<string, readonly string[]>>): TableWrite[] {
  if (rows === 0) return []
  const time = columnOf('timestamp', 'timestamp', 'TimestampNanosecond', new Array(rows).fill(always))
  const columns = [time, ...Object.entries(tags).map(([name, texts]) => columnOf(name, 'tag', 'String', texts))]
  return [{ table, rows, columns, options: { append_mode: false } }]
}
