// Translates a searched tag to a condition: attributes of spans, resources, scopes and events, and values that are tags only in this API.
import type { Dialect, SqlParameters, Table, TableColumn } from '../../core/index.ts'
import { kindColumn } from './names.ts'
import { column } from './statement.ts'

const levels = ['span_attributes', 'resource_attributes', 'scope_attributes'] as const

/** SQL that is true for spans with the tag. */
export function tagFilter(
  dialect: Dialect,
  table: Table,
  key: string,
  value: string,
  parameters: SqlParameters
): string {
  const constant = (text: string) => parameters.add(text)
  const shown = shownTag(dialect, table, key, value, parameters)
  if (shown !== undefined) return shown
  const ways = levels.flatMap(level => {
    const own = find(table, `${level}.${key}`)
    const others = find(table, level)
    return [
      ...(own === undefined ? [] : [columnIs(dialect, own, value, constant)]),
      ...(others?.type === 'Json'
        ? [`${dialect.jsonText(dialect.quoteName(others.physical), [key], constant)} = ${constant(value)}`]
        : [])
    ]
  })
  const events = eventFilter(dialect, table, key, value, constant)
  const all = [...ways, ...(events === undefined ? [] : [events])]
  return all.length === 0 ? 'false' : `(${all.map(way => `coalesce(${way}, false)`).join(' OR ')})`
}

/** The condition for a key with its own column; undefined for other keys. */
function shownTag(
  dialect: Dialect,
  table: Table,
  key: string,
  value: string,
  parameters: SqlParameters
): string | undefined {
  const is = (name: string, wanted: string) =>
    find(table, name) === undefined ? 'false' : `${column(dialect, table, name)} = ${parameters.add(wanted)}`
  switch (key) {
    case 'error':
      if (value !== 'true' && value !== 'false') return undefined
      return `${column(dialect, table, 'span_status_code')} ${value === 'true' ? '=' : '<>'} 'STATUS_CODE_ERROR'`
    case 'span.kind':
      return is('span_kind', kindColumn(value))
    case 'otel.status_code':
      return is('span_status_code', `STATUS_CODE_${value.toUpperCase()}`)
    case 'otel.status_description':
      return is('span_status_message', value)
    case 'otel.scope.name':
    case 'otel.library.name':
      return is('scope_name', value)
    case 'otel.scope.version':
    case 'otel.library.version':
      return is('scope_version', value)
    case 'w3c.tracestate':
      return is('trace_state', value)
    default:
      return undefined
  }
}

function find({ columns }: Table, name: string): TableColumn | undefined {
  return columns.find(each => each.name === name)
}

type Constant = (text: string) => string

function columnIs(dialect: Dialect, { physical, type }: TableColumn, value: string, constant: Constant): string {
  const name = dialect.quoteName(physical)
  switch (type) {
    case 'String':
      return `${name} = ${constant(value)}`
    case 'Boolean':
      return value === 'true' || value === 'false' ? `${name} = ${value}` : 'false'
    case 'Json':
      return `${dialect.jsonText(name, [], constant)} = ${constant(value)}`
    case 'Binary':
      return `${dialect.base64(name)} = ${constant(value)}`
    default:
      return /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(value)
        ? `${name} = ${value}`
        : `${dialect.text(name)} = ${constant(value)}`
  }
}

/** Searching events is expensive, so it is left out if there are none. */
function eventFilter(
  dialect: Dialect,
  table: Table,
  key: string,
  value: string,
  constant: Constant
): string | undefined {
  const events = find(table, 'span_events')
  if (events?.type !== 'Json' || /["\\]/.test(key)) return undefined
  const name = dialect.quoteName(events.physical)
  const path = key === 'event' ? ['name'] : ['attributes', key]
  return `CASE WHEN ${name} <> '[]' THEN ${dialect.jsonListHas(name, path, constant(value), constant)} ELSE false END`
}
