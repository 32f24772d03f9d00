// A computing query yields to other requests. Measured in processor time of the thread, which does not depend on other load.
import { setImmediate } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { LabelNames, Labels } from '../../../../plugins/promql/engine/labels.ts'
import type { RawSeries, SeriesSource } from '../../../../plugins/promql/engine/source.ts'
import { native, run } from '../source.ts'

const count = 30_000
const points = 20
const names = new LabelNames(['__name__', 'part', 'series'])
const times = Float64Array.from({ length: points }, (_, i) => (i + 1) * 15_000)
const all: RawSeries[] = Array.from({ length: count }, (_, i) => ({
  labels: new Labels(names, ['m', `p${i % 10}`, `s${(i * 7919) % count}`]),
  floats: { times, values: Float64Array.from({ length: points }, (_, n) => (i * n) % 97) }
}))
const source: SeriesSource = { select: async () => all }
const range = { start: 15_000, end: 300_000, step: 15_000, limits: { maxSamples: 1e9 } }

const queries = [
  'm',

  'sum(rate(m[1m]))',
  'avg by (part) (m)',
  'stddev(m)',
  'max(m)',
  'count(m)',
  'quantile(0.9, m)',
  'sum by (series) (m)',
  'topk(5, m)',
  'topk(1000, m)',
  'limitk(100, m)',
  'count_values("v", m)',
  'm * 2',
  'm + m',
  'm * on (part) group_left () sum by (part) (m)',
  'sum by (part) (m) * on (part) group_right () m',
  'topk(30000, m)',
  'm and m',
  'm or m',
  'm unless m',
  'abs(m)',
  '-m',
  'clamp(m, 1, 5)',
  'timestamp(m)',
  'sort_desc(m)',
  'sort_by_label(m, "series")',
  'label_replace(m, "x", "$1", "series", "s(.*)")',
  'label_join(m, "x", "-", "series", "part")',
  'absent(m)',
  'absent_over_time(m[5m])',
  'scalar(m)',
  'max_over_time(m[2m])',
  'avg_over_time(m[2m:30s])',
  'm @ 60'
]

/** Most milliseconds of processor time this thread spends between two turns of others. */
async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let [done, longest] = [false, 0]
  const ended = work().finally(() => {
    done = true
  })
  for (let before = process.threadCpuUsage(); !done; ) {
    await setImmediate()
    const now = process.threadCpuUsage()
    longest = Math.max(longest, (now.user + now.system - before.user - before.system) / 1_000)
    before = now
  }
  await ended
  return longest
}

/** What is compiled and allocated first is not what is measured: where the first run took longer, a second one counts. */
async function isBelow100(t: Test, what: string, work: () => Promise<number>): Promise<void> {
  const first = await work()
  const again = first < 100 ? first : await work()
  t.ok(again < 100, `${what}: ${first.toFixed(0)} and ${again.toFixed(0)} ms`)
}

t.test('no expression over 30,000 series holds the thread for 100 ms', async t => {
  for (const query of queries) {
    await isBelow100(t, query, () => longestTurn(() => run(source, query, range)))
  }
})

t.test('no total of histograms of 100,000 series holds the thread for 100 ms', async t => {
  const buckets = Array.from({ length: 10 }, (_, i) => i)
  const histograms = { times: times.subarray(0, 1), values: [native(1, buckets)] }
  const noFloats = { times: new Float64Array(0), values: new Float64Array(0) }
  const many: RawSeries[] = Array.from({ length: 100_000 }, (_, i) => ({
    labels: new Labels(names, ['m', 'p', `s${i}`]),
    floats: noFloats,
    histograms
  }))
  for (const query of ['sum(m)', 'avg(m)']) {
    const work = () => longestTurn(() => run({ select: async () => many }, query, { start: 15_000 }))
    await isBelow100(t, query, work)
  }
})

/** One series with a sample every second. */
const long: SeriesSource = {
  async select({ from, to }) {
    const count = Math.max(0, Math.floor(to / 1_000) - Math.ceil(from / 1_000) + 1)
    const seconds = Float64Array.from({ length: count }, (_, i) => (Math.ceil(from / 1_000) + i) * 1_000)
    return [{ labels: all[0]!.labels, floats: { times: seconds, values: seconds.map(time => time % 97) } }]
  }
}

t.test('no subquery of a million steps holds the thread for 100 ms', async t => {
  const inner = [
    'vector(time())',
    'day_of_year(vector(time()))',
    'm * 2 + m',
    'abs(-m)',
    'rate(m[1m])',
    'absent(m)',
    'm > bool 50 or vector(1)',
    'vector(min_of(scalar(m), 5))',
    'timestamp(m)',
    'sum(m)',
    'topk(1, m)',
    'count_values("v", m % 3)',
    'label_replace(m, "x", "$1", "series", "s(.*)")'
  ]
  for (const query of inner.map(each => `count_over_time((${each})[1000000s:1s])`)) {
    const work = () => longestTurn(() => run(long, query, { start: 4_000_000_000, limits: { maxSamples: 1e9 } }))
    await isBelow100(t, query, work)
  }
})

t.test('no window of five million samples holds the thread for 100 ms', async t => {
  const inner = '(vector(time() % 97))[5000000s:1s]'
  const functions = [
    `sum_over_time(${inner})`,
    `avg_over_time(${inner})`,
    `min_over_time(${inner})`,
    `stddev_over_time(${inner})`,
    `ts_of_max_over_time(${inner})`,
    `quantile_over_time(0.9, ${inner})`,
    `mad_over_time(${inner})`,
    `changes(${inner})`,
    `rate(${inner})`,
    `deriv(${inner})`,
    `predict_linear(${inner}, 60)`,
    `double_exponential_smoothing(${inner}, 0.5, 0.5)`
  ]
  for (const query of functions) {
    const work = () => longestTurn(() => run(long, query, { start: 6_000_000_000, limits: { maxSamples: 1e9 } }))
    await isBelow100(t, query, work)
  }
})
