import t from 'tap'
import type { Quota } from '../../../core/http/context.ts'
import { createQuotas, type QuotaLimits } from '../../../core/http/quota.ts'
import { createMetrics } from '../../../core/metrics/metrics.ts'
import { startServer } from '../../helpers.ts'

const none: QuotaLimits = {
  user_bytes: 0,
  user_rows: 0,
  user_queries: 0,
  address_bytes: 0,
  address_rows: 0,
  address_queries: 0,
  burst: 10_000
}

function quotas(limits: Partial<QuotaLimits>) {
  const clock = { now: 0 }
  const metrics = createMetrics()
  return { clock, metrics, ...createQuotas({ quota: { ...none, ...limits } }, metrics, () => clock.now) }
}

const outcome = (quota: Quota | undefined, ...charge: Parameters<Quota['charge']>) => {
  try {
    quota?.charge(...charge)
    return 'ok'
  } catch (error) {
    return (error as { retryAfter: number }).retryAfter
  }
}

t.test('without limits nobody counts', async t => {
  t.equal(quotas({}).of('a', '::1'), undefined)
})

t.test('a burst may be used at once; what goes beyond is paid for with time', async t => {
  const { clock, of } = quotas({ user_rows: 100 })
  const quota = of('a', '::1')
  t.equal(outcome(quota, 'rows', 999), 'ok')
  t.equal(outcome(quota, 'rows', 3001), 'ok', 'the last one may take more than there is')
  t.equal(outcome(quota, 'rows', 1), 30)
  t.equal(outcome(of('b', '::1'), 'rows', 1), 'ok', 'others have accounts of their own')
  t.equal(outcome(quota, 'bytes', 1e9), 'ok', 'other kinds have no limit')
  clock.now = 29_000
  t.equal(outcome(quota, 'rows', 1), 1)
  clock.now = 30_020
  t.equal(outcome(quota, 'rows', 1), 'ok')
  clock.now = 1e9
  t.equal(outcome(quota, 'rows', 1000), 'ok', 'no more than the burst is saved up')
  t.equal(outcome(quota, 'rows', 1), 1)
})

t.test('an address is limited whoever uses it, and each refusal is counted', async t => {
  const { of, metrics } = quotas({ address_queries: 1, burst: 1000 })
  t.equal(outcome(of('a', '::1'), 'queries', 1), 'ok')
  t.equal(outcome(of('b', '::1'), 'queries', 1), 1)
  t.equal(outcome(of('b', '::2'), 'queries', 1), 'ok')
  const samples = await metrics.samples()
  t.match(
    samples.filter(({ value }) => value > 0),
    [{ name: 'svc_servers_quota_refused_total', labels: { quota: 'address_queries' }, value: 1 }]
  )
})

t.test('requests beyond a quota are answered 429 with Retry-After, in every way in', async t => {
  const toml = `user_provider = "static_user_provider:cmd:a=a,b=b"
[http.quota]
burst = "1s"
user_rows = 10
user_queries = 5
user_bytes = "1KiB"
`
  const { main } = await startServer(t, toml)
  const headers = (user: string) => ({ authorization: `Basic ${Buffer.from(`${user}:${user}`).toString('base64')}` })
  const put = (user: string, rows: number) =>
    main.inject({
      method: 'POST',
      url: '/v1/lineproto/write?precision=ms',
      headers: headers(user),
      payload: Array.from({ length: rows }, (_, i) => `m v=${i} ${i + 1}\n`).join('')
    })
  // Ten seconds' worth, of fewer bytes than there are: a slow machine is not given another one meanwhile.
  t.equal((await put('a', 100)).statusCode, 204)
  const refused = await put('a', 1)
  t.match([refused.statusCode, refused.headers['retry-after']], [429, /^([1-9]|10)$/])
  t.match(refused.body, /http\.quota\.user_rows/)
  t.equal((await put('b', 1)).statusCode, 204)
  const ask = (user: string) => main.inject({ url: '/v1/sql?sql=SELECT+count(*)+FROM+m', headers: headers(user) })
  const statuses = (await Promise.all(Array.from({ length: 30 }, () => ask('b')))).map(({ statusCode }) => statusCode)
  t.ok(statuses.includes(429), statuses.join())
  // Which of them come first is left to the server.
  t.ok(statuses.filter(status => status === 200).length >= 5, statuses.join())
  t.equal((await put('b', 150)).statusCode, 204, 'more bytes than there are')
  const bytes = await main.inject({
    method: 'POST',
    url: '/v1/lineproto/write',
    headers: headers('b'),
    payload: 'm v=1'
  })
  t.match([bytes.statusCode, bytes.body], [429, /http\.quota\.user_bytes|user_rows/])
  t.equal((await main.inject('/health')).statusCode, 200)
})
