// Concurrent requests for the metrics.
import t from 'tap'
import { createMetrics } from '../../core/metrics/metrics.ts'

t.test('requests of the same turn of the event loop share one answer, later ones get a new one', async t => {
  const metrics = createMetrics({ process: false })
  const counter = metrics.counter('asked_total', 'Of a test.')
  counter.add(1)
  const first = metrics.expose()
  t.equal(metrics.expose(), first)
  // What comes before the answer is made is in it.
  counter.add(1)
  t.match(await first, /^asked_total 2$/m)
  counter.add(1)
  t.match(await metrics.expose(), /^asked_total 3$/m)
})
