// Rows of the tables of services and operations.
import type { Column, TableWrite } from '../../../core/index.ts'

export interface Operation {
  readonly service: string
  readonly name: string
  readonly kind: string
}

/** 2100-01-01 in nanoseconds: every row has this time, so that equal rows replace each other. */
const always = 4_102_444_800_000_000_000n

/** None if there are no services. */
export function servicesWrite(table: string, services: readonly string[]): TableWrite[] {
  return write(table, services.length, [tag('service_name', services)])
}

/** No write if there are no operations. */
export function operationsWrite(table: string, operations: readonly Operation[]): TableWrite[] {
  return write(table, operations.length, [
    tag(
      'service_name',
      operations.map(({ service }) => service)
    ),
    tag(
      'span_name',
      operations.map(({ name }) => name)
    ),
    tag(
      'span_kind',
      operations.map(({ kind }) => kind)
    )
  ])
}

function write(table: string, rows: number, tags: readonly Column[]): TableWrite[] {
  if (rows === 0) return []
  const values = new BigInt64Array(rows).fill(always)
  const time = { name: 'timestamp', type: 'TimestampNanosecond', semantic: 'timestamp' } as const
  const columns = [{ ...time, data: { kind: 'fixed', values } } as const, ...tags]
  return [{ table, rows, columns, options: { append_mode: false } }]
}

function tag(name: string, texts: readonly string[]): Column {
  const all = texts.map(text => Buffer.from(text))
  const offsets = new Uint32Array(texts.length + 1)
  for (const [i, bytes] of all.entries()) offsets[i + 1] = offsets[i]! + bytes.length
  return { name, type: 'String', semantic: 'tag', data: { kind: 'bytes', offsets, bytes: Buffer.concat(all) } }
}
