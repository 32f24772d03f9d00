// Stores every line of a request as one row: POST /v1/plaintext?table=t
import { Type } from 'typebox'
import { bodyBytes, DbError, definePlugin, textColumnOf } from 'weir-server'

/** What `/v1/openapi.json` says of the route; the query string is checked, too. */
const schema = {
  summary: 'Store lines of text',
  querystring: Type.Object({ table: Type.Optional(Type.String({ description: 'Table of the lines.' })) }),
  consumes: { 'text/plain': Type.String() },
  produces: { 'application/json': Type.Object({ rows: Type.Integer() }) }
}

export default definePlugin({
  name: 'plaintext',
  api: 1,
  prefix: '/v1/plaintext',
  servers: ['main', 'public'],
  config: Type.Object({ column: Type.String({ default: 'line', description: 'Column that takes the text.' }) }),
  routes(app, { column }) {
    app.post('', { schema, config: { action: 'write' } }, async request => {
      const { table } = request.query
      if (!table) throw new DbError('InvalidArguments', 'parameter table is missing')
      const write = { table, ...decode(bodyBytes(request), column, Date.now()), options: { append_mode: true } }
      const { rows } = await app.core.store.write(request.ctx, [write])
      return { rows }
    })
  }
})

/**
 * Bytes to columns: the text of each line, and the time.
 * @param {Buffer} body @param {string} column @param {number} now milliseconds since 1970
 * @returns {Pick<import('weir-server').TableWrite, 'rows' | 'columns'>}
 */
export function decode(body, column, now) {
  const lines = body
    .toString()
    .split('\n')
    .filter(line => line !== '')
  const time = new BigInt64Array(lines.length).fill(BigInt(now))
  return {
    rows: lines.length,
    columns: [
      { name: 'time', type: 'TimestampMillisecond', semantic: 'timestamp', data: { kind: 'fixed', values: time } },
      { name: column, type: 'String', semantic: 'field', data: textColumnOf(lines) }
    ]
  }
}
