// Queries whose samples one reading thread reads.
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { eventually } from '../../eventually.ts'
import { askSql, embeddedOnly, startServer } from '../../helpers.ts'

const start = 1_700_000_000
const samples = 200_000
/** A window of all samples at each of 10,000 steps: minutes of work. */
const endless = {
  query: `sum(mad_over_time(long_series[${samples}s]))`,
  start: String(start + samples - 10_000),
  end: String(start + samples),
  step: '1'
}

async function startLoaded(t: Test) {
  const server = await startServer(t, '[storage]\nquery_threads = 1\n[plugins.promql]\nexperimental = true\n')
  const url = server.addresses.main!
  const lines = [
    ...Array.from({ length: samples }, (_, i) => `long_series,id=a value=${(i * 7919) % 10_007} ${start + i}`),
    ...Array.from({ length: 500 }, (_, i) => `others,id=${i} value=1 ${start + samples}`)
  ]
  const written = await fetch(`${url}/v1/lineproto/write?precision=s`, { method: 'POST', body: lines.join('\n') })
  t.equal(written.status, 204, await written.text())
  await askSql(server, 'ADMIN flush()')
  const ask = (path: string, parameters: Readonly<Record<string, string>>, init: RequestInit = {}) =>
    fetch(`${url}/v1/metricsys/api/v1/${path}`, { method: 'POST', body: new URLSearchParams(parameters), ...init })
  const count = async () => {
    const answer = await ask('query', { query: 'count(others)', time: String(start + samples) })
    return ((await answer.json()) as { data: { result: { value: [number, string] }[] } }).data.result[0]!.value[1]
  }
  return { ask, count }
}

/** Whether the process computes: a third of the time at least. */
async function isBusy(): Promise<boolean> {
  const before = process.cpuUsage()
  await pause(500)
  return process.cpuUsage(before).user > 170_000
}

t.test(
  'a long query does not stop others, and leaves its reading thread when its time is over',
  embeddedOnly,
  async t => {
    const { ask, count } = await startLoaded(t)
    t.equal(await count(), '500')
    let isOver = false
    const headers = { 'x-svc-timeout': '20s' }
    const long = ask('query_range', endless, { headers }).finally(() => {
      isOver = true
    })
    await eventually(isBusy)
    for (let i = 0; i < 3; i++) t.equal(await count(), '500')
    t.notOk(isOver, 'the long one still runs')
    t.equal((await long).status, 503)
    await eventually(async () => !(await isBusy()))
    t.pass('nothing is computed for nobody')
  }
)

t.test('a reading thread leaves a query whose client has left', embeddedOnly, async t => {
  const { ask, count } = await startLoaded(t)
  const leaving = new AbortController()
  const asked = ask('query_range', endless, { signal: leaving.signal }).catch(() => 'left')
  await eventually(isBusy)
  leaving.abort()
  t.equal(await asked, 'left')
  await eventually(async () => !(await isBusy()))
  t.equal(await count(), '500')
})
