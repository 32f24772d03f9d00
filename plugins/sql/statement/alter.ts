// ALTER TABLE and ALTER DATABASE.
import { unsupported } from '../error.ts'
import { indexKind, parseColumn, readDefault } from './column.ts'
import { readColumnType } from './column-type.ts'
import {
  type Cursor,
  expect,
  type Name,
  peek,
  readItems,
  readList,
  readName,
  readNames,
  sees,
  take,
  unexpected
} from './cursor.ts'
import type { AlterAction, AlterDatabase, AlterTable, Texts } from './statement.ts'
import { readKey, readOption, readWith } from './with.ts'

export function parseAlter(cursor: Cursor): AlterTable | AlterDatabase {
  if (take(cursor, 'database') || take(cursor, 'schema')) return parseDatabase(cursor)
  if (!take(cursor, 'table')) {
    const word = peek(cursor)?.value.toUpperCase() ?? ''
    throw unsupported(`ALTER ${word} is not supported, there are ALTER TABLE and ALTER DATABASE`)
  }
  const ifExists = take(cursor, 'if', 'exists')
  const name = readNames(cursor)
  return { kind: 'alter_table', name, ifExists, actions: readItems(cursor, () => parseAction(cursor)) }
}

function parseDatabase(cursor: Cursor): AlterDatabase {
  const name = readName(cursor, 'the name of a database')
  if (take(cursor, 'unset')) return { kind: 'alter_database', name, options: {}, unset: readKeys(cursor) }
  expect(cursor, 'set')
  return { kind: 'alter_database', name, options: readOptions(cursor), unset: [] }
}

function parseAction(cursor: Cursor): AlterAction {
  if (take(cursor, 'add')) return parseAddition(cursor)
  if (take(cursor, 'drop')) {
    take(cursor, 'column')
    const ifExists = take(cursor, 'if', 'exists')
    return { kind: 'drop_column', column: readName(cursor, 'the name of a column'), ifExists }
  }
  if (take(cursor, 'rename')) {
    if (sees(cursor, 'column') && peek(cursor, 1) !== undefined)
      throw unsupported('columns keep their names: a view may give them others')
    take(cursor, 'to')
    return { kind: 'rename', name: readName(cursor, 'the new name of the table').text }
  }
  if (take(cursor, 'modify') || take(cursor, 'alter')) {
    take(cursor, 'column')
    return parseModification(cursor, readName(cursor, 'the name of a column'))
  }
  if (take(cursor, 'set')) return { kind: 'set_options', options: readOptions(cursor) }
  if (take(cursor, 'unset')) return { kind: 'unset_options', keys: readKeys(cursor) }
  throw unexpected(cursor, 'ADD, DROP, MODIFY, RENAME, SET or UNSET')
}

function parseAddition(cursor: Cursor): AlterAction {
  take(cursor, 'column')
  const ifNotExists = take(cursor, 'if', 'not', 'exists')
  const column = parseColumn(cursor, 'first', 'after')
  const position = take(cursor, 'first') ? 'first' : take(cursor, 'after') ? readName(cursor) : undefined
  return { kind: 'add_column', column, ifNotExists, ...(position !== undefined && { position }) }
}

function parseModification(cursor: Cursor, column: Name): AlterAction {
  if (take(cursor, 'drop', 'default')) return { kind: 'set_default', column, default: undefined }
  if (take(cursor, 'unset')) {
    const index = indexKind(cursor)
    if (index === undefined) throw unexpected(cursor, 'FULLTEXT, SKIPPING or INVERTED INDEX')
    expect(cursor, 'index')
    return { kind: 'unset_index', column, index }
  }
  const isType = take(cursor, 'set', 'data', 'type') || take(cursor, 'type')
  if (isType || !take(cursor, 'set')) {
    return { kind: 'set_type', column, type: readColumnType(cursor) }
  }
  if (take(cursor, 'default')) return { kind: 'set_default', column, default: readDefault(cursor) }
  const index = indexKind(cursor)
  if (index === undefined) throw unexpected(cursor, 'DEFAULT or a FULLTEXT, SKIPPING or INVERTED INDEX')
  expect(cursor, 'index')
  return { kind: 'set_index', column, index, options: readWith(cursor) }
}

/** `'key' = 'value', …`, also in parentheses; without them, what follows a comma and is not a key is the next action. */
function readOptions(cursor: Cursor): Texts {
  if (sees(cursor, '(')) return Object.fromEntries(readList(cursor, () => readOption(cursor)))
  const options = [readOption(cursor)]
  while (
    sees(cursor, ',') &&
    (peek(cursor, 1)?.kind === 'string' || ['=', '.'].includes(peek(cursor, 2)?.value ?? ''))
  ) {
    cursor.at++
    options.push(readOption(cursor))
  }
  return Object.fromEntries(options)
}

function readKeys(cursor: Cursor): string[] {
  return readItems(cursor, () => readKey(cursor))
}
