// Adds a kind of pipeline processor: `pseudonym` puts a keyed hash in the place of names, addresses and the like.
import { definePlugin, Type } from 'weir-server'

/** @import {} from 'weir-server/services' */

export default definePlugin({
  name: 'pseudonym',
  api: 1,
  prefix: '',
  servers: [],
  config: Type.Object({ secret: Type.String({ default: '', description: 'Key of the hashes.' }) }),
  needs: ['pipelines'],
  async setup(_core, { secret }, { pipelines }) {
    await pipelines.addProcessor({ module: new URL('./processor.js', import.meta.url), settings: { secret } })
  }
})
