import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import t from 'tap'
import { Type } from 'typebox'
import { definePlugin } from '../../../core/index.ts'
import { dashboardPlugin } from '../../../plugins/dashboard/index.ts'
import type {} from '../../../plugins/services.ts'
import { startServer, temporaryFolder } from '../../helpers.ts'

const built = join(import.meta.dirname, '../../../plugins/dashboard/assets')
const api = '[http]\nenable_api_server = true\n'

/** A build of two files, one of them packed as well. */
function makeBuild(folder: string): string {
  mkdirSync(join(folder, 'assets'))
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Weir</title>')
  writeFileSync(join(folder, 'assets/index-B1.js'), 'plain')
  writeFileSync(join(folder, 'assets/index-B1.js.br'), 'as br')
  writeFileSync(join(folder, 'assets/index-B1.js.gz'), 'as gz')
  return folder
}

t.test('files of the dashboard', async t => {
  const folder = makeBuild(temporaryFolder(t))
  writeFileSync(join(folder, 'secret.txt'), 'not for all')
  const { main, public: open, addresses } = await startServer(t, api, { plugins: [dashboardPlugin(folder)] })

  t.test('both servers answer GET, POST and HEAD alike', async t => {
    for (const app of [main, open!]) {
      const [got, posted, head] = await Promise.all(
        (['GET', 'POST', 'HEAD'] as const).map(method => app.inject({ method, url: '/dashboard/' }))
      )
      t.equal(got!.statusCode, 200)
      t.match(got!.headers, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' })
      t.equal(posted!.statusCode, 200)
      t.equal(posted!.body, got!.body)
      t.equal(head!.statusCode, 200)
      t.equal(head!.body, '')
      const form = { 'content-type': 'application/x-www-form-urlencoded' }
      const withForm = await app.inject({ method: 'POST', url: '/dashboard/', headers: form, payload: 'a=b' })
      t.equal(withForm.body, got!.body, 'whatever is posted')
    }
    t.equal((await main.inject({ method: 'DELETE', url: '/dashboard/' })).statusCode, 405)
  })

  t.test('the bare path leads to the one with a slash and keeps the query', async t => {
    for (const method of ['GET', 'POST'] as const) {
      const response = await main.inject({ method, url: '/dashboard?q=a%26b&db=x' })
      t.equal(response.statusCode, 308)
      t.equal(response.headers.location, '/dashboard/?q=a%26b&db=x')
    }
    t.equal((await main.inject('/dashboard')).headers.location, '/dashboard/')
  })

  t.test('a path that is not a file is a place inside of the page', async t => {
    for (const path of ['query', 'query/', 'x/mine', 'no/such/place', 'secret.txt', '..%2fsecret.txt']) {
      const response = await main.inject(`/dashboard/${path}?q=1`)
      t.equal(response.statusCode, 200, path)
      t.match(response.body, /<title>Weir/, path)
    }
  })

  t.test('files are packed as the browser takes them, and kept for good', async t => {
    for (const [accepted, expected] of [
      ['br, gzip', 'as br'],
      ['gzip', 'as gz'],
      ['identity', 'plain']
    ] as const) {
      const headers = { 'accept-encoding': accepted }
      const response = await main.inject({ url: '/dashboard/assets/index-B1.js', headers })
      t.equal(response.body, expected, accepted)
      t.match(response.headers, {
        'content-type': /^(text|application)\/javascript; charset=utf-8$/,
        'cache-control': 'public, max-age=31536000, immutable',
        ...(expected !== 'plain' && { 'content-encoding': expected.slice(3).replace('gz', 'gzip') })
      })
      t.match(response.headers.vary, /accept-encoding/i)
    }
  })

  t.test('nothing outside of the folder of assets is sent', async t => {
    const outside = [
      'assets/',
      'assets/none.js',
      'assets/..',
      'assets/../secret.txt',
      'assets/../../index.ts',
      'assets/%2e%2e/secret.txt',
      'assets/..%2fsecret.txt',
      'assets/%2e%2e%2f%2e%2e%2findex.ts',
      'assets/..%5csecret.txt',
      'assets/.hidden',
      'assets//etc/passwd',
      'assets/index-B1.js%00.html'
    ]
    for (const path of outside) {
      const { status, body } = await ask(addresses.main, `/dashboard/${path}`)
      t.notMatch(body, /not for all|root:/, path)
      t.equal(status, 404, path)
    }
    const { error } = (await main.inject('/dashboard/assets/none.js')).json()
    t.equal(error, 'no such file: assets/none.js')
  })

  t.test('every answer says what the page may do', async t => {
    for (const path of ['/dashboard', '/dashboard/', '/dashboard/assets/none.js', '/dashboard/pages.json']) {
      const { headers } = await main.inject(path)
      const rules = new Map(
        String(headers['content-security-policy'])
          .split('; ')
          .map(rule => [rule.slice(0, rule.indexOf(' ')), rule.slice(rule.indexOf(' ') + 1)])
      )
      t.equal(rules.get('default-src'), "'none'", path)
      t.equal(rules.get('script-src'), "'self'", path)
      t.equal(rules.get('style-src'), "'self'", path)
      t.equal(rules.get('connect-src'), "'self'", path)
      t.equal(rules.get('frame-ancestors'), "'none'", path)
      t.notMatch(headers['content-security-policy'], /unsafe|http:|https:|\*/, path)
      t.match(headers, { 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' }, path)
    }
  })
})

t.test('the first page’s data is told to users with read permission, on both servers', async t => {
  const users = 'user_provider = "static_user_provider:cmd:reader:ro=r,writer:wo=w"\n'
  const plugins = [dashboardPlugin(makeBuild(temporaryFolder(t)))]
  const { main, public: open } = await startServer(t, `${users}${api}`, { plugins })
  for (const app of [main, open!]) {
    const ask = (authorization?: string) =>
      app.inject({ url: '/dashboard/api/home', ...(authorization && { headers: { authorization } }) })
    t.equal((await ask()).statusCode, 401)
    t.equal((await ask(`Basic ${btoa('writer:w')}`)).statusCode, 403)
    const response = await ask(`Basic ${btoa('reader:r')}`)
    t.equal(response.headers['cache-control'], 'no-store')
    t.match(response.json(), { version: /^\d/, ready: Boolean, uptime_seconds: Number, written: Array })
  }
})

t.test('a build without the dashboard starts and answers 404', async t => {
  const { main, public: open } = await startServer(t, api, {
    plugins: [dashboardPlugin(join(temporaryFolder(t), 'none'))]
  })
  for (const app of [main, open!])
    for (const method of ['GET', 'POST'] as const)
      for (const path of ['', '/', '/query', '/assets/index.js', '/pages.json', '/pages/mine.js']) {
        const response = await app.inject({ method, url: `/dashboard${path}` })
        t.equal(response.statusCode, 404, `${method} ${path}`)
        t.match(response.json().error, /^this build has no dashboard/)
      }
  t.equal((await main.inject('/health')).statusCode, 200)
})

t.test('pages of plugins', async t => {
  const folder = temporaryFolder(t)
  writeFileSync(join(folder, 'mine.js'), 'export default () => {}')
  writeFileSync(join(folder, 'typed.ts'), 'export default (element: HTMLElement): void => { element.hidden = true }')
  const plugin = definePlugin({
    name: 'mine',
    prefix: '/v1/mine',
    servers: ['main', 'public'],
    uses: ['dashboard'],
    config: Type.Object({}),
    setup(_core, _config, { dashboard }) {
      dashboard?.addPage({ name: 'mine', title: 'Mine', module: join(folder, 'mine.js') })
      dashboard?.addPage({ name: 'typed', title: 'Typed', module: join(folder, 'typed.ts'), servers: ['main'] })
      t.throws(() => dashboard?.addPage({ name: 'mine', title: 'Again', module: 'x.js' }), /there is a page mine/)
      t.throws(() => dashboard?.addPage({ name: 'a/b', title: 'No word', module: 'x.js' }), TypeError)
    }
  })
  const plugins = [plugin, dashboardPlugin(makeBuild(temporaryFolder(t)))]
  const { main, public: open } = await startServer(t, api, { plugins })

  t.test('are listed by the servers they are for', async t => {
    const mine = { name: 'mine', title: 'Mine' }
    const onMain: (typeof mine)[] = (await main.inject('/dashboard/pages.json')).json()
    const byName = onMain.toSorted((a, b) => (a.name < b.name ? -1 : 1))
    t.strictSame(byName, [mine, { name: 'profiles', title: 'Profiles' }, { name: 'typed', title: 'Typed' }])
    t.strictSame((await open!.inject('/dashboard/pages.json')).json(), [mine])
  })

  t.test('are modules, TypeScript without its types', async t => {
    const response = await main.inject('/dashboard/pages/mine.js')
    t.equal(response.body, 'export default () => {}')
    t.match(response.headers, { 'content-type': /^text\/javascript/, 'cache-control': 'no-cache' })
    const typed = await main.inject('/dashboard/pages/typed.js')
    t.notMatch(typed.body, /HTMLElement|void/)
    t.match(typed.body, /element.hidden = true/)
  })

  t.test('are not there where they were not added', async t => {
    for (const path of ['none.js', 'mine', 'typed.ts', '..%2fmine.js'])
      t.equal((await main.inject(`/dashboard/pages/${path}`)).statusCode, 404, path)
    t.equal((await open!.inject('/dashboard/pages/typed.js')).statusCode, 404)
  })
})

t.test('the build', { skip: !existsSync(built) && 'npm run build:dashboard makes it' }, async t => {
  const read = (name: string) => readFileSync(join(built, name))

  t.test('has each file packed twice', async t => {
    const names = readdirSync(join(built, 'assets')).filter(name => /\.(js|css|svg)$/.test(name))
    t.ok(names.length > 10)
    for (const name of names) {
      const plain = read(`assets/${name}`)
      if (!brotliDecompressSync(read(`assets/${name}.br`)).equals(plain)) t.fail(`${name}.br is another file`)
      if (!gunzipSync(read(`assets/${name}.gz`)).equals(plain)) t.fail(`${name}.gz is another file`)
    }
  })

  t.test('shows its first view with at most 200 KB, and each page with at most 60 KB more', async t => {
    const chunks: Readonly<Record<string, Chunk>> = JSON.parse(read('manifest.json').toString())
    const pages = Object.keys(chunks).filter(name => name.startsWith('src/pages/'))
    t.ok(pages.length > 7)
    for (const page of pages) {
      const files = new Set(['index.html'])
      const add = (name: string) => {
        const { file, imports = [], css = [], assets = [] } = chunks[name]!
        for (const each of [file, ...css, ...assets]) files.add(each)
        for (const each of imports) add(each)
      }
      for (const name of ['index.html', page, ...(chunks[page]!.dynamicImports ?? [])]) add(name)
      const size = [...files].reduce((sum, name) => sum + read(`${name}.gz`).length, 0)
      const most = page === 'src/pages/home/index.tsx' ? 200_000 : 260_000
      t.ok(size <= most, `${page}: ${size} bytes in ${files.size} files`)
    }
  })
})

/** A request whose path is sent as it is. */
async function ask(server: string, path: string): Promise<{ readonly status: number; readonly body: string }> {
  const { hostname, port } = new URL(server)
  const sent = request({ hostname, port, path }).end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  return { status: response.statusCode!, body: await text(response) }
}

/** Of the manifest that the build writes. */
interface Chunk {
  readonly file: string
  /** Names of chunks that are loaded with it; `dynamicImports`: when they are needed. */
  readonly imports?: readonly string[]
  readonly dynamicImports?: readonly string[]
  readonly css?: readonly string[]
  readonly assets?: readonly string[]
}
