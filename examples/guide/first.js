// index.js
import { Type } from 'typebox'
import { bodyBytes, DbError, definePlugin, firstValue } from 'weir-server'
import { decode } from './decode.js'

export default definePlugin({
  name: 'mine',
  prefix: '/v1/mine',
  servers: ['main', 'public'],
  config: Type.Object({ column: Type.String({ default: 'value' }) }),
  routes(app, { column }) {
    app.post('', { config: { action: 'write' } }, async request => {
      const { table } = parametersOf(request)
      if (table === undefined) throw new DbError('InvalidArguments', 'parameter table is missing')
      const { rows } = await app.core.store.write(request.ctx, [decode(bodyBytes(request), table, column)])
      return { rows }
    })
  }
})

/** @param {{ query: unknown }} request */
function parametersOf({ query }) {
  return { table: firstValue(/** @type {import('weir-server').Parameters} */ (query), 'table') }
}
