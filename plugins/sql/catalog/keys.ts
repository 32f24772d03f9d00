// The keys and indexes a column of a table is in.
import type { Table, TableColumn } from '../../../core/index.ts'

interface Key {
  readonly key: string
  /** Within the key, from 1. */
  readonly position: number
  readonly type: string
  readonly options: string
}

export function keysOf(table: Table, { name, semantic, index }: TableColumn): Key[] {
  const position = table.tags.findIndex(tag => tag.name === name) + 1
  const options = Object.entries(index?.options ?? {}).map(([key, value]) => `${key}=${value}`)
  return [
    ...(semantic === 'tag' ? [{ key: 'PRIMARY', type: 'primary-key', position, options: '' }] : []),
    ...(semantic === 'timestamp' ? [{ key: 'TIME INDEX', type: 'time-index', position: 1, options: '' }] : []),
    ...(index === undefined
      ? []
      : [{ key: `${index.kind.toUpperCase()} INDEX`, type: index.kind, position: 1, options: options.join(', ') }])
  ]
}
