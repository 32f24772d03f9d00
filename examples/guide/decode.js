// decode.js: a number in each line
import { columnOf, DbError } from 'weir-server'

/**
 * @param {Buffer} body @param {string} table @param {string} column
 * @returns {import('weir-server').TableWrite}
 */
export function decode(body, table, column) {
  const values = body.toString().trim().split('\n').map(Number)
  if (values.some(Number.isNaN)) throw new DbError('InvalidArguments', 'expected a number in each line')
  const times = new Array(values.length).fill(Date.now())
  return {
    table,
    rows: values.length,
    columns: [
      columnOf('time', 'timestamp', 'TimestampMillisecond', times),
      columnOf(column, 'field', 'Float64', values)
    ],
    options: { append_mode: true }
  }
}
