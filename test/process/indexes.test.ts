import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { askServer } from '../plugins/sql/fixtures.ts'
import { serverFolder, startProcess } from './server.ts'

function sideFile(dir: string): string {
  const data = join(dir, 'data/data')
  return join(data, readdirSync(data, { recursive: true, encoding: 'utf8' }).find(name => name.endsWith('.idx'))!)
}

async function appears(path: string, content: Buffer): Promise<boolean> {
  for (let waited = 0; waited < 20_000; waited += 50) {
    if (existsSync(path) && readFileSync(path).equals(content)) return true
    await new Promise(resolve => setTimeout(resolve, 50))
  }
  return false
}

t.test('indexes that are missing or damaged are made again while the server answers', async t => {
  const dir = serverFolder(t)
  const first = await startProcess(t, dir)
  const ask = askServer(first.url)
  await ask(`CREATE TABLE logs (at TIMESTAMP(3) TIME INDEX, message STRING FULLTEXT INDEX) WITH (append_mode = 'true')`)
  const rows = Array.from({ length: 5000 }, (_, i) => `(${i}, 'request ${i} of ${i % 7}')`)
  t.equal((await ask(`INSERT INTO logs VALUES ${rows.join(', ')}`)).status, 200)
  t.equal((await ask(`ADMIN flush_table('logs')`)).status, 200)
  const path = sideFile(dir)
  const content = readFileSync(path)
  await first.kill('SIGKILL')

  const spoil = [
    () => rmSync(path),
    () => writeFileSync(path, content.subarray(0, content.length - 40)),
    () => writeFileSync(path, '')
  ]
  for (const [i, work] of spoil.entries()) {
    work()
    const server = await startProcess(t, dir)
    const search = `SELECT at FROM logs WHERE matches(message, '"request 4711"')`
    t.same((await askServer(server.url)(search)).rows, [[4711]], `before, ${i}`)
    t.ok(await appears(path, content), `made again, ${i}`)
    t.same((await askServer(server.url)(search)).rows, [[4711]], `after, ${i}`)
    await server.kill(i === 1 ? 'SIGKILL' : 'SIGTERM')
  }
})
