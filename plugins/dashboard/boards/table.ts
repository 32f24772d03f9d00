// A saved dashboard as a row.
import type { Column, TableWrite } from '../../../core/index.ts'
import type { Board } from './store.ts'

export const boardTable = 'dashboards'

/** In the order they are read. */
export const boardColumns = ['id', 'title', 'owner', 'shared', 'revision', 'updated', 'document', 'created'] as const

export function boardWrite(board: Board, op: 'put' | 'delete'): TableWrite {
  const text = (name: (typeof boardColumns)[number], semantic: 'tag' | 'field', value: string): Column => {
    const bytes = Buffer.from(value)
    return { name, type: 'String', semantic, data: { kind: 'bytes', offsets: Uint32Array.of(0, bytes.length), bytes } }
  }
  const whole = (name: (typeof boardColumns)[number], value: number): Column => ({
    name,
    type: 'Int64',
    semantic: 'field',
    data: { kind: 'fixed', values: BigInt64Array.of(BigInt(value)) }
  })
  const columns: Column[] = [
    text('id', 'tag', board.id),
    {
      name: 'created',
      type: 'TimestampMillisecond',
      semantic: 'timestamp',
      data: { kind: 'fixed', values: BigInt64Array.of(BigInt(board.created)) }
    },
    text('title', 'field', board.title),
    text('owner', 'field', board.owner),
    {
      name: 'shared',
      type: 'Boolean',
      semantic: 'field',
      data: { kind: 'fixed', values: Uint8Array.of(board.shared ? 1 : 0) }
    },
    whole('revision', board.revision),
    whole('updated', board.updated),
    text('document', 'field', board.document)
  ]
  return { table: boardTable, rows: 1, columns, op, options: { ttl: 'forever', append_mode: false }, autoCreate: true }
}
