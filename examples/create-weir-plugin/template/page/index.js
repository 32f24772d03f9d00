// Adds a page to the dashboard: /dashboard/x/mine
import { definePlugin, Type } from 'weir-server'

/** @import {} from 'weir-server/services' */

export default definePlugin({
  name: 'mine',
  api: 1,
  prefix: '',
  servers: [],
  needs: ['dashboard'],
  config: Type.Object({}),
  setup(_core, _config, { dashboard }) {
    dashboard.addPage({ name: 'mine', title: 'Mine', module: new URL('./page.js', import.meta.url) })
  }
})
