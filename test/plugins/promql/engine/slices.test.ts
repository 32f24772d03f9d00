// Memory of samples: they are released as soon as they are not needed, and a large range is computed in slices.
import t from 'tap'
import { TotalSamples } from '../../../../plugins/promql/engine/limits.ts'
import type { SeriesSource } from '../../../../plugins/promql/engine/source.ts'
import { eventually } from '../../../eventually.ts'
import { type Load, memorySource, native, run, samplesOf } from '../source.ts'

const step = 15_000
const points = 240
const load: Load = Object.fromEntries([
  ...Array.from({ length: 5 }, (_, n) => [
    `hits_total{n="${n}"}`,
    Array.from({ length: points }, (_, i) => (i % 50 === 49 ? 'stale' : i * n))
  ]),
  ...Array.from({ length: 2 }, (_, n) => [`lat{n="${n}"}`, Array.from({ length: points }, (_, i) => native(i, [i, n]))])
])
const source = memorySource(step, load)
const range = { start: 60_000, end: points * step, step: 20_000 }

/** How often samples were read, and how many at most. */
function counting(inner: SeriesSource): SeriesSource & { readonly sizes: number[] } {
  const sizes: number[] = []
  return {
    sizes,
    async select(selection, signal, room) {
      let size = 0
      const found = await inner.select(selection, signal, {
        take(samples) {
          size += samples
          room.take(samples)
        }
      })
      sizes.push(size)
      return found
    }
  }
}

const queries = [
  'sum(rate(hits_total[2m]))',
  'hits_total',
  'sum by (n) (increase(hits_total[1m])) / ignoring (n) group_left () count(hits_total)',
  'topk(2, hits_total)',
  'avg_over_time(rate(hits_total[1m])[3m:20s])',
  'rate(lat[2m])',
  'histogram_quantile(0.5, sum(lat))',
  'hits_total - hits_total @ 600',
  'sum(hits_total @ end())',
  'absent(hits_total{n="1"})',
  'scalar(hits_total{n="1"}) + end() - start() + step()',
  'time()',
  'hits_total offset 1m or lat'
]

t.test('a range in parts has the values of the range as a whole', async t => {
  for (const query of queries) {
    const whole = await samplesOf(source, query, range)
    const counted = counting(source)
    const parts = await samplesOf(counted, query, { ...range, limits: { maxSamples: 3_000 } })
    t.same(parts, whole, query)
    if (/hits|lat/.test(query)) t.ok(counted.sizes.length > 0, query)
  }
  const counted = counting(source)
  await samplesOf(counted, queries[0]!, { ...range, limits: { maxSamples: 3_000 } })
  t.ok(counted.sizes.length > 1 && Math.max(...counted.sizes) <= 600, `read ${counted.sizes}`)
})

t.test('samples and results of a query are held as long as they are needed', async t => {
  // 1,200 samples are read, 900 come out of rate, 180 of sum.
  const peak = async (query: string) => (await run(source, query, range)).samples.peak
  t.equal(await peak('sum(rate(hits_total[2m]))'), 5 * 178 + 178)
  t.equal(await peak('hits_total'), 5 * 178)
  const one = await peak('hits_total + hits_total')
  t.equal(one, 3 * 5 * 178, 'both sides and the result')
  t.equal(await peak('hits_total + hits_total + hits_total + hits_total'), one, 'what was added is needed no more')
})

t.test('a query that cannot be computed in parts fails with 422', async t => {
  const refused = { status: 422, message: /more than 100 at a time \(plugins\.promql\.max_samples\)/ }
  const limits = { maxSamples: 100 }
  await t.rejects(run(source, 'count_over_time(hits_total[1h])', { start: range.end, limits }), refused, 'one step')
  await t.rejects(run(source, 'count_over_time(hits_total[1h])', { ...range, limits }), refused, 'long windows')
  await t.rejects(run(source, 'hits_total', { ...range, limits }), refused, 'the result')
})

t.test('a subquery of more steps than are computed at once has the values of all its steps', async t => {
  // 240 samples 15 s apart; 100,000 steps 40 ms apart end behind them.
  const at = { start: 3_700_000 }
  const cases: readonly (readonly [string, string, number])[] = [
    ['count_over_time((vector(time()))[4000s:40ms])', 'vector(time())', 40],
    ['sum_over_time((hits_total{n="3"} * 2)[3600s:40ms])', 'hits_total{n="3"} * 2', 40],
    ['sum_over_time((rate(hits_total{n="2"}[1m]))[3600s:50ms])', 'rate(hits_total{n="2"}[1m])', 50],
    [
      'max_over_time(max_over_time(hits_total{n="4"}[1m:1s])[3600s:50ms])',
      'max_over_time(hits_total{n="4"}[1m:1s])',
      50
    ],
    [
      'sum_over_time((hits_total{n="1"} - hits_total{n="1"} @ 600)[3600s:40ms])',
      'hits_total{n="1"} - hits_total{n="1"} @ 600',
      40
    ]
  ]
  for (const [query, inner, step] of cases) {
    const [, seconds] = /\[(\d+)s:\d+ms\]\)$/.exec(query)!
    const steps = { start: at.start - Number(seconds) * 1_000 + step, end: at.start, step, limits: { maxPoints: 1e6 } }
    const { value } = await run(source, inner, steps)
    const values =
      value.type === 'scalar' ? [...value.values] : value.type === 'vector' ? [...value.series[0]!.values] : []
    const kinds = value.type === 'vector' ? value.series[0]!.kinds : undefined
    const there = values.filter((_, i) => kinds === undefined || kinds[i] === 1)
    t.ok(values.length > 60_000)
    const expected = query.startsWith('count')
      ? there.length
      : query.startsWith('max')
        ? there.reduce((a, b) => Math.max(a, b))
        : there.reduce((a, b) => a + b, 0)
    const found = await run(source, query, at)
    const [series] = found.value.type === 'vector' ? found.value.series : []
    t.ok(
      Math.abs(series!.values[0]! - expected) <= 1e-9 * Math.abs(expected),
      `${query}: ${series!.values[0]}, ${expected}`
    )
  }
})

t.test('memory counts as it is taken: values that count_values makes into series, and steps of subqueries', async t => {
  const many = { start: 60_000, end: points * step, step: 20_000, limits: { maxSamples: 20_000 } }
  await t.rejects(run(source, 'count_values("v", hits_total * time())', many), /too many samples/)
  await t.rejects(
    run(source, 'sum_over_time((hits_total)[3000s:40ms])', { start: 3_600_000, limits: { maxSamples: 100_000 } }),
    /too many samples/
  )
})

t.test('all queries together hold so many samples at most, and none when they have ended', async t => {
  const total = new TotalSamples(() => 12_000)
  const limits = { total }
  const held: number[] = []
  let go: () => void = () => {}
  const gate = new Promise<void>(resolve => {
    go = resolve
  })
  const slow: SeriesSource = {
    async select(selection, signal, room) {
      const found = await source.select(selection, signal, room)
      held.push(total.held)
      await gate
      return found
    }
  }
  const first = run(slow, 'hits_total', { ...range, limits })
  await eventually(() => held.length === 1)
  t.ok(total.held >= 1_200, 'what is read counts')
  await t.rejects(run(source, 'count_values("v", hits_total * time())', { ...range, limits }), {
    code: 'RateLimited',
    retryAfter: 1,
    message: /more than 12000 samples together \(plugins\.promql\.max_total_samples\)/
  })
  t.equal(total.held, held[0], 'a query that was refused holds nothing')
  go()
  await first
  t.equal(total.held, 0)
  const failing: SeriesSource = {
    async select(selection, signal, room) {
      if (JSON.stringify(selection).includes('lat')) throw new Error('gone')
      await new Promise(resolve => setTimeout(resolve, 20))
      return source.select(selection, signal, room)
    }
  }
  await t.rejects(run(failing, 'hits_total + lat', { ...range, limits }), /gone/)
  await new Promise(resolve => setTimeout(resolve, 60))
  t.equal(total.held, 0, 'also what was still being read then')
})
