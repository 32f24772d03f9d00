// Messages as columns: a time, tags for who says it and how grave it is, and fields for the rest.
import { textColumnOf } from 'weir-server'

const tags = ['host', 'app', 'facility', 'severity']
const fields = { process: 'process', id: 'message_id', from: 'source', message: 'message' }

/** `table` is the table as it is now, undefined where there is none yet. */
export function columnsOf(messages, { structured_columns: asColumns, max_columns: most }, table) {
  const texts = (name, semantic, values) => ({ name, type: 'String', semantic, data: textColumnOf(values) })
  const own = [
    { name: 'time', type: 'TimestampNanosecond', semantic: 'timestamp', data: timesOf(messages) },
    ...tags.map(name =>
      texts(
        name,
        'tag',
        messages.map(message => message[name])
      )
    ),
    ...Object.entries(fields).map(([key, name]) =>
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
  const structured = new Map()
  const others = new Map()
  for (const [row, { data }] of messages.entries()) {
    for (const { id, name, value } of data) {
      const column = `sd_${id}_${name}`
      if (asColumns && (names.has(column) || names.size < room)) {
        names.add(column)
        if (!structured.has(column)) structured.set(column, new Array(messages.length))
        // A parameter that comes again: the last one counts.
        structured.get(column)[row] = value
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
    ...[...structured].map(([name, values]) => texts(name, 'field', values)),
    ...(others.size === 0 ? [] : [{ ...texts('structured_data', 'field', rest), type: 'Json' }])
  ]
}

function timesOf(messages) {
  return { kind: 'fixed', values: BigInt64Array.from(messages, ({ time }) => time) }
}
