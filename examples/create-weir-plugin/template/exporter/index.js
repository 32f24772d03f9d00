// Hands on the rows of a table as they are stored, as JSON by HTTP.
import { definePlugin, duration, followTable, jsonCells, pause, Type } from 'weir-server'

export default definePlugin({
  name: 'mine',
  api: 1,
  prefix: '/v1/mine',
  servers: [],
  config: Type.Object({
    table: Type.String({ default: 'readings', minLength: 1, description: 'Table whose rows are handed on.' }),
    url: Type.String({ default: '', description: 'Where they are sent to. Empty: nowhere.' }),
    interval: duration(1000, 'Time between two looks at what was written.', { minimum: 1 }),
    retry: duration(1000, 'Time until what was not taken is sent again.', { minimum: 1 }),
    drain: duration(5000, 'Time at the stop for rows that wait. Those left then are lost.')
  }),
  setup(core, { table, url, interval, retry, drain }) {
    const end = new AbortController()
    const gone = new AbortController()
    const ctx = { ...core.context(), signal: gone.signal }
    const counter = core.metrics.counter('svc_mine_rows_total', 'Rows handed on (sent), and left out (lost).', [
      'plugin',
      'result'
    ])
    const count = (/** @type {number} */ rows, /** @type {'sent' | 'lost'} */ result) => {
      if (rows > 0) counter.add(rows, { plugin: core.plugin, result })
      if (rows > 0 && result === 'lost') core.log.warn(`${rows} rows were not handed on: ${url} took them too slowly`)
    }
    /** @param {string} body */
    const send = async body => {
      while (!gone.signal.aborted) {
        try {
          const headers = { 'content-type': 'application/json' }
          const answer = await fetch(url, { method: 'POST', headers, body, signal: gone.signal })
          if (!answer.ok) throw new Error(`${url} answers ${answer.status}`)
          core.report({ component: 'receiver', state: 'ok' })
          return true
        } catch (error) {
          // Rows wait meanwhile, 16 MiB at most; further ones are left out, and counted.
          const { cause, message } = /** @type {Error} */ (error)
          const reason = cause instanceof Error ? `${url}: ${cause.message}` : message
          core.report({ component: 'receiver', state: 'degraded', reason })
          await pause(retry, { signal: gone.signal }).catch(() => {})
        }
      }
      return false
    }
    const work = async () => {
      let left = 0
      const follow = { table, interval, until: end.signal }
      for await (const { columns, batch, lost } of followTable(core.store, ctx, follow)) {
        count(lost - left, 'lost')
        left = lost
        const cells = columns.map((column, i) => jsonCells(column.type, batch.columns[i] ?? { values: [] }))
        const names = columns.map(({ name }) => JSON.stringify(name))
        const row = (/** @type {number} */ i) => `{${names.map((name, at) => `${name}:${cells[at]?.(i)}`).join()}}`
        const isSent = await send(`[${Array.from({ length: batch.rows }, (_, i) => row(i)).join()}]`)
        count(batch.rows, isSent ? 'sent' : 'lost')
      }
    }
    const working = url === '' ? undefined : work()
    working?.catch(error => core.report({ state: 'failed', reason: String(error) }))
    return {
      async close() {
        end.abort()
        const limit = setTimeout(() => {
          core.log.warn(`rows that waited were not handed on within ${drain} ms`)
          gone.abort()
        }, drain)
        await working?.catch(() => {})
        clearTimeout(limit)
      }
    }
  }
})
