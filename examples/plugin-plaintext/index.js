// Stores every line of a request as one row: POST /v1/plaintext?table=t
import { bodyBytes, columnOf, definePlugin, Type } from 'weir-server'

const schema = {
  summary: 'Store lines of text',
  querystring: Type.Object({ table: Type.String({ minLength: 1, description: 'Table of the lines.' }) }),
  consumes: { 'text/plain': Type.String() },
  produces: { 'application/json': Type.Object({ rows: Type.Integer() }) }
}

export default definePlugin({
  name: 'plaintext',
  api: 1,
  servers: ['main', 'public'],
  config: Type.Object({ column: Type.String({ default: 'line', description: 'Column that takes the text.' }) }),
  routes(app, { column }) {
    app.post('', { schema, config: { action: 'write' } }, async request => {
      const write = { table: request.query.table, ...decode(bodyBytes(request), column, Date.now()) }
      return { rows: (await app.core.store.write(request.ctx, [write])).rows }
    })
  }
})

/** Bytes to columns. @param {Buffer} body @param {string} column @param {number} now milliseconds since 1970 */
export function decode(body, column, now) {
  const lines = body.toString().match(/.+/g) ?? []
  const time = columnOf('time', 'timestamp', 'TimestampMillisecond', new Array(lines.length).fill(now))
  const columns = [time, columnOf(column, 'field', 'String', lines)]
  return { rows: lines.length, columns, options: { append_mode: true } }
}
