// Messages as columns: a time, tags for who says it and how grave it is, and fields for the rest.
import { textColumnOf } from 'weir-server'

/** @import { Column, FixedData, Store } from 'weir-server' */
/** @import { Message } from './message.js' */
/** @import { Options } from './options.js' */

/** Members of a message that are tags, by the same names. */
const tags = /** @type {const} */ (['host', 'app', 'facility', 'severity'])

/** Members of a message that are fields, and the names of their columns. */
const fields = /** @type {const} */ ([
  ['process', 'process'],
  ['id', 'message_id'],
  ['from', 'source'],
  ['message', 'message']
])

/**
 * A column for each member of the messages, and for their structured data as far as `max_columns` leaves room for it; the rest of that is one
 * JSON column.
 * @param {readonly Message[]} messages
 * @param {Pick<Options, 'structured_columns' | 'max_columns'>} options
 * @param {ReturnType<Store['table']>} table as it is now, undefined where there is none yet
 * @returns {Column[]}
 */
export function columnsOf(messages, { structured_columns: asColumns, max_columns: most }, table) {
  const own = [
    /** @type {Column} */ ({
      name: 'time',
      type: 'TimestampNanosecond',
      semantic: 'timestamp',
      data: timesOf(messages)
    }),
    ...tags.map(name =>
      texts(
        name,
        'tag',
        messages.map(message => message[name])
      )
    ),
    ...fields.map(([key, name]) =>
      texts(
        name,
        'field',
        messages.map(message => message[key])
      )
    )
  ]
  if (messages.every(({ data }) => data.length === 0)) return own
  const room = asColumns ? most : 0
  const names = new Set([
    ...own.map(({ name }) => name),
    'structured_data',
    ...(table?.columns ?? []).map(({ name }) => name)
  ])
  /** Values of each column, by row. @type {Map<string, (string | undefined)[]>} */
  const structured = new Map()
  /** By row: id → name → value. @type {Map<number, Record<string, Record<string, string>>>} */
  const others = new Map()
  for (const [row, { data }] of messages.entries()) {
    for (const { id, name, value } of data) {
      const column = `sd_${id}_${name}`
      if (asColumns && (names.has(column) || names.size < room)) {
        names.add(column)
        const values = structured.get(column) ?? new Array(messages.length)
        structured.set(column, values)
        // A parameter that comes again: the last one counts.
        values[row] = value
      } else {
        // Names are of senders: one may be __proto__.
        const rest = others.get(row) ?? Object.create(null)
        rest[id] ??= Object.create(null)
        rest[id][name] = value
        others.set(row, rest)
      }
    }
  }
  const rest = messages.map((_, row) => (others.has(row) ? JSON.stringify(others.get(row)) : undefined))
  return [
    ...own,
    ...Array.from(structured, ([name, values]) => texts(name, 'field', values)),
    ...(others.size === 0 ? [] : [texts('structured_data', 'field', rest, 'Json')])
  ]
}

/**
 * @param {string} name
 * @param {Column['semantic']} semantic
 * @param {readonly (string | undefined)[]} values
 * @param {Column['type']} type
 * @returns {Column}
 */
function texts(name, semantic, values, type = 'String') {
  return { name, type, semantic, data: textColumnOf(values) }
}

/**
 * @param {readonly Message[]} messages
 * @returns {FixedData}
 */
function timesOf(messages) {
  return { kind: 'fixed', values: BigInt64Array.from(messages, ({ time }) => time) }
}
