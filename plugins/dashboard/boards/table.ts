// A saved dashboard as a row.
import { columnOf, type TableWrite } from '../../../core/index.ts'
import type { Board } from './store.ts'

export const boardTable = 'dashboards'

/** The columns, in the order in which they are read. */
export const boardColumns = ['id', 'title', 'owner', 'shared', 'revision', 'updated', 'document', 'created'] as const

export function boardWrite(board: Board, op: 'put' | 'delete'): TableWrite {
  const columns = [
    columnOf('id', 'tag', 'String', [board.id]),
    columnOf('created', 'timestamp', 'TimestampMillisecond', [board.created]),
    columnOf('title', 'field', 'String', [board.title]),
    columnOf('owner', 'field', 'String', [board.owner]),
    columnOf('shared', 'field', 'Boolean', [board.shared]),
    columnOf('revision', 'field', 'Int64', [board.revision]),
    columnOf('updated', 'field', 'Int64', [board.updated]),
    columnOf('document', 'field', 'String', [board.document])
  ]
  return { table: boardTable, rows: 1, columns, op, options: { ttl: 'forever', append_mode: false }, autoCreate: true }
}
