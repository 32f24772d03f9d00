import { acceptForms, DbError, definePlugin, parameterOf, rowsOf, Type } from 'weir-server'

/** @import {} from 'weir-server/services' */

export default definePlugin({
  name: 'mine',
  prefix: '/v1/mine',
  servers: ['main', 'public'],
  needs: ['sql'],
  config: Type.Object({}),
  routes(app) {
    acceptForms(app)
    app.post('/most', { config: { action: 'read' } }, async request => {
      const site = parameterOf(request, 'site')
      if (site === undefined) throw new DbError('InvalidArguments', 'parameter site is missing')
      const text = 'SELECT note, max(degrees) AS most FROM weather WHERE site = $1 GROUP BY note'
      const answer = await app.services.sql.query(request.ctx, text, [site])
      /** @type {Record<string, number>} */
      const found = {}
      for await (const { note, most } of rowsOf(answer)) found[String(note)] = Number(most)
      return found
    })
  }
})
