import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { startServer, temporaryFolder } from '../../helpers.ts'

t.test('a server that answers is not ready before its storage engine has finished opening', async t => {
  const folder = temporaryFolder(t)
  const embedded = new URL('../../../core/storage/embedded/engine.ts', import.meta.url)
  const slow = `import { createEmbeddedEngine } from ${JSON.stringify(embedded.href)}
export default (...parts) => {
  const engine = createEmbeddedEngine(...parts)
  const open = engine.open.bind(engine)
  const finished = new Promise(resolve => process.once('test:finished', resolve))
  engine.open = () => open().then(opening => ({ ...opening, finished }))
  return engine
}`
  writeFileSync(join(folder, 'slow.mjs'), slow)
  const { main } = await startServer(t, '[storage]\nengine = "./slow.mjs"', { folder })
  t.equal((await main.inject('/health')).statusCode, 200)
  const early = await main.inject('/ready')
  t.equal(early.statusCode, 503)
  t.equal(early.headers['retry-after'], '1')
  t.match(early.json(), { code: 5000, error: /data files are still being checked/ })
  process.emit('test:finished' as 'disconnect')
  await new Promise(setImmediate)
  const later = await main.inject({ method: 'POST', url: '/ready' })
  t.equal(later.statusCode, 200)
  t.strictSame(later.json(), {})
})

t.test('a server whose folder is gone is not ready until it is back', async t => {
  const folder = temporaryFolder(t)
  const { main, core } = await startServer(t, '', { folder })
  t.equal((await main.inject('/ready')).statusCode, 200)
  const data = join(core.config.storage.data_home, 'data')
  renameSync(data, `${data}-away`)
  const gone = await main.inject('/ready')
  t.equal(gone.statusCode, 503)
  t.match(gone.json(), { code: 5000, error: /folder .* is gone$/ })
  t.match((await main.inject('/metrics')).body, /^svc_ready 0$/m)
  renameSync(`${data}-away`, data)
  t.equal((await main.inject('/ready')).statusCode, 200)
})
