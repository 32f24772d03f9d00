import type { Test } from 'tap'
import t from 'tap'
import { Type } from 'typebox'
import { type Core, definePlugin, encodeSnappy, type Rehearsal } from '../../../core/index.ts'
import { createRehearsals } from '../../../plugins/metricsys/api/rehearsal.ts'
import { LastSeen } from '../../../plugins/metricsys/write/seen-series.ts'
import type { OwnService } from '../../../plugins/metricsys/write/service.ts'
import { startServer } from '../../helpers.ts'
import { writeV1 } from './messages.ts'

/** A server, and what it rehearses; its own does nothing in tests. */
async function rehearsing(t: Test) {
  let rehearsals: readonly Rehearsal[] = []
  const plugin = definePlugin({
    name: 'watching',
    prefix: '',
    servers: ['main'],
    config: Type.Object({}),
    needs: ['metricsys', 'promql'],
    setup(core: Core, _config, { metricsys, promql }) {
      rehearsals = createRehearsals(core, promql, (metricsys as OwnService).seen, 1_000)
    }
  })
  const server = await startServer(t, '', { plugins: [plugin] })
  const [blank, real] = rehearsals as [Rehearsal, Rehearsal]
  const ask = async (path: string) => (await server.main.inject(path)).json().data.result
  return { server, blank, real, ask }
}

t.test('before there are series, queries about nothing are asked', async t => {
  const { blank, ask } = await rehearsing(t)
  await blank.ready
  for (let turn = 0; turn < 4; turn++) t.ok((await ask((await blank.path(turn))!)).length <= 1)
})

t.test('queries about one series and about several follow the first samples', async t => {
  const { server, real, ask } = await rehearsing(t)
  const end = 1_700_000_000_000
  const series = Array.from({ length: 60 }, (_, i) => ({
    labels: { __name__: 'load', host: `h${i}`, zone: `z${i % 3}` },
    samples: Array.from({ length: 10 }, (_, step) => [end - 10_000 * (9 - step), i] as const)
  }))
  const headers = { 'content-type': 'application/x-protobuf', 'content-encoding': 'snappy' }
  const payload = Buffer.from(encodeSnappy(writeV1(series)))
  const wrote = await server.main.inject({ method: 'POST', url: '/v1/metricsys/write', payload, headers })
  t.equal(wrote.statusCode, 204)
  await real.ready
  const paths: string[] = []
  for (let turn = 0; turn < 4; turn++) paths.push((await real.path(turn))!)
  t.strictSame(
    paths.map(path => new URL(path, 'http://localhost').searchParams.get('query')),
    [
      '{__name__="load","host"="h59"}',
      '{"host"="h59"}',
      'rate({__name__="load","zone"="z2"}[5m])',
      'max_over_time(sum(rate({__name__="load","zone"="z2"}[1m]))[10m:30s])'
    ]
  )
  const counts = await Promise.all(paths.map(async path => (await ask(path)).length))
  t.strictSame(counts, [1, 1, 20, 1])
})

t.test('the first series is kept, and the time of the last sample', async t => {
  const seen = new LastSeen()
  const name = (table: string) => () => ({ table, labels: [{ name: 'host', value: Buffer.from('a') }] })
  seen.tell({ db: 'mine' }, 5, name('first'))
  seen.tell({ db: 'public' }, 9, name('second'))
  await seen.first
  t.equal(seen.time, 9)
  t.strictSame(seen.series, { db: 'mine', metric: 'first', labels: new Map([['host', 'a']]) })
})
