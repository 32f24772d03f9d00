// The catalog is synced without blocking the event loop, and writes that depend on a change wait for the sync.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t, { type Test } from 'tap'
import { EmbeddedCatalog } from '../../../core/storage/embedded/catalog/catalog.ts'
import { openCatalogFile } from '../../../core/storage/embedded/catalog/catalog-file.ts'
import { readMark } from '../../../core/storage/embedded/catalog/catalog-mark.ts'
import { closeKeepingJournal } from '../../../core/storage/embedded/catalog/catalog-sync.ts'
import { eventually } from '../../eventually.ts'
import { createTable, openEngine, put, select, temporaryFolder } from './fixtures.ts'

const files = (dir: string) => ({ main: join(dir, 'catalog.db'), journal: join(dir, 'catalog.db-wal') })

function openCatalog(t: Test, dir: string): EmbeddedCatalog {
  const catalog = new EmbeddedCatalog(files(dir).main, dir)
  t.teardown(() => catalog.close().catch(() => {}))
  return catalog
}

const turn = () => new Promise<void>(resolve => setImmediate(resolve))

const marked = (dir: string): number => {
  const mark = readMark(dir)
  return typeof mark === 'string' ? 0 : mark.generation
}

/** The catalog as a power cut leaves it when this much of its log is on the disk. */
function cut(t: Test, dir: string, bytes: number): string {
  const copy = temporaryFolder(t)
  cpSync(dir, copy, { recursive: true })
  truncateSync(files(copy).journal, bytes)
  return copy
}

const names = (catalog: EmbeddedCatalog) => catalog.databases().map(({ name }) => name)

t.test('a change returns before it is synced, and the event loop goes on until it is', async t => {
  const dir = temporaryFolder(t)
  const catalog = openCatalog(t, dir)
  catalog.createDatabase('first', {})
  await catalog.durable()
  const before = marked(dir)
  const events: string[] = []
  catalog.createDatabase('a', {})
  catalog.createDatabase('b', {})
  t.equal(marked(dir), before, 'nothing is promised when it returns')
  const done = catalog.durable().then(() => events.push('on the disk'))
  void turn().then(() => events.push('a turn of the event loop'))
  await done
  t.strictSame(events, ['a turn of the event loop', 'on the disk'])
  t.equal(marked(dir), before + 2, 'both share a sync')
})

t.test('a power cut between a change and its sync takes the change, and nothing else', async t => {
  const dir = temporaryFolder(t)
  const catalog = openCatalog(t, dir)
  catalog.createDatabase('first', {})
  await catalog.durable()
  const synced = statSync(files(dir).journal).size
  catalog.createDatabase('second', {})
  t.strictSame(names(openCatalog(t, cut(t, dir, synced))), ['first'])
  const killed = cut(t, dir, statSync(files(dir).journal).size)
  t.strictSame(names(openCatalog(t, killed)), ['first', 'second'], 'a process that ends takes nothing')
  await catalog.durable()
  t.throws(
    () => openCatalog(t, cut(t, dir, synced)),
    /the catalog is older than the log/,
    'once it is promised it is missed'
  )
})

t.test('of changes that were not synced a power cut may leave any page', async t => {
  const dir = temporaryFolder(t)
  const catalog = openCatalog(t, dir)
  catalog.createDatabase('first', {})
  await catalog.durable()
  const synced = statSync(files(dir).journal).size
  for (const name of ['a', 'b', 'c']) catalog.createDatabase(name, {})
  const whole = statSync(files(dir).journal).size
  const tear = (at: number) => {
    const copy = cut(t, dir, whole)
    const bytes = readFileSync(files(copy).journal)
    for (let i = at; i < at + 512; i++) bytes[i]! ^= 0x55
    writeFileSync(files(copy).journal, bytes)
    return copy
  }
  const torn = tear(synced + 100)
  const again = openCatalog(t, torn)
  t.strictSame(names(again), ['first'])
  again.createDatabase('d', {})
  await again.durable()
  // What is left of the others stands behind it in the same file.
  t.strictSame(names(openCatalog(t, cut(t, torn, statSync(files(torn).journal).size))), ['first', 'd'])
  t.throws(() => openCatalog(t, tear(synced - 600)), /the catalog is damaged/)
  await catalog.durable()
  t.throws(() => openCatalog(t, tear(synced + 100)), /the catalog is damaged/, 'from now on they are promised')
})

t.test(
  'a log that became long goes to the main file beside the event loop; changes wait until it is empty',
  async t => {
    const dir = temporaryFolder(t)
    const { journal, main } = files(dir)
    const catalog = openCatalog(t, dir)
    catalog.createDatabase('public', {})
    const columns = [{ name: 'at', type: 'TimestampMillisecond', semantic: 'timestamp', nullable: false }] as const
    const table = catalog.createTable({ database: 'public', name: 'm', columns, options: {} })
    const key = Buffer.alloc(1000, 1)
    let series = 0
    let turns = 0
    for (let emptied = 0; emptied < 2; ) {
      await catalog.ready()
      const before = statSync(journal).size
      catalog.saveSeries(
        table,
        Array.from({ length: 500 }, () => ({ tsid: ++series, key }))
      )
      await catalog.durable()
      const waiting = catalog.ready().then(() => 'ready')
      for (let isReady = false; !isReady; isReady = (await Promise.race([waiting, turn()])) === 'ready') turns++
      if (statSync(journal).size < before) emptied++
    }
    t.ok(turns > 4, 'others ran while changes waited')
    const killed = temporaryFolder(t)
    for (const name of ['catalog.db', 'catalog.db-wal', 'catalog.mark']) cpSync(join(dir, name), join(killed, name))
    await catalog.close()
    t.equal(openCatalog(t, killed).seriesCount(table.id), series)
    t.notOk(existsSync(journal), 'an orderly stop brings all of it to the main file')
    const sqlite = new DatabaseSync(main, { readOnly: true })
    t.equal(sqlite.prepare('SELECT count(*) AS n FROM series').get()?.n, series)
    sqlite.close()
  }
)

t.test('a catalog whose main file could not be synced keeps its log when it is closed', t => {
  const dir = temporaryFolder(t)
  const { main, journal } = files(dir)
  const sqlite = openCatalogFile(main)
  sqlite.exec('CREATE TABLE x (n INTEGER); PRAGMA wal_checkpoint(TRUNCATE)')
  copyFileSync(main, `${main}.older`)
  sqlite.exec('INSERT INTO x VALUES (7); PRAGMA wal_checkpoint(PASSIVE)')
  closeKeepingJournal(sqlite, main)
  t.ok(statSync(journal).size > 0)
  copyFileSync(`${main}.older`, main)
  const again = openCatalogFile(main)
  t.equal(again.prepare('SELECT n FROM x').get()?.n, 7, 'also where the main file lost what was written')
  again.close()
  t.end()
})

t.test('no record is in the log before the tables and columns that it names are on the disk', async t => {
  const dir = temporaryFolder(t)
  const engine = await openEngine(t, dir)
  const logSize = () =>
    readdirSync(join(dir, 'wal')).reduce(
      (sum, name) => sum + (name.endsWith('.wal') ? statSync(join(dir, 'wal', name)).size : 0),
      0
    )
  await createTable(engine, 'warm')
  for (const name of ['a', 'b', 'c', 'd', 'e']) {
    const [before, size] = [marked(join(dir, 'wal')), logSize()]
    const made = createTable(engine, name)
    // Others find the table before its maker has an answer.
    let table = engine.catalog.table('public', name)
    for (; table === undefined; table = engine.catalog.table('public', name)) await Promise.resolve()
    t.equal(marked(join(dir, 'wal')), before)
    const events: string[] = []
    const stored = put(engine, table, [{ host: 'x', at: 1 }]).then(() => events.push('answered'))
    while (events.length < 2) {
      if (!events.includes('named') && marked(join(dir, 'wal')) > before) events.push('named')
      if (logSize() > size) {
        t.ok(marked(join(dir, 'wal')) > before, `${name}: the log has a record`)
        await stored
        if (!events.includes('named')) events.unshift('named')
      }
      await turn()
    }
    t.strictSame(events, ['named', 'answered'])
    await made
  }
})

t.test('files go from the disk only once the catalog without them is on it', async t => {
  const dir = temporaryFolder(t)
  const engine = await openEngine(t, dir)
  const parquet = () =>
    readdirSync(join(dir, 'data'), { recursive: true }).filter(name => String(name).endsWith('.parquet')).length
  const table = await createTable(engine, 'gone')
  const files = 8
  for (let at = 0; at < files; at++) {
    await put(engine, table, [{ host: 'x', at }])
    await engine.maintain({ kind: 'flush' }, new AbortController().signal)
  }
  const before = marked(join(dir, 'wal'))
  const dropped = engine.catalog.dropTable(table)
  let early = 0
  while (parquet() > 0) {
    if (marked(join(dir, 'wal')) === before && parquet() < files) early++
    await turn()
  }
  t.equal(early, 0)
  t.ok(marked(join(dir, 'wal')) > before)
  await dropped
})

async function endAt(t: Test, point: string) {
  const dir = temporaryFolder(t)
  const program = join(import.meta.dirname, 'catalog-kill.ts')
  const child = spawn(process.execPath, [program, dir, point], { stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  child.stdout.on('data', bytes => {
    said += bytes
  })
  const [, signal] = await once(child, 'close')
  const engine = await openEngine(t, dir)
  const first = engine.catalog.table('public', 'first')!
  t.strictSame(await select(engine, first, 'SELECT count(*) FROM @'), [[2]])
  return { said, signal, engine }
}

for (const point of ['catalog.changed', 'catalog.committed', 'catalog.synced', 'catalog.marked'])
  t.test(`a server that is killed at ${point} starts again with all that was answered`, async t => {
    const { said, signal, engine } = await endAt(t, point)
    t.equal(signal, 'SIGKILL')
    t.equal(said, 'stored\n', 'what was under way was not answered')
    const second = engine.catalog.table('public', 'second') ?? (await createTable(engine, 'second'))
    await put(engine, second, [{ host: 'x', at: 1 }])
    t.strictSame(await select(engine, second, 'SELECT count(*) FROM @'), [[1]])
  })

t.test('a process that ends without closing its engine has all that was answered on the disk', async t => {
  const { said, signal, engine } = await endAt(t, 'nowhere')
  t.equal(signal, null)
  t.equal(said, 'stored\nmade\n')
  t.ok(engine.catalog.table('public', 'second'))
})

/** Lets a call of the system fail until the returned function is called. */
function fail(t: Test, fault: string): () => void {
  const mend = () => {
    delete process.env.WEIR_FAULT
  }
  process.env.WEIR_FAULT = fault
  t.teardown(mend)
  return mend
}

t.test('a failed sync is final: the system reports it once, and the next one would succeed', async t => {
  const dir = temporaryFolder(t)
  const catalog = openCatalog(t, dir)
  catalog.createDatabase('first', {})
  await catalog.durable()
  const before = marked(dir)
  const mend = fail(t, 'catalog.sync=EIO')
  catalog.createDatabase('second', {})
  const refused = { code: 'StorageUnavailable', retryAfter: 30, message: /could not be synced: EIO.*restart/ } as const
  await t.rejects(catalog.durable(), refused)
  mend()
  await catalog.ready()
  t.throws(() => catalog.createDatabase('third', {}), refused)
  await t.rejects(catalog.durable(), refused, 'it stays unknown whether the second one is on the disk')
  t.match(catalog.trouble, refused.message)
  t.equal(marked(dir), before)
  t.strictSame(names(catalog), ['first', 'second'], 'reads go on')
  await catalog.close()
  t.ok(names(openCatalog(t, dir)).includes('first'))
})

t.test('once the catalog could not be synced writes are refused, as `/ready` says, and reads go on', async t => {
  const dir = temporaryFolder(t)
  const engine = await openEngine(t, dir)
  const [tagged, unlogged] = [await createTable(engine, 'm'), await createTable(engine, 'n', { skip_wal: true })]
  await put(engine, tagged, [{ host: 'first', at: 1 }])
  const mend = fail(t, 'catalog.checkpoint=EIO')
  // More than the catalog's log may hold before its pages go to the main file.
  const host = (i: number) => String(i).padEnd(1000, 'x')
  await put(
    engine,
    tagged,
    Array.from({ length: 6_000 }, (_, i) => ({ host: host(i), at: 2 }))
  )
  const refused = { code: 'StorageUnavailable', retryAfter: 30, message: /could not be synced: EIO.*restart/ } as const
  await t.rejects(engine.maintain({ kind: 'flush' }, new AbortController().signal), refused)
  mend()
  for (const table of [tagged, unlogged]) await t.rejects(put(engine, table, [{ host: 'later', at: 3 }]), refused)
  t.same(await select(engine, tagged, 'SELECT count(*) FROM @'), [[6_001]])
  await engine.close()
  const again = await openEngine(t, dir)
  const table = again.catalog.table('public', 'm')!
  await put(again, table, [{ host: 'later', at: 3 }])
  t.same(await select(again, table, 'SELECT count(*), count(DISTINCT host) FROM @'), [[6_002, 6_002]])
})

t.test('where the mark cannot be written nothing is changed, and changes go on once it can', async t => {
  const dir = temporaryFolder(t)
  const catalog = openCatalog(t, dir)
  const mend = fail(t, 'catalog.mark=ENOSPC')
  catalog.createDatabase('first', {})
  await catalog.durable()
  await catalog.ready()
  t.throws(() => catalog.createDatabase('second', {}), { code: 'StorageUnavailable', retryAfter: 5, message: /ENOSPC/ })
  t.match(catalog.trouble, /^the catalog cannot be marked: ENOSPC/, 'the server is not ready')
  mend()
  await eventually(() => catalog.trouble === undefined)
  catalog.createDatabase('second', {})
  await catalog.durable()
  await catalog.close()
  t.strictSame(names(openCatalog(t, dir)), ['first', 'second'])
})

t.test('while others see a change that is not on the disk, `durable` waits for it', async t => {
  const dir = temporaryFolder(t)
  const engine = await openEngine(t, dir)
  const made = createTable(engine, 'a')
  const isThere = () => engine.catalog.table('public', 'a') !== undefined
  while (!isThere()) await Promise.resolve()
  const before = marked(join(dir, 'wal'))
  await engine.catalog.durable()
  t.ok(marked(join(dir, 'wal')) > before)
  await made
})
