// Takes in lines by HTTP: POST /v1/mine?table=readings
import { bodyBytes, definePlugin, Type } from 'weir-server'
import { decode } from './decode.js'

/** What /v1/openapi.json says of the route; the query string is checked, too. */
const schema = {
  summary: 'Store readings',
  querystring: Type.Object({ table: Type.String({ minLength: 1, description: 'Table of the readings.' }) }),
  consumes: { 'text/plain': Type.String({ description: 'Lines: PATH VALUE [SECONDS]' }) },
  produces: { 'application/json': Type.Object({ rows: Type.Integer() }) }
}

export default definePlugin({
  name: 'mine',
  api: 1,
  servers: ['main', 'public'],
  config: Type.Object({
    tag: Type.String({ default: 'path', minLength: 1, description: 'Column that takes the path of a line.' })
  }),
  routes(app, { tag }) {
    app.post('', { config: { action: 'write' }, schema }, async request => {
      const { table } = request.query
      const write = { table, ...decode(bodyBytes(request), tag, Date.now()) }
      const { rows } = await app.core.store.write(request.ctx, [write])
      return { rows }
    })
  }
})
