import { appendFileSync, readdirSync, rmSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import pino from 'pino'
import t, { type Test } from 'tap'
import { createMetrics } from '../../../core/metrics/metrics.ts'
import { createEmbeddedEngine } from '../../../core/storage/embedded/engine.ts'
import type { Engine } from '../../../core/storage/engine.ts'
import { createTable, makeEngine, never, put, select, settingsOf, temporaryFolder } from './fixtures.ts'

function makeBackgroundEngine(dir: string, logged: string[] = []): Engine {
  const log = pino({ level: 'error' }, { write: line => logged.push(line) })
  const config = { ...settingsOf(dir), init_regions_in_background: true, init_regions_parallelism: 2 }
  return createEmbeddedEngine(config, log, createMetrics())
}

/** Two tables with a file each; returns the path of the first one's. */
async function makeFolder(t: Test, dir: string): Promise<string> {
  const engine = makeEngine(dir)
  await engine.open()
  for (const name of ['one', 'two']) {
    const table = await createTable(engine, name)
    await put(engine, table, [{ host: 'a', at: 1, n: 1 }])
  }
  await engine.close()
  const files = readdirSync(join(dir, 'data'), { recursive: true, encoding: 'utf8' })
  const file = files.find(path => path.includes('one') && path.endsWith('.parquet'))
  t.ok(file)
  return join(dir, 'data', file!)
}

for (const [what, damage] of [
  ['cut', (file: string) => truncateSync(file, 100)],
  ['grown', (file: string) => appendFileSync(file, 'x')],
  ['gone', (file: string) => rmSync(file)]
] as const) {
  t.test(`a data file that is ${what} stops the start, or in the background its table only`, async t => {
    const dir = temporaryFolder(t)
    const file = await makeFolder(t, dir)
    damage(file)
    const names = { code: 'StorageUnavailable', message: new RegExp(`^data file ${file} `) }
    await t.rejects(makeEngine(dir).open(), names)
    const logged: string[] = []
    const engine = makeBackgroundEngine(dir, logged)
    const { finished } = await engine.open()
    const [one, two] = ['one', 'two'].map(name => engine.catalog.table('public', name)!)
    const refused = {
      code: 'TableUnavailable',
      status: 503,
      message: new RegExp(`public\\.one is unavailable: data file ${file.replace(dir, '{storage.data_home}')}`)
    }
    await t.rejects(select(engine, one!, 'SELECT n FROM @'), refused, 'also before the check got there')
    t.same(await select(engine, two!, 'SELECT n FROM @'), [[1]])
    await finished
    await t.rejects(select(engine, one!, 'SELECT n FROM @'), refused)
    t.same(await select(engine, two!, 'SELECT n FROM @'), [[1]])
    t.equal(logged.length, 1, 'said once')
    t.ok(logged[0]?.includes(file))
    await put(engine, two!, [{ host: 'b', at: 2, n: 2 }])
    await engine.catalog.dropTable(one!)
    await engine.close()
    const again = makeEngine(dir)
    await again.open()
    t.same(await select(again, again.catalog.table('public', 'two')!, 'SELECT n FROM @ ORDER BY n'), [[1], [2]])
    await again.close()
  })
}

t.test('sound files are checked beside the queries, and the folder can be closed meanwhile', async t => {
  const dir = temporaryFolder(t)
  await makeFolder(t, dir)
  const engine = makeBackgroundEngine(dir)
  const { finished } = await engine.open()
  t.same(await select(engine, engine.catalog.table('public', 'one')!, 'SELECT n FROM @'), [[1]])
  await finished
  await engine.maintain({ kind: 'compact' }, never)
  await engine.close()
  const again = makeBackgroundEngine(dir)
  await again.open()
  await again.close()
})

t.test('files a crash left over are removed before anything is answered', async t => {
  const dir = temporaryFolder(t)
  const file = await makeFolder(t, dir)
  appendFileSync(file.replace(/[^/]+$/, '7777.parquet.tmp'), 'x')
  truncateSync(file, 100)
  await t.rejects(
    makeBackgroundEngine(dir).open(),
    { code: 'StorageUnavailable' },
    'then every file is looked at first'
  )
})
