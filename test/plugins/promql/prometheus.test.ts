// A real Prometheus with the same series gives the same answers to the same expressions.

import t, { type Test } from 'tap'
import { encodeSnappy } from '../../../core/wire/index.ts'
import { startServer } from '../../helpers.ts'
import { needingVersion, startPeer } from '../../prometheus.ts'
import { difference, parametersOf, type Question, readAnswer } from './peer/compare.ts'
import { interval, requests, samples, start } from './peer/data.ts'
import { expressionMaker } from './peer/expression.ts'

const options = needingVersion(3, 'does not take native histograms by remote write')

/** Expressions beside those below; WEIR_PROPERTY_RUNS asks for more. */
const runs = Number(process.env['WEIR_PROPERTY_RUNS'] ?? 150)
const seed = Number(process.env['WEIR_PROPERTY_SEED'] ?? Math.floor(Math.random() * 1e6))

/** Both, with the series of data.ts; the function asks them and says what differs. */
async function startBoth(t: Test): Promise<(question: Question) => Promise<string | undefined>> {
  const { main } = await startServer(t, '[plugins.promql]\nexperimental = true\nmax_query_length = 200000\n')
  const features = ['promql-experimental-functions', 'native-histograms']
  const flags = ['--web.enable-remote-write-receiver', '--storage.tsdb.retention.time=100y']
  const window = 'storage: { tsdb: { out_of_order_time_window: 3000d } }'
  const { url } = await startPeer(t, window, features, flags)
  for (const body of requests().map(encodeSnappy)) {
    const ours = await main.inject({ method: 'POST', url: '/v1/metricsys/write', payload: Buffer.from(body) })
    const headers = { 'content-encoding': 'snappy', 'content-type': 'application/x-protobuf' }
    const theirs = await fetch(`${url}/api/v1/write`, { method: 'POST', headers, body: new Uint8Array(body) })
    t.same([ours.statusCode, theirs.status], [204, 204], ours.body)
  }
  return async question => {
    const path = question.range === undefined ? 'query' : 'query_range'
    const payload = parametersOf(question)
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const ours = await main.inject({ method: 'POST', url: `/v1/metricsys/api/v1/${path}`, headers, payload })
    const theirs = await fetch(`${url}/api/v1/${path}`, { method: 'POST', headers, body: payload })
    return difference(readAnswer(ours.statusCode, ours.json()), readAnswer(theirs.status, await theirs.json()))
  }
}

const first = start / 1_000
const last = first + (samples * interval) / 1_000
const range = { start: first + 100, end: last - 3, step: 97 }

/** What was once answered differently. */
const queries = [
  'count_values without (instance) ("instance", small)',
  'count_values without (n) ("n", small)',
  'level{__name__=~"temp"}',
  'sort_by_label(small, "n")',
  '{__name__=~"temp|level"}[1m]',
  'histogram_fraction(0.7, 2.7, crooked_bucket)',
  'lat',
  'histogram_quantile(0.25, lat)',
  'histogram_stdvar(lat)',
  'rate(lat[5m])',
  'rate(lat[5m:7s])',
  'resets(lat[5m:7s])',
  'avg(lat{instance=~"b|c"})',
  'avg(steady * 1e306)',
  'sum by foo (temp)',
  'nope(temp)',
  'max_over_time((temp + 0)[30m:100ms])',
  `temp * 0 + ${Array(1_200).fill('1').join(' + ')}`,
  `temp * 0 + ${Array(1_200).fill('1').join(' ^ ')}`,
  '0xFFFFFFFFFFFFFFFFF',
  '017 + 08 + 1_000',
  'temp[293y]',
  'temp\u00a0+ 1',
  'sort_desc(lat)'
]

t.test('expressions are answered as Prometheus answers them', options, async t => {
  const ask = await startBoth(t)
  const next = expressionMaker(seed)
  t.comment(`WEIR_PROPERTY_SEED=${seed}`)
  const made = Array.from({ length: runs }, next)
  const found: string[] = []
  for (const query of [...queries, ...made]) {
    for (const question of [
      { query, time: last - 7 },
      { query, time: first + 1_234 },
      { query, range }
    ]) {
      const problem = await ask(question)
      if (problem !== undefined)
        found.push(`${query.slice(0, 300)} at ${question.time ?? 'a range'}: ${problem.slice(0, 500)}`)
    }
  }
  t.same(found, [])
})
