import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { Type } from 'typebox'
import { loadConfig } from '../../core/config/load.ts'
import { duration } from '../../core/config/schema.ts'
import { definePlugin } from '../../core/plugin.ts'
import { loadPlugins } from '../../core/registry.ts'
import { startServer, temporaryFolder } from '../helpers.ts'

const none = Type.Object({})
const plugin = (name: string, more: object = {}) => ({
  default: definePlugin({ name, prefix: '', servers: ['main', 'public'], config: none, ...more })
})

const shop = Type.Object({
  lanes: Type.Integer({ default: 4, minimum: 1 }),
  pause: duration(1000, 'Between two attempts.')
})

const catalogue = {
  base: async () => plugin('base'),
  shop: async () => plugin('shop', { config: shop, servers: ['main'], needs: ['base'] }),
  extra: async () => plugin('extra', { uses: ['shop'] })
}

const load = (plugins: Record<string, object>, list: typeof catalogue | object = catalogue, folder = '.') =>
  loadPlugins(loadConfig({ overrides: { plugins } }).config, list as typeof catalogue, folder)

t.test('built-in plugins are on, with their defaults, each after what it depends on', async t => {
  const reversed = Object.fromEntries(Object.entries(catalogue).reverse())
  const plugins = await load({}, reversed)
  t.strictSame(
    plugins.map(({ spec }) => spec.name),
    ['base', 'shop', 'extra']
  )
  t.match(plugins[1], { options: { lanes: 4, pause: 1000 }, servers: ['main'] })
})

t.test('options are read by the schema of the plugin', async t => {
  const plugins = await load({ shop: { lanes: 8, pause: '2m' }, base: { servers: ['main'] } })
  t.match(plugins[1]!.options, { lanes: 8, pause: 120_000 })
  t.match(plugins[0]!.servers, ['main'])
})

t.test('a plugin that is off is not imported', async t => {
  const exploding = { ...catalogue, bomb: () => Promise.reject(new Error('imported')) }
  const plugins = await load({ bomb: { enabled: false }, extra: { enabled: false } }, exploding)
  t.strictSame(
    plugins.map(({ spec }) => spec.name),
    ['base', 'shop']
  )
})

t.test('a faulty plugin stops the start and is named', async t => {
  const cases: [string, Record<string, object>, RegExp][] = [
    ['an unknown plugin', { shp: {} }, /plugins\.shp: unknown plugin, did you mean shop\?.*module/],
    ['servers wider than the manifest', { shop: { servers: ['main', 'public'] } }, /plugins\.shop\.servers.*public/],
    ['an unknown option', { shop: { lane: 1 } }, /plugins\.shop\.lane: unknown key, did you mean lanes\?/],
    ['an option of the wrong type', { shop: { lanes: 'many' } }, /plugins\.shop\.lanes: expected a whole number/],
    ['an option out of bounds', { shop: { lanes: 0 } }, /plugins\.shop\.lanes: expected at least 1/],
    ['a need that is off', { base: { enabled: false } }, /plugins\.shop: .*needs plugin base, which is off/],
    ['a module that is not there', { far: { module: './far.js' } }, /plugins\.far\.module: cannot load \.\/far\.js/],
    ['a package that is not there', { far: { module: 'weir-far' } }, /plugins\.far\.module: cannot load weir-far/]
  ]
  for (const [name, plugins, message] of cases) await t.rejects(load(plugins), { name: 'ConfigError', message }, name)
  const both = load({ shp: {}, shop: { lanes: 0 } })
  await t.rejects(both, { message: /shp.*\n.*lanes/ }, 'everything at once')
})

t.test('a level of the log is for core or a plugin there may be', async t => {
  const at = (level: string) =>
    loadPlugins(
      loadConfig({ overrides: { logging: { level }, plugins: { extra: { enabled: false } } } }).config,
      catalogue,
      '.'
    )
  await at('warn,core=info,shop=debug,extra=debug')
  await t.rejects(at('info,shp=debug'), { message: /logging\.level: there is no plugin shp, did you mean shop\?/ })
})

t.test('a need that nobody brings and a circle of needs stop the start', async t => {
  await t.rejects(load({}, { a: async () => plugin('a', { needs: ['b'] }) }), {
    message: /needs plugin b, which is not there/
  })
  const circle = {
    a: async () => plugin('a', { needs: ['b'] }),
    b: async () => plugin('b', { uses: ['c'] }),
    c: async () => plugin('c', { needs: ['a'] })
  }
  await t.rejects(load({}, circle), { message: /circle: a → b → c → a/ })
})

t.test('third-party modules load by path and by package name, from the folder of the configuration', async t => {
  const folder = temporaryFolder(t)
  const code = (name: string) =>
    `import { definePlugin } from 'weir-server'
     export default definePlugin({ name: '${name}', prefix: '', servers: ['main'], config: { type: 'object', properties: {} } })`
  const write = (file: string, text: string) => {
    mkdirSync(join(folder, file, '..'), { recursive: true })
    writeFileSync(join(folder, file), text)
  }
  write('mine.mjs', code('mine'))
  write('typed.ts', code('typed').replace('export default', 'const version: number = 1\nexport default'))
  write('node_modules/@acme/weir-one/package.json', '{"name":"@acme/weir-one","type":"module","main":"one.js"}')
  write('node_modules/@acme/weir-one/one.js', code('one'))
  write(
    'node_modules/weir-two/package.json',
    '{"name":"weir-two","type":"module","exports":{".":{"import":"./two.js"}}}'
  )
  write('node_modules/weir-two/two.js', code('two'))
  write('other.mjs', 'export default { name: "other" }')

  const plugins = await load(
    {
      mine: { module: './mine.mjs' },
      typed: { module: join(folder, 'typed.ts') },
      one: { module: '@acme/weir-one' },
      two: { module: 'weir-two' }
    },
    {},
    folder
  )
  t.strictSame(
    plugins.map(({ spec }) => spec.name),
    ['mine', 'typed', 'one', 'two']
  )
  await t.rejects(load({ yours: { module: './mine.mjs' } }, {}, folder), {
    message: /is the plugin mine.*\[plugins\.mine\]/
  })
  await t.rejects(load({ other: { module: './other.mjs' } }, {}, folder), {
    message: /no default export made by definePlugin/
  })
})

t.test('a plugin in JavaScript that lacks something is told what', async t => {
  const folder = temporaryFolder(t)
  const good = "name: 'mine', prefix: '/v1/mine', servers: ['main'], config: { type: 'object', properties: {} }"
  const cases: [string, RegExp][] = [
    [good.replace("name: 'mine', ", ''), /definePlugin: name must be a word/],
    [good.replace("'/v1/mine'", "'v1/mine'"), /definePlugin: prefix of mine must be empty or a path/],
    [good.replace("'/v1/mine'", "'/v1/mine/'"), /definePlugin: prefix of mine/],
    [good.replace("['main']", "'main'"), /definePlugin: servers of mine must be a list of main and public/],
    [good.replace(/, config.*/, ''), /definePlugin: config of mine must be a TypeBox object/],
    [`${good}, api: 2`, /definePlugin: api of mine is 2, expected 1: the plugin may be written for a newer server/],
    [`${good}, api: '1'`, /definePlugin: api of mine is "1", expected 1$/m],
    [`${good}, api: 0, older: true`, /definePlugin: api of mine is 0, expected 1$/m],
    [`${good}, needs: 'sql'`, /definePlugin: needs and uses of mine must be lists/],
    [`${good}, needs: ['mine']`, /definePlugin: mine depends on itself: .*the built-in plugin mine needs another name/],
    [`${good}, uses: ['mine']`, /definePlugin: mine depends on itself/],
    [`${good}, reducers: [1]`, /definePlugin: reducers of mine must be URLs of modules/],
    [`${good}, routes: {}`, /definePlugin: routes of mine must be a function/]
  ]
  for (const [i, [members, message]] of cases.entries()) {
    const text = `import { definePlugin } from 'weir-server'\nexport default definePlugin({ ${members} })`
    writeFileSync(join(folder, `mine${i}.mjs`), text)
    const problem = { name: 'ConfigError', message: new RegExp(`plugins\\.mine\\.module: .*${message.source}`) }
    await t.rejects(load({ mine: { module: `./mine${i}.mjs` } }, {}, folder), problem, members)
  }
})

t.test('a plugin may say which interface it is written for, and is refused where that is another one', async t => {
  const folder = temporaryFolder(t)
  const good = "name: 'mine', api: 1, prefix: '', servers: ['main'], config: { type: 'object', properties: {} }"
  writeFileSync(
    join(folder, 'good.mjs'),
    `import { definePlugin } from 'weir-server'\nexport default definePlugin({ ${good} })`
  )
  t.match(await load({ mine: { module: './good.mjs' } }, {}, folder), [{ spec: { name: 'mine', api: 1 } }])
  t.throws(() => definePlugin({ name: 'mine', prefix: '', servers: [], config: none, api: 2 as 1 }), {
    name: 'TypeError',
    message: /api of mine is 2, expected 1/
  })
  // As a newer copy of the package, beside the plugin, leaves it.
  const newer = good.replace('api: 1', 'api: 2, further: true')
  writeFileSync(join(folder, 'newer.mjs'), `export default { ${newer}, [Symbol.for('weir.plugin')]: true }`)
  await t.rejects(load({ mine: { module: './newer.mjs' } }, {}, folder), {
    name: 'ConfigError',
    message:
      /plugins\.mine\.module: cannot load \.\/newer\.mjs: api of mine is 2, expected 1: .*newer server \(.*newer\.mjs\)/
  })
})

t.test('a wrong option is told with file and line, and nothing is left behind', async t => {
  const folder = temporaryFolder(t)
  const broken = startServer(t, '[http]\n[plugins.admin]\nenabeld = true', { folder })
  await t.rejects(broken, { message: /weir\.toml:3: plugins\.admin\.enabeld: unknown key, did you mean enabled\?/ })
  t.notOk(existsSync(join(folder, 'data')))
})
