// The example plugin as its user has it: installed with npm beside the server, named in TOML, held to the contract.
import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { RequestContext } from '../../core/index.ts'
import { internalContext } from '../../core/index.ts'
import type { Running } from '../../core/start.ts'
import { pluginContract } from '../contract/index.ts'
import { startServer, temporaryFolder } from '../helpers.ts'

const root = join(import.meta.dirname, '../..')
const example = join(root, 'examples/plugin-plaintext')

/** What `npm install weir-server weir-plugin-plaintext` leaves. */
function install(folder: string): string {
  const modules = join(folder, 'node_modules')
  mkdirSync(modules)
  cpSync(example, join(modules, 'weir-plugin-plaintext'), { recursive: true })
  symlinkSync(root, join(modules, 'weir-server'))
  return join(modules, 'weir-plugin-plaintext/index.js')
}

t.test('it is found by its package name and stores lines', async t => {
  const folder = temporaryFolder(t)
  install(folder)
  const toml = '[plugins.plaintext]\nmodule = "weir-plugin-plaintext"\ncolumn = "message"'
  const server = await startServer(t, toml, { folder })
  const payload = 'one\ntwö\n\nthree\n'
  const response = await server.main.inject({ method: 'POST', url: '/v1/plaintext?table=t', payload })
  t.strictSame(response.json(), { rows: 3 })
  t.strictSame(await column(server, 'message'), ['one', 'three', 'twö'])
})

t.test('it is found by its path, without an installation', async t => {
  const folder = temporaryFolder(t)
  cpSync(example, join(folder, 'plaintext'), { recursive: true })
  const server = await startServer(t, '[plugins.plaintext]\nmodule = "./plaintext"', { folder })
  const response = await server.main.inject({ method: 'POST', url: '/v1/plaintext?table=t', payload: 'x' })
  t.strictSame(response.json(), { rows: 1 })
})

t.test('it keeps the contract of plugins', async t => {
  const { default: plugin } = await import(install(temporaryFolder(t)))
  await pluginContract(t, {
    plugin,
    good: { method: 'POST', url: '/v1/plaintext?table=t', payload: 'a line\n' },
    bad: { method: 'POST', url: '/v1/plaintext', payload: 'no table\n' }
  })
})

t.test('a request without a table is refused', async t => {
  const folder = temporaryFolder(t)
  install(folder)
  const server = await startServer(t, '[plugins.plaintext]\nmodule = "weir-plugin-plaintext"', { folder })
  const refused = await server.main.inject({ method: 'POST', url: '/v1/plaintext', payload: 'x' })
  t.equal(refused.statusCode, 400)
  t.equal(refused.json().error, 'parameter table is missing')
})

t.test('it fits on a page of thirty lines', async t => {
  const code = readFileSync(join(example, 'index.js'), 'utf8')
  t.ok(code.trimEnd().split('\n').length <= 30)
})

async function column(server: Running, name: string): Promise<unknown[]> {
  const ctx: RequestContext = internalContext(server.core, 'test')
  const table = server.core.store.table('public', 't')!
  const result = await server.core.store.query(ctx, { kind: 'scan', table, columns: [name] })
  const values: unknown[] = []
  for await (const batch of result.batches()) values.push(...(batch.columns[0]!.values as unknown[]))
  return values.sort()
}
