// The plugin contract itself: it ends whether a plugin keeps it or not, and accepts every kind of plugin.
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { Type } from 'typebox'
import { definePlugin } from '../../core/plugin.ts'
import { pluginContract } from '../contract/index.ts'
import { temporaryFolder } from '../helpers.ts'

const root = new URL('../..', import.meta.url).href
const config = Type.Object({})
const schema = { summary: 'An object', produces: { 'application/json': Type.Object({}) } }

t.test('an assertion that fails ends the test', async t => {
  const folder = temporaryFolder(t)
  const file = join(folder, 'failing.test.mjs')
  const routes = {
    'a refusal of the good request': '{ schema }, async () => { throw new Error("no") }',
    'no refusal of strangers': '{ schema, config: { public: true } }, async () => ({})',
    'a route without a summary': '{ schema: { produces: {} } }, async () => ({})',
    'a route that does not say what it answers': '{ schema: { summary: "An object" } }, async () => ({})'
  }
  for (const [name, route] of Object.entries(routes)) {
    writeFileSync(
      file,
      `import test from 'node:test'
      import assert from 'node:assert'
      import { pluginContract } from '${root}test/contract/index.ts'
      import { definePlugin } from '${root}core/plugin.ts'
      const schema = { summary: 'An object', produces: {} }
      const plugin = definePlugin({ name: 'mine', prefix: '/v1/mine', servers: ['main'], config: { type: 'object', properties: {} },
        routes(app) { app.get('', ${route}) } })
      test('contract', t => pluginContract({ test: (name, run) => t.test(name, s => run({ test: s.test, ok: assert.ok, equal: assert.strictEqual })),
        ok: assert.ok, equal: assert.strictEqual },
        { plugin, good: { method: 'GET', url: '/v1/mine' }, action: 'none' }))`
    )
    const env = { ...process.env, NODE_OPTIONS: '', NODE_TEST_CONTEXT: undefined }
    const run = spawnSync(process.execPath, ['--test', file], {
      encoding: 'utf8',
      timeout: 120_000,
      cwd: fileURLToPath(root),
      env
    })
    t.equal(run.signal, null, `${name}: it ends`)
    t.equal(run.status, 1, run.stdout)
  }
})

t.test('a plugin that needs another of third parties', async t => {
  const other = definePlugin({ name: 'other', prefix: '', servers: [], config, setup: () => ({ word: 'hello' }) })
  const plugin = definePlugin({
    name: 'mine',
    prefix: '/v1/mine',
    servers: ['main'],
    config,
    needs: ['other' as never],
    routes(app) {
      const { other } = app.services as unknown as { readonly other: { readonly word: string } }
      app.get('', { schema }, async () => other)
      app.get('/bad', { schema }, async () => Promise.reject(Object.assign(new Error('no'), { statusCode: 400 })))
    }
  })
  await pluginContract(t as never, {
    plugin,
    others: [other],
    good: { method: 'GET', url: '/v1/mine' },
    bad: { method: 'GET', url: '/v1/mine/bad' },
    action: 'none'
  })
})

t.test('a listener, and a plugin whose route needs no user', async t => {
  const listener = definePlugin({ name: 'listener', prefix: '', servers: [], config, setup: () => ({ close() {} }) })
  await pluginContract(t as never, { plugin: listener })
  const open = definePlugin({
    name: 'open',
    prefix: '/v1/open',
    servers: ['public'],
    config,
    routes: app => void app.get('', { schema, config: { public: true } }, async () => ({}))
  })
  await pluginContract(t as never, { plugin: open, good: { method: 'GET', url: '/v1/open' }, action: 'public' })
  const missing = pluginContract(t as never, { plugin: open })
  await t.rejects(missing, { message: /a good request is missing: open has routes/ })
})
