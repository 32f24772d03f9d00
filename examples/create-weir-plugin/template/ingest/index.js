// Takes in lines by HTTP: POST /v1/mine?table=readings
import { Type } from 'typebox'
import { bodyBytes, DbError, definePlugin } from 'weir-server'
import { decode } from './decode.js'

export default definePlugin({
  name: 'mine',
  prefix: '/v1/mine',
  servers: ['main', 'public'],
  config: Type.Object({
    tag: Type.String({ default: 'path', minLength: 1, description: 'Column that takes the path of a line.' })
  }),
  routes(app, { tag }) {
    const querystring = Type.Object({ table: Type.Optional(Type.String()) })
    app.post('', { config: { action: 'write' }, schema: { querystring } }, async request => {
      const { table } = request.query
      if (!table) throw new DbError('InvalidArguments', 'parameter table is missing')
      const write = { table, ...decode(bodyBytes(request), tag, Date.now()) }
      const { rows } = await app.core.store.write(request.ctx, [write])
      return { rows }
    })
  }
})
