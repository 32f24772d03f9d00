// Stores every line of a request as one row: POST /v1/plaintext?table=t

import { Type } from 'typebox'
import { DbError, definePlugin } from 'weir-server'

export default definePlugin({
  name: 'plaintext',
  prefix: '/v1/plaintext',
  servers: ['main', 'public'],
  config: Type.Object({ column: Type.String({ default: 'line', description: 'Column that takes the text.' }) }),
  routes(app, { column }) {
    app.post('', async request => {
      const { table } = request.query
      if (!table) throw new DbError('InvalidArguments', 'parameter table is missing')
      const write = {
        table,
        ...decode(request.body ?? Buffer.alloc(0), column, Date.now()),
        options: { append_mode: true }
      }
      const { rows } = await app.core.store.write(request.ctx, [write])
      return { rows }
    })
  }
})

/** Bytes to columns: the text of all lines in one piece with the offset where each starts, and the time. */
export function decode(body, column, now) {
  const lines = body
    .toString()
    .split('\n')
    .filter(line => line !== '')
  const bytes = Buffer.from(lines.join(''))
  const offsets = new Uint32Array(lines.length + 1)
  for (const [i, line] of lines.entries()) offsets[i + 1] = offsets[i] + Buffer.byteLength(line)
  const time = new BigInt64Array(lines.length).fill(BigInt(now))
  return {
    rows: lines.length,
    columns: [
      { name: 'time', type: 'TimestampMillisecond', semantic: 'timestamp', data: { kind: 'fixed', values: time } },
      { name: column, type: 'String', semantic: 'field', data: { kind: 'bytes', offsets, bytes } }
    ]
  }
}
