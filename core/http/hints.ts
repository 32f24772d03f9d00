// Table options from request headers.
import type { IncomingHttpHeaders } from 'node:http'
import { DbError } from '../errors.ts'
import { parseTableOptions } from '../model/options.ts'
import type { TableHints } from './context.ts'

const prefix = 'x-svc-hint-'
const known = [
  'auto_create_table',
  'ttl',
  'append_mode',
  'merge_mode',
  'physical_table',
  'on_physical_table',
  'skip_wal'
]
/** Hints that clients send for clustered servers; they have no effect here. */
const unused = /^(read_preference|sst_format|trace_table_partitions|query\..+)$/
const none: TableHints = { options: {} }

/** Reads `x-svc-hints: ttl=30d, append_mode=true`; if it is absent, the headers `x-svc-hint-<key>`. */
export function readHints(headers: IncomingHttpHeaders): TableHints {
  const hints = headers['x-svc-hints'] === undefined ? single(headers) : combined(String(headers['x-svc-hints']))
  if (hints === undefined) return none
  for (const key in hints) {
    if (unused.test(key)) delete hints[key]
    else if (!known.includes(key))
      throw new DbError('InvalidArguments', `unknown hint ${key}, known are ${known.join(', ')}`)
  }
  const { auto_create_table, ...options } = hints
  return {
    options: parseTableOptions(options),
    ...(auto_create_table !== undefined && { autoCreate: flag(auto_create_table) })
  }
}

function combined(text: string): Record<string, string> | undefined {
  const hints: Record<string, string> = {}
  for (const pair of text.split(',')) {
    if (pair.trim() === '') continue
    const equals = pair.indexOf('=')
    if (equals < 0) throw new DbError('InvalidArguments', `header x-svc-hints: expected key=value, got ${pair.trim()}`)
    hints[pair.slice(0, equals).trim()] = pair.slice(equals + 1).trim()
  }
  return hints
}

function single(headers: IncomingHttpHeaders): Record<string, string> | undefined {
  let hints: Record<string, string> | undefined
  for (const name in headers) {
    if (!name.startsWith(prefix)) continue
    hints ??= {}
    hints[name.slice(prefix.length).replaceAll('-', '_')] = String(headers[name]).trim()
  }
  return hints
}

function flag(text: string): boolean {
  if (/^true$/i.test(text)) return true
  if (/^false$/i.test(text)) return false
  throw new DbError('InvalidArguments', `hint auto_create_table: expected true or false, got ${text}`)
}
