// Hands on the rows of a table as they are stored, as JSON by HTTP.
import { Type } from 'typebox'
import { definePlugin, duration, followTable, internalContext, jsonCells, pause } from 'weir-server'

export default definePlugin({
  name: 'mine',
  prefix: '/v1/mine',
  servers: [],
  config: Type.Object({
    table: Type.String({ default: 'readings', minLength: 1, description: 'Table whose rows are handed on.' }),
    url: Type.String({ default: '', description: 'Where they are sent to. Empty: nowhere.' }),
    interval: duration(1000, 'Time between two looks at what was written.', { minimum: 1 }),
    retry: duration(1000, 'Time until what was not taken is sent again.', { minimum: 1 })
  }),
  setup(core, { table, url, interval, retry }) {
    const end = new AbortController()
    const ctx = { ...internalContext(core, 'mine'), signal: end.signal }
    const sent = core.metrics.counter('svc_mine_rows_total', 'Rows handed on.')
    /** @param {string} body */
    const send = async body => {
      while (!end.signal.aborted) {
        try {
          const answer = await fetch(url, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body,
            signal: end.signal
          })
          if (answer.ok) return core.report('mine', { state: 'ok' })
          throw new Error(`${url} answers ${answer.status}`)
        } catch (error) {
          // Rows wait meanwhile, 16 MiB at most; then some are left out.
          core.report('mine', { state: 'degraded', reason: String(error) })
          await pause(retry, { signal: end.signal }).catch(() => {})
        }
      }
    }
    const work = async () => {
      for await (const { columns, batch } of followTable(core.store, ctx, { table, interval })) {
        const cells = columns.map((column, i) => jsonCells(column.type, batch.columns[i] ?? { values: [] }))
        const names = columns.map(({ name }) => JSON.stringify(name))
        const row = (/** @type {number} */ i) => `{${names.map((name, at) => `${name}:${cells[at]?.(i)}`).join()}}`
        await send(`[${Array.from({ length: batch.rows }, (_, i) => row(i)).join()}]`)
        sent.add(batch.rows)
      }
    }
    const working = url === '' ? undefined : work()
    working?.catch(error => core.report('mine', { state: 'failed', reason: String(error) }))
    return {
      async close() {
        end.abort()
        await working?.catch(() => {})
      }
    }
  }
})
