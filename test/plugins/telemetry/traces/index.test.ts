import t from 'tap'
import { startServer } from '../../../helpers.ts'
import { encodeTraces, type TestSpan } from './encode.ts'

const hour = 3_600_000_000_000n
const perService = 10_240
const services = ['ads', 'cart', 'email', 'quote']

/** Spans of one service, evenly over so many hours up to a time; a hundredth of them is slow. */
function spansOf(service: number, until: bigint, hours: bigint): TestSpan[] {
  const step = (hours * hour) / BigInt(perService)
  return Array.from({ length: perService }, (_, i) => {
    const start = until - BigInt(perService - i) * step
    const id = (BigInt(service) * 1_000_000n + BigInt(i) + 1n).toString(16)
    return {
      traceId: `${(until / hour).toString(16)}${id.padStart(16, '0')}`.padStart(32, '0'),
      spanId: id.padStart(16, '0'),
      name: 'work',
      start,
      end: start + (i % 100 === 0 ? 2_000_000_000n : 1_000_000n)
    }
  })
}

t.test('a trace by its id, and the slow spans of a service in the last hour, do not read the rest', async t => {
  const { main, core } = await startServer(t)
  const sql = async (text: string) => {
    const answer = await main.inject({ url: `/v1/sql?sql=${encodeURIComponent(text)}` })
    t.equal(answer.statusCode, 200, answer.body.slice(0, 300))
    return answer.json().output[0].records?.rows ?? []
  }
  const now = BigInt(Date.now()) * 1_000_000n
  for (const until of [now - 48n * hour, now]) {
    const resources = services.map((name, i) => ({
      attributes: [['service.name', name]] as const,
      scopes: [{ spans: spansOf(i, until, 12n) }]
    }))
    const answer = await main.inject({
      method: 'POST',
      url: '/v1/telemetry/v1/traces',
      payload: encodeTraces(resources),
      headers: { 'content-type': 'application/x-protobuf' }
    })
    t.equal(answer.statusCode, 200, answer.body)
    await sql(`ADMIN flush_table('telemetry_traces')`)
  }
  const counted = async (work: () => Promise<unknown>) => {
    const groups = async (result: string) => {
      const line = new RegExp(`^svc_storage_index_groups_total\\{result="${result}"\\} (\\d+)$`, 'm')
      return Number(line.exec(await core.metrics.expose())?.[1] ?? 0)
    }
    const before = [await groups('read'), await groups('skipped')]
    await work()
    return { read: (await groups('read')) - before[0]!, skipped: (await groups('skipped')) - before[1]! }
  }
  const [[traceId]] = await sql(
    `SELECT trace_id FROM telemetry_traces WHERE service_name = 'cart' ORDER BY timestamp LIMIT 1`
  )

  const bySql = await counted(async () => {
    t.equal((await sql(`SELECT * FROM telemetry_traces WHERE trace_id = '${traceId}'`)).length, 1)
  })
  t.ok(bySql.read <= 2 && bySql.read + bySql.skipped === 4, `by id: ${JSON.stringify(bySql)} of 4 groups`)

  const byJaeger = await counted(async () => {
    const answer = await main.inject({ url: `/v1/jaeger/api/traces/${traceId}` })
    t.equal(answer.json().data[0].spans.length, 1)
  })
  t.ok(byJaeger.read <= 2 && byJaeger.skipped >= 2, `by the Jaeger API: ${JSON.stringify(byJaeger)}`)

  const slow = `FROM telemetry_traces WHERE service_name = 'cart' AND timestamp > now() - INTERVAL '1 hour' AND duration_nano > 500000000`
  const ofService = await counted(async () => {
    t.equal(Number((await sql(`SELECT count(*) ${slow}`))[0][0]), 9, 'a hundredth of a twelfth')
  })
  t.same(ofService, { read: 0, skipped: 0 }, 'a service is a tag: its series are found without an index')

  const plan: [number, number, string][] = await sql(`EXPLAIN ANALYZE SELECT trace_id, duration_nano ${slow}`)
  const scanned = plan.flatMap(([, , line]) => /(?:SCAN|PARQUET)\w* rows=(\d+)/.exec(line)?.[1] ?? [])
  t.ok(
    scanned.length > 0 && scanned.every(rows => Number(rows) <= perService),
    plan.map(([, , line]) => line).join('\n')
  )

  const search = await counted(async () => {
    const answer = await main.inject({
      url: '/v1/jaeger/api/traces?service=cart&lookback=1h&minDuration=500ms&limit=5'
    })
    t.equal(answer.json().data.length, 5)
  })
  t.ok(search.read <= 3, `a search, and its five traces: ${JSON.stringify(search)}`)
})
