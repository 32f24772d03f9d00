// Saved dashboards: who may see and change them, what is refused, what survives a restart.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { dashboardPlugin } from '../../../plugins/dashboard/index.ts'
import { askSql, startServer, temporaryFolder } from '../../helpers.ts'

const users = 'user_provider = "static_user_provider:cmd:ann=a,bob=b,reader:ro=r,writer:wo=w"\n'
const url = '/dashboard/api/boards'

async function open(t: Test, more = '', folder = temporaryFolder(t)) {
  mkdirSync(join(folder, 'build'), { recursive: true })
  writeFileSync(join(folder, 'build/index.html'), '<!doctype html>')
  const plugins = [dashboardPlugin(join(folder, 'build'))]
  const server = await startServer(t, `${users}[http]\nenable_api_server = true\n${more}`, { plugins, folder })
  type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
  const call = async (user: string, method: Method, path = '', body?: unknown, more: Record<string, string> = {}) => {
    const headers = { ...(user && { authorization: `Basic ${btoa(user)}` }), ...more }
    const payload = body === undefined ? {} : { payload: typeof body === 'string' ? body : JSON.stringify(body) }
    const reply = await server.main.inject({ method, url: url + path, headers, ...payload })
    return { status: reply.statusCode, body: reply.body === '' ? undefined : reply.json() }
  }
  return { ...server, call }
}

const draft = (title: string, shared = false) => ({
  title,
  shared,
  document: { panels: [{ title: 'größer ☃' }], big: 1 }
})
const [ann, bob] = ['ann:a', 'bob:b']

t.test('a dashboard is its owner’s, or everybody’s', async t => {
  const { call } = await open(t)
  const mine = await call(ann, 'POST', '', draft('Mine'))
  t.equal(mine.status, 200)
  t.match(mine.body, {
    title: 'Mine',
    owner: 'ann',
    shared: false,
    shipped: false,
    revision: 1,
    document: draft('').document
  })
  const shared = await call(ann, 'POST', '', draft('Shared', true))
  const titles = async (user: string) =>
    (await call(user, 'GET')).body
      .filter((each: { shipped: boolean }) => !each.shipped)
      .map((each: { title: string }) => each.title)
  t.strictSame(await titles(ann), ['Mine', 'Shared'])
  t.strictSame(await titles(bob), ['Shared'])
  t.strictSame(await titles('reader:r'), ['Shared'])
  const path = `/${mine.body.id}`
  for (const method of ['GET', 'DELETE'] as const) t.equal((await call(bob, method, path)).status, 404, method)
  t.equal((await call(bob, 'PUT', `${path}?revision=1`, draft('Taken'))).status, 404)

  const other = `/${shared.body.id}`
  const changed = await call(bob, 'PUT', `${other}?revision=1`, draft('Changed', true))
  t.match(changed.body, { title: 'Changed', owner: 'ann', revision: 2 })
  t.match(await call(ann, 'PUT', `${other}?revision=1`, draft('Late', true)), {
    status: 409,
    body: { error: /meanwhile/ }
  })
  t.match(await call(bob, 'PUT', `${other}?revision=2`, draft('Hidden', false)), { status: 403 })
  t.equal((await call(ann, 'PUT', `${other}?revision=2`, draft('Hidden', false))).status, 200)
  t.equal((await call(bob, 'GET', other)).status, 404)
  t.equal((await call(ann, 'DELETE', other)).status, 204)
  t.equal((await call(ann, 'GET', other)).status, 404)
})

t.test('users without permission can neither read nor change boards', async t => {
  const { call, main, public: open_ } = await open(t)
  t.equal((await call('', 'GET')).status, 401)
  t.equal((await call('writer:w', 'GET')).status, 403)
  for (const method of ['POST', 'PUT', 'DELETE'] as const)
    t.equal(
      (await call('reader:r', method, method === 'POST' ? '' : '/weir-server?revision=1', draft('x'))).status,
      403,
      method
    )
  const cross = { origin: 'http://evil.example', 'sec-fetch-site': 'cross-site' }
  const { id } = (await call(ann, 'POST', '', draft('Mine'))).body
  t.equal((await call(ann, 'POST', '', draft('x'), cross)).status, 403, 'no page of another site')
  t.equal((await call(ann, 'DELETE', `/${id}`, undefined, cross)).status, 403)
  const sql = "DELETE FROM svc_private.dashboards WHERE title = 'Mine'"
  await t.rejects(askSql({ main }, sql, { user: ann }), /read-only|PermissionDenied|svc_private/)
  t.equal((await open_!.inject({ url, headers: { authorization: `Basic ${btoa(ann)}` } })).statusCode, 200)
})

t.test('an invalid board is refused with the reason, and counted', async t => {
  const limits = '[plugins.dashboard]\nmax_dashboards = 2\nmax_dashboard_size = "200B"'
  const { call, main } = await open(t, limits)
  const cases: readonly (readonly [body: unknown, status: number, error: RegExp])[] = [
    ['{', 400, /not valid JSON/],
    ['[]', 400, /title must be/],
    ['"x"', 400, /title must be/],
    ['{"title":"x","document":{}} x', 400, /not valid JSON/],
    ['{"title":"x","document":{"a":[1,]}}', 400, /not valid JSON/],
    [`{"title":"x","document":{"a":${'['.repeat(200)}${']'.repeat(200)}}}`, 400, /nested deeper/],
    [`{"title":"${'x'.repeat(100_000)}","document":{}}`, 400, /title must be/],
    [`{"title":"x","shared":[${'1,'.repeat(10_000)}1],"document":{}}`, 400, /shared must be true or false/],
    [{ title: '', document: {} }, 400, /title must be a text of 1 to 200/],
    [{ title: 'x'.repeat(201), document: {} }, 400, /1 to 200/],
    [{ title: 'x', shared: 'yes', document: {} }, 400, /shared must be true or false/],
    [{ title: 'x', document: [] }, 400, /document must be an object/],
    [{ title: 'x' }, 400, /document must be an object/],
    [{ title: 'x', document: { a: 'a'.repeat(300) } }, 413, /at most 200 \(plugins\.dashboard\.max_dashboard_size\)/]
  ]
  for (const [body, status, error] of cases) t.match(await call(ann, 'POST', '', body), { status, body: { error } })
  t.match(await call(ann, 'PUT', '/weir-server', draft('x')), { status: 400, body: { error: /revision is missing/ } })
  t.match(await call(ann, 'PUT', '/weir-server?revision=1', draft('x')), {
    status: 400,
    body: { error: /comes with the server/ }
  })
  t.match(await call(ann, 'DELETE', '/access-log'), { status: 400 })
  const made = await Promise.all(['a', 'b', 'c', 'd'].map(title => call(ann, 'POST', '', draft(title))))
  t.strictSame(made.map(({ status }) => status).sort(), [200, 200, 400, 400])
  t.match(made.find(({ status }) => status === 400)!.body.error, /max_dashboards/)
  const metrics = (await main.inject('/metrics')).body
  t.match(metrics, 'svc_dashboard_refused_total{reason="limit"} 3')
  t.match(metrics, 'svc_dashboard_refused_total{reason="shipped"} 2')
})

t.test('a restart keeps them as they were', async t => {
  const folder = temporaryFolder(t)
  const first = await open(t, '', folder)
  const { id } = (await first.call(ann, 'POST', '', draft('One'))).body
  const gone = (await first.call(ann, 'POST', '', draft('Gone'))).body.id
  const changed = await first.call(ann, 'PUT', `/${id}?revision=1`, draft('Two', true))
  await first.call(ann, 'DELETE', `/${gone}`)
  await first.close()
  const again = await open(t, '', folder)
  t.strictSame((await again.call(bob, 'GET', `/${id}`)).body, changed.body)
  t.equal((await again.call(ann, 'GET', `/${gone}`)).status, 404)
  t.equal((await again.call(ann, 'PUT', `/${id}?revision=2`, draft('Three'))).status, 200)
})
