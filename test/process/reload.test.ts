import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { type ServerProcess, serverFolder, startProcess } from './server.ts'

const config = async ({ url }: ServerProcess) => (await fetch(`${url}/config`)).text()
const metrics = async ({ url }: ServerProcess) => (await fetch(`${url}/metrics`)).text()

/** Waits until the configuration in effect says it. */
async function says(server: ServerProcess, text: string): Promise<boolean> {
  for (let i = 0; i < 300; i++) {
    if ((await config(server)).includes(text)) return true
    await sleep(20)
  }
  return false
}

t.test('the server follows its file, and reads it again on SIGHUP', async t => {
  const dir = serverFolder(t, '[slow_query]\nthreshold = "5s"\n')
  const file = join(dir, 'weir.toml')
  const server = await startProcess(t, dir)
  t.match(await config(server), 'threshold = "5s"')
  writeFileSync(file, readFileSync(file, 'utf8').replace('5s', '6s'))
  t.ok(await says(server, 'threshold = "6s"'), 'it noticed')
  appendFileSync(file, 'sample_ratio = 7\n')
  process.kill(server.pid, 'SIGHUP')
  const failed = async () => /svc_config_reloads_total\{result="failure"\} [1-9]/.test(await metrics(server))
  while (!(await failed())) await sleep(20)
  t.match(await config(server), 'sample_ratio = 1', 'a mistake changes nothing')
  writeFileSync(file, readFileSync(file, 'utf8').replace('sample_ratio = 7', 'sample_ratio = 0.5'))
  process.kill(server.pid, 'SIGHUP')
  t.ok(await says(server, 'sample_ratio = 0.5'))
  t.equal(await server.kill('SIGTERM'), 0, 'it still stops in order')
})
