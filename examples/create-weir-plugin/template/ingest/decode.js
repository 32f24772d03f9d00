// Bytes to columns, and nothing else: lines such as `shop.door.open 3.5 1700000000`, seconds since 1970, or without a time.
import { columnOf, DbError } from 'weir-server'

/**
 * Throws DbError for a line that is none, with its number.
 * @param {Buffer} body
 * @param {string} tag name of the column that takes the path
 * @param {number} now milliseconds since 1970, for lines without a time
 */
export function decode(body, tag, now) {
  const lines = body
    .toString()
    .split('\n')
    .map(line => line.trim())
  /** @type {string[]} */
  const paths = []
  /** @type {number[]} */
  const values = []
  /** @type {number[]} */
  const times = []
  for (const [i, line] of lines.entries()) {
    if (line === '') continue
    const [path = '', value = '', time = String(now / 1000), ...more] = line.split(/\s+/)
    const milliseconds = Math.round(Number(time) * 1000)
    if (value === '' || !Number.isFinite(Number(value)) || !Number.isSafeInteger(milliseconds) || more.length > 0)
      throw new DbError('InvalidArguments', `line ${i + 1}: expected PATH VALUE [SECONDS], got ${line.slice(0, 60)}`)
    paths.push(path)
    values.push(Number(value))
    times.push(milliseconds)
  }
  const columns = [
    columnOf('time', 'timestamp', 'TimestampMillisecond', times),
    columnOf(tag, 'tag', 'String', paths),
    columnOf('value', 'field', 'Float64', values)
  ]
  return { rows: paths.length, columns }
}
