import t from 'tap'
import { Type } from 'typebox'
import { acceptForms, definePlugin } from '../../../core/index.ts'
import { startServer } from '../../helpers.ts'

const show = definePlugin({
  name: 'show',
  prefix: '/v1/show',
  servers: ['main', 'public'],
  config: Type.Object({}),
  routes(app) {
    acceptForms(app)
    const handler = async ({ ctx }: { ctx: import('../../../core/index.ts').RequestContext }) => {
      const { db, channel, timezone, plugin, hints } = ctx
      return { db, channel, timezone, plugin, hints }
    }
    app.route({ method: ['GET', 'POST'], url: '', handler })
  }
})

t.test('the context of a request', async t => {
  const toml = 'default_timezone = "Europe/Berlin"\n[http]\nenable_api_server = true'
  const servers = await startServer(t, toml, { plugins: [show] })
  const get = async (url: string, headers: Record<string, string> = {}) =>
    (await servers.main.inject({ url: `/v1/show${url}`, headers })).json()

  t.test('names server and plugin', async t => {
    t.match(await get(''), { channel: 'main', plugin: 'show' })
    t.match((await servers.public!.inject('/v1/show')).json(), { channel: 'public' })
  })

  t.test('has one rule for the database', async t => {
    const cases: [string, string | undefined, string][] = [
      ['', undefined, 'public'],
      ['?db=', undefined, 'public'],
      ['?db=shop', undefined, 'shop'],
      ['?db=svc-shop', undefined, 'shop'],
      ['?db=other-shop', undefined, 'other-shop'],
      ['?db=caf%C3%A9%20a%2Fb', undefined, 'café a/b'],
      ['?db=a&db=b', undefined, 'a'],
      ['', 'shop', 'shop'],
      ['', 'svc-public', 'public'],
      ['', Buffer.from('größe').toString('latin1'), 'größe'],
      ['?db=one', 'two', 'one'],
      ['?db=', 'two', 'two']
    ]
    for (const [query, header, db] of cases) {
      t.match(await get(query, header === undefined ? {} : { 'x-svc-db-name': header }), { db }, `${query} ${header}`)
    }
  })

  t.test('takes the database from a form, after the query, before the header', async t => {
    const post = async (query: string) => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded', 'x-svc-db-name': 'header' }
      const request = { method: 'POST' as const, url: `/v1/show${query}`, payload: 'db=form&x=1', headers }
      return (await servers.main.inject(request)).json()
    }
    t.match(await post(''), { db: 'form' })
    t.match(await post('?db=query'), { db: 'query' })
  })

  t.test('has a checked time zone', async t => {
    t.match(await get(''), { timezone: 'Europe/Berlin' })
    t.match(await get('', { 'x-svc-timezone': 'america/new_york' }), { timezone: 'America/New_York' })
    t.match(await get('', { 'x-svc-timezone': '-3:30' }), { timezone: '-03:30' })
    t.match(await get('', { 'x-svc-timezone': '' }), { timezone: 'Europe/Berlin' })
    t.match(await get('', { 'x-svc-timezone': 'Mars/Base' }), {
      code: 1004,
      error: /Mars\/Base.*IANA.*\+02:00.*SYSTEM/
    })
  })

  t.test('has the hints of one header or of several', async t => {
    const hints = { options: { ttl: '30days', append_mode: true }, autoCreate: false }
    const one =
      'ttl=30d, append_mode=true,auto_create_table=false, read_preference=leader, query.parallelism=2, sst_format=flat'
    t.match(await get('', { 'x-svc-hints': one }), { hints })
    const several = {
      'x-svc-hint-ttl': '30d',
      'x-svc-hint-append_mode': 'true',
      'x-svc-hint-auto_create_table': 'false'
    }
    t.match(await get('', several), { hints })
    t.match(await get('', { ...several, 'x-svc-hints': 'skip_wal=true' }), {
      hints: { options: { skip_wal: true, ttl: undefined } }
    })
    t.match(await get('', { 'x-svc-hints': 'on_physical_table=metrics' }), {
      hints: { options: { physical_table: 'metrics' } }
    })
    t.strictSame((await get('')).hints, { options: {} })
  })

  t.test('refuses hints it does not know or understand', async t => {
    const cases: [string, RegExp][] = [
      ['tll=30d', /unknown hint tll, known are .*ttl/],
      ['ttl=soon', /ttl/],
      ['append_mode=maybe', /append_mode.*true or false/],
      ['auto_create_table=1', /auto_create_table.*true or false/],
      ['ttl', /key=value/]
    ]
    for (const [hints, error] of cases) t.match(await get('', { 'x-svc-hints': hints }), { code: 1004, error }, hints)
  })
})
