// Memtable rows written to spool files for SQL: few files, only new rows are written, none is left behind.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pino from 'pino'
import t from 'tap'
import { createMetrics } from '../../../core/metrics/metrics.ts'
import type { Table } from '../../../core/model/table.ts'
import { storedColumn } from '../../../core/storage/embedded/datafile/stored-column.ts'
import { createEmbeddedEngine } from '../../../core/storage/embedded/engine.ts'
import { readFooter } from '../../../core/storage/embedded/parquet/index.ts'
import { Spool } from '../../../core/storage/embedded/spool/spool.ts'
import { groupsOf } from '../../../core/storage/embedded/spool/spool-groups.ts'
import type { Engine } from '../../../core/storage/engine.ts'
import { createTable, never, put, settingsOf, temporaryFolder } from './fixtures.ts'

async function open(t: Parameters<typeof temporaryFolder>[0]) {
  const metrics = createMetrics()
  const engine = createEmbeddedEngine(settingsOf(temporaryFolder(t)), pino({ level: 'silent' }), metrics)
  await engine.open()
  t.teardown(() => engine.close())
  const files = async () => Number(/^svc_storage_spool_files (\d+)$/m.exec(await metrics.expose())![1])
  return { engine, files }
}

function ask(engine: Engine, table: Table) {
  const relations = [{ start: 21, end: 22, table, alias: 't' }]
  return engine.query({ kind: 'sql', text: 'SELECT count(*) FROM @', relations, timezone: 'UTC' }, never)
}

async function count(engine: Engine, table: Table): Promise<number> {
  let found = -1
  for await (const { columns } of (await ask(engine, table)).batches()) found = Number(columns[0]!.values[0])
  return found
}

t.test('after every write a statement sees it; the files are few, and go with a flush', async t => {
  const { engine, files } = await open(t)
  const table = await createTable(engine, 'grows')
  for (let at = 0; at < 100; at++) {
    await put(engine, table, [{ host: `h${at % 7}`, at, n: at }])
    if (at % 3 === 0) t.equal(await count(engine, table), at + 1)
  }
  const all = await Promise.all(Array.from({ length: 8 }, () => count(engine, table)))
  t.same(new Set(all), new Set([100]))
  t.ok((await files()) <= 12, 'files for rows and for series')
  const before = await ask(engine, table)
  await engine.maintain({ kind: 'flush' }, never)
  for await (const { columns } of before.batches()) t.equal(Number(columns[0]!.values[0]), 100)
  t.ok((await files()) <= 4, 'only series are left')
  t.equal(await count(engine, table), 100)
})

const columns = [{ name: 'n', type: 'Int32' as const }]
const write = (spool: Spool) => {
  const piece = { from: 0, rows: 3, columns: [{ kind: 'fixed' as const, values: Int32Array.of(1, 2, 3) }] }
  return spool.write(columns.map(storedColumn), () => groupsOf(columns, [piece]), 100, { plain: true, level: 0 })
}

t.test('files go when nobody reads them, and all with the spool', async t => {
  const folder = temporaryFolder(t)
  const [memory, disk] = [join(folder, 'memory'), join(folder, 'disk')]
  mkdirSync(join(memory, 'left'), { recursive: true })
  const spool = new Spool({ memory, disk })
  t.equal(readdirSync(memory).length, 1, 'what another one left is gone')
  const file = await write(spool)
  file.pin()
  file.drop()
  t.ok(existsSync(file.path))
  t.equal(spool.files, 1)
  file.unpin()
  t.equal(spool.files, 0)
  const other = await write(spool)
  t.ok(spool.bytes > 0)
  spool.close()
  t.notOk(existsSync(other.path))
  t.notOk(existsSync(memory))
})

t.test('without a folder in memory they lie on the disk', async t => {
  const folder = temporaryFolder(t)
  writeFileSync(join(folder, 'file'), '')
  const disk = join(folder, 'disk')
  const spool = new Spool({ memory: join(folder, 'file', 'memory'), disk })
  t.strictSame(spool.folders, [disk])
  t.ok((await write(spool)).path.startsWith(disk))
  spool.close()
})

t.test('a spool file that finds no room in memory is written to disk as a whole', async t => {
  const folder = temporaryFolder(t)
  const spool = new Spool({ memory: join(folder, 'memory'), disk: join(folder, 'disk') })
  t.teardown(() => spool.close())
  let tries = 0
  const groups = function* () {
    tries++
    for (let from = 0; from < 3; from++) {
      if (tries === 1 && from === 2) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
      yield { from, rows: 1, columns: [{ kind: 'fixed' as const, values: Int32Array.of(1, 2, 3) }] }
    }
  }
  const file = await spool.write(columns.map(storedColumn), groups, 100, { plain: true, level: 0 })
  t.match(file.path, join(folder, 'disk'))
  const bytes = new Uint8Array(readFileSync(file.path))
  t.equal(readFooter((offset, length) => bytes.subarray(offset, offset + length), bytes.length).rows, 3)
  t.same(readdirSync(spool.folders[0]!), [], 'nothing is left in memory')
})
