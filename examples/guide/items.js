import { bodyBytes, definePlugin, ItemBatch, Type } from 'weir-server'

/** @import {} from 'weir-server/services' */

export default definePlugin({
  name: 'mine',
  prefix: '/v1/mine',
  servers: ['main', 'public'],
  needs: ['pipelines'],
  config: Type.Object({ pipeline: Type.String({ default: 'svc_identity' }) }),
  routes(app, { pipeline }) {
    app.post('/lines', { config: { action: 'write' } }, async request => {
      const lines = bodyBytes(request).toString().trim().split('\n')
      const items = ItemBatch.from(lines.map(line => ({ line, length: BigInt(line.length) })))
      const { writes, skipped } = await app.services.pipelines.run(request.ctx, pipeline, items, { table: 'lines' })
      const { rows } = await app.core.store.write(request.ctx, writes)
      return { rows, skipped: skipped.count }
    })
  }
})
