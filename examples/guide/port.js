import { connect } from 'node:net'
import { definePlugin, duration, pause, Type } from 'weir-server'
import { decode } from './decode.js'

export default definePlugin({
  name: 'mine',
  prefix: '',
  servers: [],
  config: Type.Object({
    port: Type.Integer({ default: 7001, description: 'Where the numbers come from, on this machine.' }),
    retry: duration(1000, 'After this time it is tried again.')
  }),
  setup(core, { port, retry }) {
    const ctx = core.context()
    const stopping = new AbortController()
    const running = (async () => {
      while (!stopping.signal.aborted) {
        try {
          const socket = connect({ port, signal: stopping.signal })
          core.report({ component: 'source', state: 'ok' })
          for await (const chunk of socket) await core.store.write(ctx, [decode(chunk, 'numbers', 'value')])
        } catch (error) {
          if (stopping.signal.aborted) return
          core.report({ component: 'source', state: 'degraded', reason: String(error) })
        }
        await pause(retry, { signal: stopping.signal }).catch(() => {})
      }
    })()
    return {
      /** Called at the stop, before the store is closed. */
      async close() {
        stopping.abort()
        await running
      }
    }
  }
})
