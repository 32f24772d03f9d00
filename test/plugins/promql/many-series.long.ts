// Metrics with more series than a function call can take arguments (some 120,000). `npm run many-series` writes a million.

import t from 'tap'
import { ProtoWriter } from '../../../core/wire/index.ts'
import { labelsV1, readQueries, readResults } from '../metricsys/messages.ts'
import { serve } from '../metricsys/serve.ts'

const total = Number(process.env['WEIR_MANY_SERIES'] ?? 150_000)
const perMetric = 300_000
const sizes = Array.from({ length: Math.ceil(total / perMetric) }, (_, i) => Math.min(perMetric, total - i * perMetric))

/** One request: a sample of each series of a metric. */
function request(metric: string, series: number): Uint8Array {
  const out = new ProtoWriter()
  for (let i = 0; i < series; i++) {
    const sample = new ProtoWriter().double(1, i % 7).int64(2, 60_000n).bytes
    out.data(1, labelsV1({ __name__: metric, part: `p${i % 10}`, series: `s${i}` }).data(2, sample).bytes)
  }
  return out.bytes
}

t.test('a metric of very many series is written, asked for and listed', async t => {
  const server = await serve(t, '[limits]\nmax_series = 5000000')
  for (const [i, size] of sizes.entries()) t.equal((await server.write(request(`many_${i}`, size))).status, 204)
  const api = async (path: string, parameters: Record<string, string>) => {
    const url = `/v1/metricsys/api/v1/${path}?${new URLSearchParams(parameters)}`
    const reply = await server.main.inject({ method: 'GET', url })
    t.equal(reply.statusCode, 200, `${path} ${parameters['query'] ?? ''}`)
    return reply.json().data
  }
  const ask = async (query: string) => (await api('query', { query, time: '60' })).result
  for (const [i, size] of sizes.entries()) {
    const metric = `many_${i}`
    t.equal((await ask(`count(${metric})`))[0].value[1], String(size))
    t.equal((await ask(metric)).length, size)
    t.equal((await ask(`count(rate(${metric}[5m]) or ${metric} > bool 3)`))[0].value[1], String(size))
    t.equal((await ask(`count(topk(130000, ${metric}))`))[0].value[1], String(Math.min(size, 130_000)))
    t.equal((await ask(`sum by (part) (${metric})`)).length, Math.min(10, size))
    t.equal((await ask(`count(count_values without () ("value", ${metric}))`))[0].value[1], String(size))
    t.equal(
      (await ask(`count(label_replace(${metric}, "x", "$1", "series", "s(.*)") * on (series) ${metric})`)).length,
      1
    )
    t.equal((await api('series', { 'match[]': metric })).length, size)
    t.equal((await api('label/series/values', { 'match[]': metric })).length, size)
  }
  t.equal((await ask('count({__name__=~"many_.*"})'))[0].value[1], String(total))
  const read = readQueries([{ from: 0, to: 60_000, matchers: [{ type: '=~', name: '__name__', value: 'many_.*' }] }])
  const answer = await server.post('read', read)
  t.equal(readResults(answer.raw)[0]!.length, total, 'remote read')
})
