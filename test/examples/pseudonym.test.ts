// The example of a processor kind as its user has it: installed with npm beside the server, named in TOML and in a pipeline.
import { createHmac } from 'node:crypto'
import { cpSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { startServer, temporaryFolder } from '../helpers.ts'

const root = join(import.meta.dirname, '../..')

t.test('a processor of a third party is used in stored pipelines, dry runs and error messages', async t => {
  const folder = temporaryFolder(t)
  const modules = join(folder, 'node_modules')
  mkdirSync(modules)
  cpSync(join(root, 'examples/plugin-pseudonym'), join(modules, 'weir-plugin-pseudonym'), { recursive: true })
  symlinkSync(root, join(modules, 'weir-server'))
  const toml = '[plugins.pseudonym]\nmodule = "weir-plugin-pseudonym"\nsecret = "salt"'
  const { main } = await startServer(t, toml, { folder })
  const post = async (url: string, type: string, payload: string) => {
    const answer = await main.inject({ method: 'POST', url, headers: { 'content-type': type }, payload })
    return { status: answer.statusCode, body: answer.json() }
  }
  const yaml = (options: string) =>
    `processors:\n  - pseudonym: { ${options} }\ntransform: [{ field: user, type: string }]`
  t.match(await post('/v1/pipelines/p', 'text/yaml', yaml('field: user, length: 12')), { status: 200 })
  const stored = await post('/v1/ingest?table=t&pipeline_name=p', 'application/json', '[{"user":"eva"},{"user":"bo"}]')
  t.match(stored, { status: 200, body: { output: [{ affectedrows: 2 }] } })
  const csv = await main.inject({ url: `/v1/sql?format=csv&sql=${encodeURIComponent('SELECT "user" FROM t')}` })
  const hash = (text: string) => createHmac('sha256', 'salt').update(text).digest('hex').slice(0, 12)
  t.same(csv.body.trim().split(/\s+/).sort(), [hash('eva'), hash('bo')].sort())

  t.match(await post('/v1/ingest?table=t&pipeline_name=p', 'application/json', '[{"user":"eva"},{"user":5}]'), {
    status: 400,
    body: { error: 'item 1: Processor pseudonym: no text in user (processors[0] (line 2))' }
  })
  t.match(await post('/v1/pipelines/q', 'text/yaml', yaml('field: user, length: 2')), {
    status: 400,
    body: { error: 'processors[0] (line 2), pseudonym: length must be 4 to 64, not 2' }
  })
  t.match(await post('/v1/pipelines/q', 'text/yaml', 'processors: [{ pseudonim: {} }]'), {
    status: 400,
    body: { error: /known kinds are .*pseudonym.*, did you mean pseudonym\?$/ }
  })
})
