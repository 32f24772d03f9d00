// The SHOW statements.
import { unsupported } from '../error.ts'
import {
  atEnd,
  type Cursor,
  peek,
  readName,
  readNames,
  readString,
  readUntil,
  sees,
  take,
  unexpected
} from './cursor.ts'
import type { ShowFilter, ShowStatement } from './statement.ts'

export function parseShow(cursor: Cursor): ShowStatement {
  if (take(cursor, 'create')) return parseCreated(cursor)
  if (take(cursor, 'session', 'variables') || take(cursor, 'global', 'variables'))
    return { kind: 'show', what: 'variables', ...readFilter(cursor) }
  if (take(cursor, 'variables') || take(cursor, 'variable')) {
    if (atEnd(cursor) || sees(cursor, 'like') || sees(cursor, 'where'))
      return { kind: 'show', what: 'variables', ...readFilter(cursor) }
    return { kind: 'show', what: 'variable', variable: readName(cursor, 'the name of a variable').text }
  }
  const full = take(cursor, 'full')
  if (take(cursor, 'databases') || take(cursor, 'schemas'))
    return { kind: 'show', what: 'databases', full, ...readFilter(cursor) }
  const database = () => (takeFrom(cursor) ? { database: readName(cursor) } : {})
  if (take(cursor, 'tables')) return { kind: 'show', what: 'tables', full, ...database(), ...readFilter(cursor) }
  if (take(cursor, 'table', 'status'))
    return { kind: 'show', what: 'table_status', ...database(), ...readFilter(cursor) }
  if (take(cursor, 'views')) return { kind: 'show', what: 'views', ...database(), ...readFilter(cursor) }
  if (take(cursor, 'processlist')) return { kind: 'show', what: 'processlist', full, ...readFilter(cursor) }
  if (take(cursor, 'charset') || take(cursor, 'character', 'set'))
    return { kind: 'show', what: 'charset', ...readFilter(cursor) }
  for (const what of ['collation', 'engines', 'status', 'flows'] as const) {
    if (take(cursor, what)) return { kind: 'show', what, ...readFilter(cursor) }
  }
  if (take(cursor, 'columns') || take(cursor, 'fields')) return parseOfTable(cursor, 'columns', full)
  if (take(cursor, 'index') || take(cursor, 'indexes') || take(cursor, 'keys'))
    return parseOfTable(cursor, 'index', full)
  const name = peek(cursor)?.value.toLowerCase() ?? ''
  if (shownAlone.includes(name) && take(cursor, name)) return { kind: 'show', what: 'variable', variable: name }
  if (take(cursor, 'time', 'zone')) return { kind: 'show', what: 'variable', variable: 'timezone' }
  throw unsupported(`SHOW ${name.toUpperCase()} is not supported, there are ${shown}`)
}

const shown =
  'DATABASES, TABLES, VIEWS, FLOWS, COLUMNS, INDEX, CREATE, TABLE STATUS, VARIABLES, PROCESSLIST, CHARSET, COLLATION, ENGINES, STATUS'

/** Variables that Postgres shows without the word. */
const shownAlone = ['timezone', 'time_zone', 'search_path', 'server_version']

function parseCreated(cursor: Cursor): ShowStatement {
  if (take(cursor, 'table')) return { kind: 'show', what: 'create_table', name: readNames(cursor) }
  if (take(cursor, 'database') || take(cursor, 'schema')) {
    return { kind: 'show', what: 'create_database', database: readName(cursor) }
  }
  if (take(cursor, 'view')) return { kind: 'show', what: 'create_view', name: readNames(cursor) }
  if (take(cursor, 'flow')) return { kind: 'show', what: 'create_flow', flow: readName(cursor).text }
  throw unexpected(cursor, 'TABLE, VIEW, FLOW or DATABASE')
}

function parseOfTable(cursor: Cursor, what: 'columns' | 'index', full: boolean): ShowStatement {
  if (!takeFrom(cursor)) throw unexpected(cursor, 'FROM')
  const table = readNames(cursor)
  const name = takeFrom(cursor) ? [readName(cursor), ...table] : table
  return { kind: 'show', what, full, name, ...readFilter(cursor) }
}

function takeFrom(cursor: Cursor): boolean {
  return take(cursor, 'from') || take(cursor, 'in')
}

function readFilter(cursor: Cursor): { filter?: ShowFilter } {
  if (take(cursor, 'like')) return { filter: { kind: 'like', pattern: readString(cursor) } }
  if (take(cursor, 'where')) return { filter: { kind: 'where', tokens: readUntil(cursor) } }
  return {}
}
