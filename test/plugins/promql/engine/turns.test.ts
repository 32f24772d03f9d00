// A computing query yields to other requests. Measured in processor time of the thread, which does not depend on other load.
import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import { LabelNames, Labels } from '../../../../plugins/promql/engine/labels.ts'
import type { RawSeries, SeriesSource } from '../../../../plugins/promql/engine/source.ts'
import { run } from '../source.ts'

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

t.test('no expression over 30,000 series holds the thread for 100 ms', async t => {
  for (const query of queries) {
    // What is compiled and allocated first is not what is measured.
    const turns = [
      await longestTurn(() => run(source, query, range)),
      await longestTurn(() => run(source, query, range))
    ]
    t.ok(Math.min(...turns) < 100, `${query}: ${turns.map(turn => turn.toFixed(0)).join(' and ')} ms`)
  }
})
