// With the plugin off, pipelines with scripts cannot be created, and stored ones are named in the log.
import t from 'tap'
import { eventually } from '../../eventually.ts'
import { startServer, temporaryFolder } from '../../helpers.ts'

const document = "processors:\n  - vrl: { source: '.ts = 1; .' }\n  - epoch: { field: ts, resolution: ms }\n"

t.test('without the plugin a pipeline with a script is refused, and a stored one is named at the start', async t => {
  const folder = temporaryFolder(t)
  const create = (main: string, name: string, body = document) =>
    fetch(`${main}/v1/pipelines/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'text/yaml' },
      body
    })
  const first = await startServer(t, '', { folder })
  t.equal((await create(first.addresses.main, 'scripted')).status, 200)
  // Long ones are read in a thread.
  t.equal((await create(first.addresses.main, 'scripted_long', `${document}${'# long\n'.repeat(1_000)}`)).status, 200)
  await first.close()

  const { addresses, main } = await startServer(t, '[plugins.vrl]\nenabled = false', { folder })
  const refused = await create(addresses.main, 'more')
  t.equal(refused.status, 400)
  t.match(
    await refused.text(),
    /Unsupported vrl processor, known kinds are .*; kinds of plugins are known while they are on/
  )
  const names = /pipelines name processors of plugins that are off: scripted \(vrl\), scripted_long \(vrl\);?/
  await eventually(
    async () => (await main.inject('/status')).body,
    body => names.test(body)
  )
  const ingest = await main.inject({
    method: 'POST',
    url: '/v1/ingest?table=t&pipeline_name=scripted',
    headers: { 'content-type': 'application/json' },
    payload: '[{"a":1}]'
  })
  t.match({ status: ingest.statusCode, body: ingest.body }, { status: 400, body: /Unsupported vrl processor/ })
})
