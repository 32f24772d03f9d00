// `status/tsdb`: the metrics and labels with most series, compared with a direct count.
import t from 'tap'
import { writeV1 } from './messages.ts'
import { serve } from './serve.ts'

const series = [
  ...Array.from({ length: 30 }, (_, i) => ({ __name__: 'hits_total', path: `/${i}`, job: 'api', none: '' })),
  ...Array.from({ length: 12 }, (_, i) => ({
    __name__: 'temp',
    room: `r${i % 4}`,
    job: i < 6 ? 'api' : 'web',
    n: String(i)
  })),
  { __name__: 'up', job: 'api' }
].map((labels, i) => ({ labels, samples: [[i < 30 ? 1_000 : 500_000, 1] as const] }))

t.test('metrics, labels and pairs with most series are told', async t => {
  const server = await serve(t)
  await server.write(writeV1(series))
  const ask = async (parameters = '') => {
    const reply = await server.main.inject(`/v1/metricsys/api/v1/status/tsdb?${parameters}`)
    return reply.json()
  }
  const { status, data, warnings } = await ask()
  t.equal(status, 'success')
  t.equal(warnings, undefined)
  t.strictSame(data.headStats, { numSeries: 43, numLabelPairs: 30 + 2 + 4 + 12 })
  t.strictSame(data.seriesCountByMetricName, [
    { name: 'hits_total', value: 30 },
    { name: 'temp', value: 12 },
    { name: 'up', value: 1 }
  ])
  t.strictSame(data.labelValueCountByLabelName, [
    { name: 'path', value: 30 },
    { name: 'n', value: 12 },
    { name: 'room', value: 4 },
    { name: 'job', value: 2 }
  ])
  t.strictSame(data.seriesCountByLabelValuePair.slice(0, 3), [
    { name: 'job=api', value: 37 },
    { name: 'job=web', value: 6 },
    { name: 'room=r0', value: 3 }
  ])
  t.strictSame((await ask('metric=temp&limit=1')).data.labelValueCountByLabelName, [{ name: 'n', value: 12 }])
  t.equal((await ask('start=400')).data.headStats.numSeries, 13, 'those with samples in the range')
  t.equal((await ask('end=10')).data.headStats.numSeries, 30)
  t.equal((await ask('db=none')).data.headStats.numSeries, 0)
  t.equal((await ask('limit=x')).status, 'error')
})

t.test('as many series are counted as the limit allows, and the answer says so', async t => {
  const server = await serve(t, '[plugins.metricsys]\nmax_status_series = 5')
  await server.write(writeV1(series))
  const { data, warnings } = (await server.main.inject('/v1/metricsys/api/v1/status/tsdb')).json()
  t.equal(data.headStats.numSeries, 5)
  t.strictSame(warnings, ['only the first 5 series were counted (plugins.metricsys.max_status_series)'])
})
