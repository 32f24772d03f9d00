// Routes of the core itself: a health check on both servers, and an index page with links on the main one.
import { Type } from 'typebox'
import { definePlugin } from '../plugin.ts'

/** `/v1/health` on both servers, without authentication. */
export const health = definePlugin({
  name: 'core',
  prefix: '/v1/health',
  servers: ['main', 'public'],
  config: Type.Object({}),
  routes(app) {
    app.route({
      method: ['GET', 'POST'],
      url: '',
      schema: { summary: 'A sign of life', produces: { 'application/json': Type.Object({}) } },
      config: { public: true },
      handler: async () => ({})
    })
  }
})

/** `/` on the main server: redirects to the dashboard if it is enabled, else shows a few links. */
export const indexPage = definePlugin({
  name: 'core',
  prefix: '',
  servers: ['main'],
  config: Type.Object({}),
  routes(app) {
    app.get(
      '/',
      { schema: { summary: 'What this server is', produces: { 'text/html': Type.String() } } },
      async (_request, reply) => {
        const isOn = app.core.plugins.some(({ name, servers }) => name === 'dashboard' && servers.includes('main'))
        return isOn ? reply.redirect('/dashboard') : reply.type('text/html; charset=utf-8').send(page)
      }
    )
  }
})

const links = [
  '/health',
  '/status',
  '/metrics',
  '/config',
  '/v1/health',
  '/v1/openapi.json',
  '/v1/sql?sql=SHOW+TABLES&format=table'
]

const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Weir</title>
<h1>Weir</h1>
<p>Time series, logs and traces: in by many protocols, out by SQL.</p>
<ul>
${links.map(link => `<li><a href="${link.replace('&', '&amp;')}">${link.replace('&', '&amp;')}</a></li>`).join('\n')}
</ul>
</html>
`
