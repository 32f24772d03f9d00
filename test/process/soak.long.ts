import t from 'tap'
import { queries, writes } from './soak/jobs.ts'
import { type Measure, measures, type Reading } from './soak/measure.ts'
import { reportMinutes, reportResult } from './soak/report.ts'
import { runSoak } from './soak/run.ts'
import { judge } from './soak/verdict.ts'

const MiB = 2 ** 20

/** Readings of half an hour, one every five seconds; `rss` by share of the time. */
function readingsOf(rss: (share: number, i: number) => number): Reading[] {
  return Array.from({ length: 360 }, (_, i) => ({
    at: i * 5000,
    rss: rss(i / 359, i) * MiB,
    heap: 50 * MiB,
    external: 10 * MiB,
    handles: 20,
    fds: 60,
    threads: 16,
    delay: 0.02
  }))
}

const verdictOf = (readings: readonly Reading[], measure: Measure) =>
  judge(readings).find(each => each.measure === measure)!

t.test('growth after warm-up is reported as a leak, growth during warm-up is not', async t => {
  const warm = verdictOf(
    readingsOf(share => (share < 0.3 ? 100 + 1000 * share : 400)),
    'rss'
  )
  t.match(warm, { isFlat: true, growth: 0, median: 400 * MiB })
  const leak = verdictOf(
    readingsOf(share => 400 + 150 * share),
    'rss'
  )
  t.equal(leak.isFlat, false)
  t.ok(Math.abs(leak.growth - 100 * MiB) < 2 * MiB, 'two thirds of the run')
  t.ok(Math.abs(leak.slope - 300 * MiB) < 3 * MiB, 'half an hour twice')
  t.equal(
    verdictOf(
      readingsOf(share => 400 - 150 * share),
      'rss'
    ).isFlat,
    true,
    'what shrinks is flat'
  )
})

t.test('peaks and sawteeth are no trend', async t => {
  const sawtooth = verdictOf(
    readingsOf((_, i) => 400 + (i % 23) * 8),
    'rss'
  )
  t.equal(sawtooth.isFlat, true)
  const peaks = verdictOf(
    readingsOf((_, i) => (i > 300 && i % 40 === 0 ? 4000 : 400)),
    'rss'
  )
  t.match(peaks, { isFlat: true, growth: 0 })
})

t.test('readings that are too few say nothing', async t => {
  t.equal(verdictOf([], 'rss').isFlat, false)
  t.equal(verdictOf(readingsOf(() => 1).slice(0, 1), 'rss').isFlat, false)
})

t.test('a short soak, with a kill: everything is answered, everything is measured', async t => {
  const result = await runSoak({ minutes: 0.12, kills: 1 })
  t.strictSame([...result.errors], [])
  for (const { name } of [...writes, ...queries]) {
    const { answered } = result.tallies.get(name)!
    t.ok(answered > 0, `${name}: ${answered} answered`)
  }
  t.ok(result.readings.length > 3, `${result.readings.length} readings after the kill`)
  t.ok(result.readings.every(reading => measures.every(measure => reading[measure] > 0)))
  t.strictSame(
    result.verdicts.map(({ measure }) => measure),
    measures
  )
  for (const table of ['soak_events', 'soak_lines', 'soak_rows', 'soak_load_0', 'soak_weather']) {
    t.ok(result.rows.get(table)! > 0, `${table} has rows`)
  }
  t.match(reportMinutes(result.readings).join('\n'), /^ minute +rss +heap .*\n +0\.\d +\d+\.\d MiB/)
  t.match(
    reportResult(result).join('\n'),
    /^rss +[\d.]+ MiB .* after the warm-up, at most [\d.]+ MiB: (flat|GROWS)\n[\s\S]*errors: none$/
  )
})
