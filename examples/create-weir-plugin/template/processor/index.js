// Adds a kind of pipeline step, `mine`: its code is in processor.js.
import { definePlugin, Type } from 'weir-server'

/** @import {} from 'weir-server/services' */

export default definePlugin({
  name: 'mine',
  api: 1,
  prefix: '',
  servers: [],
  needs: ['pipelines'],
  config: Type.Object({
    character: Type.String({ default: '*', minLength: 1, maxLength: 1, description: 'Stands for what is hidden.' })
  }),
  async setup(_core, { character }, { pipelines }) {
    await pipelines.addProcessor({ module: new URL('./processor.js', import.meta.url), settings: { character } })
  }
})
