import t from 'tap'
import { type ServerProcess, serverFolder, sql, startProcess } from './server.ts'

const rounds = 10
const itemsPerRequest = 20
const tables = ['crash_a', 'crash_b']

interface Sent {
  readonly table: string
  readonly request: number
  answered: boolean
}

t.test('ten kills under load lose no answered row, double none, and leave no half request', async t => {
  const dir = serverFolder(t)
  const sent: Sent[] = []
  let server = await startProcess(t, dir)
  for (let round = 0; round < rounds; round++) {
    const stop = new AbortController()
    const senders = Array.from({ length: 4 }, () => send(server, sent, stop.signal))
    await new Promise(resolve => setTimeout(resolve, 150 + Math.random() * 250))
    if (round % 3 === 1) await sql(server, `ADMIN flush_table('crash_a')`).catch(() => {})
    await server.kill('SIGKILL')
    stop.abort()
    await Promise.all(senders)
    server = await startProcess(t, dir)
  }
  const answered = sent.filter(request => request.answered)
  t.ok(answered.length > rounds * 5, `${answered.length} requests were answered`)
  for (const table of tables) {
    const rows = (await sql(
      server,
      `SELECT request, count(*), count(DISTINCT item) FROM ${table} GROUP BY request`
    )) as number[][]
    const stored = new Map(rows.map(([request, count, distinct]) => [request, [count, distinct]]))
    const lost = answered.filter(request => request.table === table && !stored.has(request.request))
    t.same(lost, [], `no answered request of ${table} is missing`)
    const odd = [...stored].filter(([, [count, distinct]]) => count !== itemsPerRequest || distinct !== itemsPerRequest)
    t.same(odd, [], `every stored request of ${table} is whole and there once`)
  }
  t.equal(await server.kill('SIGTERM'), 0)
})

/** Sends request after request until the server is gone. */
async function send(server: ServerProcess, sent: Sent[], signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const request: Sent = { table: tables[sent.length % 2]!, request: sent.length, answered: false }
    sent.push(request)
    const lines = Array.from({ length: itemsPerRequest }, (_, item) =>
      JSON.stringify({ request: request.request, item, message: `line ${item} of request ${request.request}` })
    )
    try {
      const response = await fetch(`${server.url}/v1/ingest?table=${request.table}&pipeline_name=svc_identity`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-ndjson' },
        body: lines.join('\n')
      })
      await response.arrayBuffer()
      request.answered = response.status === 200
    } catch {
      return
    }
  }
}
