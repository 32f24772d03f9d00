// With the plugin off, pipelines with scripts cannot be created, and stored ones are named in the log.
import t from 'tap'
import { startServer, temporaryFolder } from '../../helpers.ts'

const document = "processors:\n  - vrl: { source: '.ts = 1; .' }\n  - epoch: { field: ts, resolution: ms }\n"

t.test('without the plugin a pipeline with a script is refused, and a stored one is named at the start', async t => {
  const folder = temporaryFolder(t)
  const create = (main: string, name: string) =>
    fetch(`${main}/v1/pipelines/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'text/yaml' },
      body: document
    })
  const first = await startServer(t, '', { folder })
  t.equal((await create(first.addresses.main, 'scripted')).status, 200)
  await first.close()

  const { addresses, main } = await startServer(t, '[plugins.vrl]\nenabled = false', { folder })
  const refused = await create(addresses.main, 'more')
  t.equal(refused.status, 400)
  t.match(
    await refused.text(),
    /Unsupported vrl processor, known kinds are .*; kinds of plugins are known while they are on/
  )
  const status = await main.inject('/status')
  t.match(status.body, /pipelines name processors of plugins that are off: scripted \(vrl\)/)
  const ingest = await main.inject({
    method: 'POST',
    url: '/v1/ingest?table=t&pipeline_name=scripted',
    headers: { 'content-type': 'application/json' },
    payload: '[{"a":1}]'
  })
  t.match({ status: ingest.statusCode, body: ingest.body }, { status: 400, body: /Unsupported vrl processor/ })
})
