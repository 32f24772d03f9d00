// The copy of the catalog: after any damage to the catalog, the copy restores the same contents.
import {
  appendFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t, { type Test } from 'tap'
import { rebuildCatalog, sparePaths } from '../../../core/storage/embedded/catalog/catalog-spare.ts'
import { tableNames } from '../../../core/storage/embedded/catalog/row-sums.ts'
import type { Engine } from '../../../core/storage/engine.ts'
import { createTable, makeEngine, never, put, temporaryFolder } from './fixtures.ts'

const rowsFrom = (from: number, count: number, host = 'a') =>
  Array.from({ length: count }, (_, i) => ({ host, at: from + i, n: from + i, note: `row ${from + i}` }))

/** Everything that changes a catalog. */
async function work(engine: Engine): Promise<void> {
  const { catalog } = engine
  const table = await createTable(engine, 'kept')
  for (let i = 0; i < 4; i++) {
    await put(engine, table, rowsFrom(i * 10, 10, `host ${i}`))
    await engine.maintain({ kind: 'flush' }, never)
  }
  const field = { semantic: 'field', nullable: true } as const
  await catalog.changeTable(table, { kind: 'add_columns', columns: [{ name: 'more', type: 'Int64', ...field }] })
  const modified = { name: 'more', type: 'String', ...field } as const
  await catalog.changeTable(catalog.table('public', 'kept')!, {
    kind: 'modify_column',
    name: 'more',
    definition: modified
  })
  await catalog.changeTable(catalog.table('public', 'kept')!, { kind: 'drop_column', name: 'note' })
  const gone = await createTable(engine, 'gone')
  await put(engine, gone, rowsFrom(0, 10, 'of a table that goes'))
  await engine.maintain({ kind: 'flush' }, never)
  await catalog.dropTable(gone)
  for (const name of ['up', 'load']) {
    await catalog.createTable({
      database: 'public',
      name,
      columns: [
        { name: 'host', type: 'String', semantic: 'tag', nullable: true },
        { name: 'at', type: 'TimestampMillisecond', semantic: 'timestamp', nullable: false },
        { name: 'value', type: 'Float64', ...field }
      ],
      options: { physical_table: 'metrics' }
    })
  }
  await catalog.createDatabase('other', { ttl: '1day' })
  await catalog.putView({ database: 'public', name: 'v', query: 'SELECT 1', columns: [], createdAt: 1 })
  await catalog.dropDatabase('other')
  await catalog.changeTable(catalog.table('public', 'kept')!, { kind: 'rename', name: 'renamed' })
  await engine.maintain({ kind: 'compact' }, never)
}

/** All rows, with their checksums, and the numbers that were given. */
function contents(sqlite: DatabaseSync): Record<string, unknown> {
  const tables = [...tableNames(sqlite), 'sqlite_sequence']
  return Object.fromEntries(
    tables.map(table => [
      table,
      sqlite
        .prepare(`SELECT * FROM ${table}`)
        .all()
        .map(row => JSON.stringify(row))
        .sort()
    ])
  )
}

function contentsOf(path: string): Record<string, unknown> {
  const sqlite = new DatabaseSync(path, { readOnly: true })
  try {
    return contents(sqlite)
  } finally {
    sqlite.close()
  }
}

/** What the spare of a folder gives; undefined: nothing. */
function rebuilt(t: Test, dir: string): Record<string, unknown> | undefined {
  const found = rebuildCatalog(join(dir, 'catalog.db'), join(temporaryFolder(t), 'catalog.db'))
  if (found === undefined) return undefined
  const all = contents(found.catalog)
  found.catalog.close()
  return all
}

async function worked(t: Test): Promise<string> {
  const dir = temporaryFolder(t)
  const engine = makeEngine(dir, { segment_size: 8192 })
  await engine.open()
  await work(engine)
  await engine.close()
  return dir
}

t.test('after all changes, in one run and after others, it gives the catalog as it is', async t => {
  const dir = await worked(t)
  t.same(rebuilt(t, dir), contentsOf(join(dir, 'catalog.db')), 'a copy of nothing, and changes')
  const engine = makeEngine(dir, { segment_size: 8192 })
  await engine.open()
  await createTable(engine, 'later')
  const crashed = join(temporaryFolder(t), 'crashed')
  cpSync(dir, crashed, { recursive: true })
  await engine.close()
  t.same(rebuilt(t, crashed), contentsOf(join(crashed, 'catalog.db')), 'while the server runs')
  t.same(rebuilt(t, dir), contentsOf(join(dir, 'catalog.db')), 'after the stop')
})

t.test('one that lacks something, or has too much, is made anew by a start', async t => {
  const dir = await worked(t)
  const { copy, changes } = sparePaths(join(dir, 'catalog.db'))
  const whole = readFileSync(changes)
  const cases: Readonly<Record<string, () => void>> = {
    'no copy': () => rmSync(copy),
    'no changes': () => rmSync(changes),
    'changes cut short': () => truncateSync(changes, whole.length - 7),
    'a wrong bit in them': () => {
      const bytes = Buffer.from(whole)
      bytes[whole.length >> 1]! ^= 4
      writeFileSync(changes, bytes)
    },
    'garbage behind them': () => appendFileSync(changes, 'garbage'),
    'a copy that is none': () => writeFileSync(copy, 'nothing'),
    'too many of them': () => {
      const noise = Buffer.alloc(17 * 2 ** 20)
      appendFileSync(changes, noise)
    }
  }
  for (const [name, harm] of Object.entries(cases)) {
    harm()
    const engine = makeEngine(dir, { segment_size: 8192 })
    await engine.open()
    await engine.close()
    t.same(rebuilt(t, dir), contentsOf(join(dir, 'catalog.db')), name)
    t.ok(statSync(changes).size < whole.length, `${name}: the copy has taken up the changes`)
  }
})

t.test('while a server runs, the copy is made anew beside its changes, before they grow without end', async t => {
  const dir = temporaryFolder(t)
  const engine = makeEngine(dir, { segment_size: 8192 })
  await engine.open()
  const { copy, changes } = sparePaths(join(dir, 'catalog.db'))
  const table = await createTable(engine, 'first')
  // Every change of an option is a transaction; long ones, so that few are enough.
  const note = (round: number) => `${round} `.padEnd(1_000_000, 'x')
  const sizes: number[] = []
  const copies = new Set<number>()
  for (let round = 0; round < 24; round++) {
    await engine.catalog.changeTable(table, { kind: 'set_options', options: { ttl: note(round) } })
    await put(engine, table, rowsFrom(round * 4, 4, `host ${round}`))
    await engine.maintain({ kind: 'flush' }, never)
    sizes.push(statSync(changes).size)
    copies.add(statSync(copy).ino)
    // Whatever a crash leaves, also between the two files.
    if (round % 6 !== 5) continue
    const crashed = join(temporaryFolder(t), 'crashed')
    cpSync(dir, crashed, { recursive: true })
    t.same(rebuilt(t, crashed), contentsOf(join(crashed, 'catalog.db')), `after ${round + 1} rounds`)
  }
  t.ok(copies.size > 2, `${copies.size} copies`)
  t.ok(Math.max(...sizes) < 24 * 2 ** 20, 'what all changes take together is twice as much')
  // Closed while a copy is on its way, too: the next server takes the folder at once.
  for (let round = 0; round < 40 && !existsSync(`${copy}.tmp`); round++) {
    await engine.catalog.changeTable(table, { kind: 'set_options', options: { ttl: note(round) } })
  }
  await engine.close()
  t.same(rebuilt(t, dir), contentsOf(join(dir, 'catalog.db')), 'after the stop')
  const again = makeEngine(dir, { segment_size: 8192 })
  await again.open()
  await again.close()
  t.same(rebuilt(t, dir), contentsOf(join(dir, 'catalog.db')), 'after another start')
  t.notOk(
    readdirSync(dir).some(name => name.endsWith('.tmp')),
    'nothing is left of copies'
  )
})

t.test('a transaction that is not committed is none of its changes', async t => {
  const dir = temporaryFolder(t)
  const engine = makeEngine(dir, { segment_size: 8192 })
  await engine.open()
  await createTable(engine, 'first')
  await t.rejects(createTable(engine, 'first'))
  await createTable(engine, 'second')
  await engine.close()
  t.same(rebuilt(t, dir), contentsOf(join(dir, 'catalog.db')))
})

t.test('without a spare, or with half of one, there is nothing to give', async t => {
  const dir = await worked(t)
  const { copy } = sparePaths(join(dir, 'catalog.db'))
  truncateSync(copy, 100)
  t.equal(rebuilt(t, dir), undefined)
  rmSync(copy)
  t.equal(rebuilt(t, dir), undefined)
})
