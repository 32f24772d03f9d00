// decode.js: a number in each line
import { DbError } from 'weir-server'

/**
 * @param {Buffer} body @param {string} table @param {string} column
 * @returns {import('weir-server').TableWrite}
 */
export function decode(body, table, column) {
  const values = Float64Array.from(body.toString().trim().split('\n'), Number)
  if (values.some(Number.isNaN)) throw new DbError('InvalidArguments', 'expected a number in each line')
  const times = new BigInt64Array(values.length).fill(BigInt(Date.now()))
  return {
    table,
    rows: values.length,
    columns: [
      {
        name: 'time',
        type: 'TimestampMillisecond',
        semantic: 'timestamp',
        data: { kind: 'fixed', values: times }
      },
      { name: column, type: 'Float64', semantic: 'field', data: { kind: 'fixed', values } }
    ],
    options: { append_mode: true }
  }
}
