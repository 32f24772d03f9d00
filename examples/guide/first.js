// index.js
import { bodyBytes, definePlugin, Type } from 'weir-server'
import { decode } from './decode.js'

/** What /v1/openapi.json says of the route; the query string is checked, too. */
const schema = {
  summary: 'Store numbers',
  querystring: Type.Object({ table: Type.String({ minLength: 1, description: 'Table of the numbers.' }) }),
  consumes: { 'text/plain': Type.String({ description: 'A number in each line.' }) },
  produces: { 'application/json': Type.Object({ rows: Type.Integer() }) }
}

export default definePlugin({
  name: 'mine',
  api: 1,
  servers: ['main', 'public'],
  config: Type.Object({ column: Type.String({ default: 'value' }) }),
  routes(app, { column }) {
    app.post('', { config: { action: 'write' }, schema }, async request => {
      const { table } = request.query
      const { rows } = await app.core.store.write(request.ctx, [decode(bodyBytes(request), table, column)])
      return { rows }
    })
  }
})
