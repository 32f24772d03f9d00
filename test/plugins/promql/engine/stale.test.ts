// Staleness markers of a long series are left out in steps.
import t from 'tap'
import { runAtOnce } from '../../../../core/index.ts'
import { noLabels } from '../../../../plugins/promql/engine/labels.ts'
import { wordsOf } from '../../../../plugins/promql/engine/source.ts'
import { pieceSamples } from '../../../../plugins/promql/engine/steps.ts'
import { withoutStaleSteps } from '../../../../plugins/promql/engine/window.ts'

t.test('markers at the borders of steps are left out, and no other sample', async t => {
  const count = 4 * pieceSamples + 5
  const stale = [0, pieceSamples - 1, pieceSamples, 2 * pieceSamples + 1, count - 1]
  const times = Float64Array.from({ length: count }, (_, i) => i)
  const values = Float64Array.from(times, time => 2 * time)
  for (const i of stale) wordsOf(values).set([2, 0x7ff00000], 2 * i)
  const series = { labels: noLabels, floats: { times, values } }
  const { floats } = runAtOnce(withoutStaleSteps(series))
  const left = times.filter(i => !stale.includes(i))
  t.strictSame(floats.times, left)
  t.strictSame(
    floats.values,
    left.map(time => 2 * time)
  )
  let steps = 0
  const reading = withoutStaleSteps(series)
  while (!reading.next().done) steps++
  t.equal(steps, 8, 'four pieces more than the first, looked through and copied')
})
