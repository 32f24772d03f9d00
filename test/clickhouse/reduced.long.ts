// PromQL over ClickHouse: reductions computed while samples arrive from the cluster equal those computed from all samples.
import { isDeepStrictEqual } from 'node:util'
import t from 'tap'
import { staleBits, type TestSeries, writeV1 } from '../plugins/metricsys/messages.ts'
import { serve } from '../plugins/metricsys/serve.ts'
import { series as allSeries, interval, randomFrom, samples, start } from '../plugins/promql/peer/data.ts'
import { expressionMaker } from '../plugins/promql/peer/expression.ts'
import { answeringProxy } from './answering-proxy.ts'
import { needingClickHouse, startClickHouse } from './server.ts'

t.setTimeout(280_000)

const queries = Number(process.env['WEIR_PROPERTY_RUNS'] ?? 400)

/** Series that are hard on sums and windows: fractions, resets, gaps, ends, and the same time again. */
function wild(random: () => number): TestSeries[] {
  return Array.from({ length: 30 }, (_, n) => {
    let value = 0
    const points: [number, number | bigint][] = []
    for (let i = 0; i < samples; i++) {
      const kind = random()
      if (kind < 0.2) continue
      value = kind < 0.25 ? 0 : value + Math.round(random() * 100) / 10
      const shifted = start + i * interval + Math.floor(random() * 3) * 5_000
      points.push([shifted, kind > 0.97 ? staleBits : kind > 0.95 ? Number.NaN : value])
    }
    return { labels: { __name__: 'wild_total', zone: `z${n % 4}`, n: `${n}` }, samples: points }
  })
}

/** Requests that bring the samples in any order, some of them with another value before. */
function requests(series: readonly TestSeries[], random: () => number): Uint8Array[] {
  const found: TestSeries[][] = Array.from({ length: 8 }, () => [])
  const earlier: TestSeries[] = []
  for (const { labels, samples = [], histograms } of series) {
    if (histograms !== undefined) found[0]!.push({ labels, histograms })
    if (samples.length === 0) continue
    earlier.push({ labels, samples: samples.filter(() => random() < 0.1).map(([time]) => [time, -77] as const) })
    const parts = Array.from({ length: found.length }, (): (readonly [number, number | bigint])[] => [])
    for (const sample of samples) parts[Math.floor(random() * parts.length)]!.push(sample)
    for (const [i, samples] of parts.entries()) if (samples.length > 0) found[i]!.push({ labels, samples })
  }
  return [earlier, ...found].map(each =>
    writeV1(each.filter(({ samples = [], histograms }) => samples.length > 0 || histograms))
  )
}

t.test('random queries over parts, versions, resets, staleness, gaps and NaN', needingClickHouse(), async t => {
  const cluster = await startClickHouse(t)
  let reduced = 0
  const url = await answeringProxy(t, cluster.url, sql => {
    if (sql.includes('groupArray(')) reduced++
    return undefined
  })
  const server = await serve(
    t,
    `[plugins.promql]\nexperimental = true\n[storage]\nengine = "clickhouse"\n[storage.clickhouse]\nurls = ["${url}"]\n`
  )
  const seed = Number(process.env['WEIR_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
  t.comment(`seed ${seed}`)
  const random = randomFrom(seed)
  for (const body of requests([...allSeries, ...wild(random)], random)) {
    const answer = await server.write(body)
    t.equal(answer.status < 300, true, answer.body)
  }
  await server.sql(
    'CREATE TABLE rows_of (zone STRING, n STRING, v DOUBLE, w DOUBLE, ts TIMESTAMP(9) TIME INDEX, PRIMARY KEY (zone, n))'
  )
  const rows = Array.from({ length: 600 }, (_, i) => {
    const value = random() < 0.1 ? 'NULL' : String(Math.round(random() * 1000) / 10)
    return `('z${i % 3}', 'n${i % 5}', ${value}, ${(start + (i >> 3) * interval) * 1_000_000 + i})`
  })
  await server.sql(`INSERT INTO rows_of (zone, n, v, ts) VALUES ${rows.join(', ')}`)
  const make = expressionMaker(seed)
  const outcome = async (parameters: Record<string, string>) => {
    const about = new URLSearchParams({ nocache: '1', ...parameters })
    const answer = await server.main.inject({ url: `/v1/metricsys/api/v1/query_range?${about}` })
    const { data, error, warnings, infos } = answer.json()
    const result = data?.result.map((each: unknown) => JSON.stringify(each)).sort()
    return { error, warnings: warnings?.sort(), infos: infos?.sort(), result }
  }
  const ownMade = ['wild_total', 'rows_of{__field__="v"}', 'wild_total{zone="z1"}', 'wild_total{n=~"1.*",zone!="z2"}']
  const pick = <T>(of: readonly T[]) => of[Math.floor(random() * of.length)]!
  const own = () => {
    const range = pick(['20s', '1m', '2m30s', '10m'])
    const shift = pick(['', '', ' offset 45s', ' offset -1m', ' @ end()', ` @ ${start / 1000 + 700}`])
    const of = pick(ownMade)
    const call = pick([
      'rate',
      'increase',
      'max_over_time',
      'sum_over_time',
      'count_over_time',
      'last_over_time',
      'irate'
    ])
    const inner = random() < 0.4 ? `${of}${shift}` : `${call}(${of}[${range}]${shift})`
    return `${pick(['sum', 'avg', 'min', 'max', 'count', 'group'])} ${pick(['by (zone)', 'without (n)', ''])} (${inner})`
  }
  for (let i = 0; i < queries; i++) {
    const query = i % 2 === 0 ? own() : make()
    const first = start / 1000 + Math.floor(random() * samples * 15)
    const step = pick([1, 7, 15, 60, 300])
    const asked = { query, start: `${first}`, end: `${first + step * Math.floor(random() * 30)}`, step: `${step}` }
    // Whoever wants statistics gets the samples counted, which reads them all.
    const [plain, found] = [await outcome({ ...asked, stats: 'all' }), await outcome(asked)]
    if (isDeepStrictEqual(found, plain)) continue
    t.strictSame(found, plain, `seed ${seed}: ${JSON.stringify(asked)}`)
    break
  }
  t.ok(reduced > queries / 2, `${reduced} statements bring series in groups`)
})
