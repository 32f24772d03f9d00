import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { eventually } from '../eventually.ts'
import { askServer } from '../plugins/sql/fixtures.ts'
import { serverFolder, startProcess } from './server.ts'

/** The index sidecars of the data. */
function sidecars(dir: string): string[] {
  const data = join(dir, 'data/data')
  const names = readdirSync(data, { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.idx'))
  return names.sort().map(name => join(data, name))
}

const appears = (path: string, content: Buffer) =>
  eventually(() => existsSync(path) && readFileSync(path).equals(content))

t.test('indexes that are missing or damaged are made again while the server answers', async t => {
  const dir = serverFolder(t)
  const first = await startProcess(t, dir)
  const tables = ['removed', 'shortened', 'emptied']
  for (const table of tables) {
    const ask = askServer(first.url)
    await ask(
      `CREATE TABLE ${table} (at TIMESTAMP(3) TIME INDEX, message STRING FULLTEXT INDEX) WITH (append_mode = 'true')`
    )
    const rows = Array.from({ length: 5000 }, (_, i) => `(${i}, 'request ${i} of ${i % 7}')`)
    t.equal((await ask(`INSERT INTO ${table} VALUES ${rows.join(', ')}`)).status, 200)
    t.equal((await ask(`ADMIN flush_table('${table}')`)).status, 200)
  }
  const files = sidecars(dir).map(path => ({ path, content: readFileSync(path) }))
  t.equal(files.length, 3)
  await first.kill('SIGKILL')

  const [removed, shortened, emptied] = files
  rmSync(removed!.path)
  writeFileSync(shortened!.path, shortened!.content.subarray(0, shortened!.content.length - 40))
  writeFileSync(emptied!.path, '')
  const server = await startProcess(t, dir)
  const found = async (table: string) =>
    (await askServer(server.url)(`SELECT at FROM ${table} WHERE matches(message, '"request 4711"')`)).rows
  for (const table of tables) t.same(await found(table), [[4711]], `before, ${table}`)
  for (const { path, content } of files) t.ok(await appears(path, content), `made again, ${path}`)
  for (const table of tables) t.same(await found(table), [[4711]], `after, ${table}`)
  t.equal(await server.kill('SIGTERM'), 0)
})
