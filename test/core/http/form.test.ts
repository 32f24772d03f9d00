import t from 'tap'
import { startServer } from '../../helpers.ts'

const form = { 'content-type': 'application/x-www-form-urlencoded' }

t.test('forms have limits of their own, which the error names', async t => {
  const { main } = await startServer(
    t,
    '[http]\nmax_form_size = "10KiB"\nmax_form_fields = 5\n[plugins.sql]\nmax_sql_length = "1KiB"\nmax_sql_tokens = 8'
  )
  const post = (url: string, payload: string) => main.inject({ method: 'POST', url, headers: form, payload })
  for (const url of ['/v1/sql', '/v1/promql', '/v1/metricsys/api/v1/query']) {
    const long = await post(url, `a=${'%ff'.repeat(4000)}`)
    t.match([long.statusCode, long.body], [413, /http\.max_form_size/], url)
    const many = await post(url, 'a&b&c&d&e&f')
    t.match([many.statusCode, many.body], [400, /http\.max_form_fields/], url)
  }
  const sql = await post('/v1/sql', `sql=SELECT+1+--${'x'.repeat(1100)}`)
  t.match([sql.statusCode, sql.body], [400, /max_sql_length = .*1KiB/])
  const bytes = await post('/v1/sql', `sql=SELECT+'${'%E2%82%AC'.repeat(400)}'`)
  t.match([bytes.statusCode, bytes.body], [400, /1209 bytes/])
  t.equal((await post('/v1/sql', 'sql=SELECT+1,2,3,4')).statusCode, 200)
  const tokens = await post('/v1/sql', 'sql=SELECT+1,2,3,4,5')
  t.match([tokens.statusCode, tokens.body], [400, /more than 8 .*max_sql_tokens/])
})

t.test('a body that is no form where it lands keeps the limit of bodies', async t => {
  const { main } = await startServer(t, '[http]\nmax_form_size = "1KiB"')
  const payload = `m,host=a v="${'x'.repeat(3000)}"`
  const written = await main.inject({ method: 'POST', url: '/v1/lineproto/write', headers: form, payload })
  t.equal(written.statusCode, 204)
})

t.test('0 leaves forms to the limit of bodies', async t => {
  const { main } = await startServer(t, '[http]\nmax_form_size = "0"\nmax_form_fields = 0\nbody_limit = "20KiB"')
  const post = (payload: string) => main.inject({ method: 'POST', url: '/v1/sql', headers: form, payload })
  t.match((await post(`sql=SELECT+1&${'a&'.repeat(9000)}`)).statusCode, 200)
  t.match((await post(`sql=SELECT+1&${'a&'.repeat(11_000)}`)).body, /http\.body_limit/)
})
