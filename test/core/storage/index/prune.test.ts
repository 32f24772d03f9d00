// Indexes may only make queries faster: whatever is written, overwritten and deleted, the answers are those without them.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { parseColumnIndex } from '../../../../core/model/column-index.ts'
import type { Table, TableOptions } from '../../../../core/model/table.ts'
import { examine } from '../../../../core/storage/embedded/repair/check.ts'
import type { Condition, Engine } from '../../../../core/storage/engine.ts'
import { cases } from '../../../property.ts'
import { createTable, never, openEngine, put, select, type TestRow, temporaryFolder } from '../fixtures.ts'

const flush = { kind: 'flush' } as const
const compact = { kind: 'compact' } as const
const indexes = {
  note: parseColumnIndex('fulltext', { granularity: '1024' }, 'String'),
  exact: parseColumnIndex('fulltext', { granularity: '1024', case_sensitive: 'true' }, 'String'),
  host: parseColumnIndex('inverted', {}, 'String'),
  n: parseColumnIndex('skipping', { granularity: '1024' }, 'Int64')
}

function createIndexed(engine: Engine, name: string, options: TableOptions, exact = false): Promise<Table> {
  return engine.catalog.createTable({
    database: 'public',
    name,
    columns: [
      { name: 'host', type: 'String', semantic: 'tag', nullable: true, index: indexes.host },
      { name: 'at', type: 'TimestampMillisecond', semantic: 'timestamp', nullable: false },
      { name: 'n', type: 'Int64', semantic: 'field', nullable: true, index: indexes.n },
      { name: 'note', type: 'String', semantic: 'field', nullable: true, index: exact ? indexes.exact : indexes.note }
    ],
    options
  })
}

const sidecars = (dir: string) =>
  readdirSync(join(dir, 'data'), { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.idx'))

/** The rows of a query with and without its condition. */
async function both(engine: Engine, table: Table, predicate: string, where: Condition) {
  const text = `SELECT * FROM @ WHERE ${predicate} ORDER BY ALL`
  const start = text.indexOf('@')
  const read = async (relation: { readonly where?: Condition }) => {
    const relations = [{ start, end: start + 1, table, alias: 't', ...relation }]
    const result = await engine.query({ kind: 'sql', text, relations, timezone: 'UTC' }, never)
    const rows: string[] = []
    for await (const { rows: count, columns } of result.batches()) {
      for (let i = 0; i < count; i++) {
        const cells = columns.map(({ values, valid }) =>
          valid && !(valid[i >> 3]! & (1 << (i & 7))) ? null : values[i]
        )
        rows.push(cells.join('|'))
      }
    }
    return rows
  }
  return { all: await read({}), pruned: await read({ where }) }
}

const words = ['error', 'Error', 'reset', 'peer', 'ärger', 'ok']
const note = fc.array(fc.constantFrom(...words), { maxLength: 3 }).map(all => all.join(' '))
const row: fc.Arbitrary<TestRow> = fc.record(
  {
    host: fc.constantFrom('a', 'b', 'c'),
    at: fc.integer({ min: 0, max: 12 }),
    n: fc.integer({ min: 0, max: 5 }),
    note
  },
  { requiredKeys: ['at'] }
)
type Step = { readonly op: 'put' | 'delete'; readonly rows: readonly TestRow[] } | 'flush' | 'compact'
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ op: fc.constant('put' as const), rows: fc.array(row, { minLength: 1, maxLength: 6 }) })
  },
  {
    weight: 1,
    arbitrary: fc.record({ op: fc.constant('delete' as const), rows: fc.array(row, { minLength: 1, maxLength: 2 }) })
  },
  { weight: 4, arbitrary: fc.constant('flush' as const) },
  { weight: 1, arbitrary: fc.constant('compact' as const) }
)

interface Asked {
  readonly sql: string
  readonly where: Condition
}

const term = fc.constantFrom(...words, 'missing').map((text): Asked => {
  const quoted = `'${text}'`
  return {
    sql: `list_contains(string_split(lower(note), ' '), lower(${quoted}))`,
    where: { kind: 'term', column: 'note', term: text, folded: true }
  }
})
const exactTerm = fc.constantFrom(...words).map(
  (text): Asked => ({
    sql: `list_contains(string_split(note, ' '), '${text}')`,
    where: { kind: 'term', column: 'note', term: text, folded: false }
  })
)
const equals = fc.oneof(
  fc
    .constantFrom('a', 'b', 'x')
    .map((value): Asked => ({ sql: `host = '${value}'`, where: { kind: 'equals', column: 'host', value } })),
  fc
    .integer({ min: 0, max: 7 })
    .map((value): Asked => ({ sql: `n = ${value}`, where: { kind: 'equals', column: 'n', value: `${value}` } }))
)
const range = fc.tuple(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 0, max: 6 })).map(([from, length]): Asked => {
  const time = (ms: number) => `make_timestamp_ms(${ms})`
  return {
    sql: `"at" >= ${time(from)} AND "at" < ${time(from + length)}`,
    where: { kind: 'time', from: BigInt(from), to: BigInt(from + length) }
  }
})
const leaf = fc.oneof(term, exactTerm, equals, range)
const asked: fc.Arbitrary<Asked> = fc.oneof(
  leaf,
  fc.tuple(fc.constantFrom('all' as const, 'any' as const), leaf, leaf, leaf).map(([kind, ...of]): Asked => {
    const operator = kind === 'all' ? ' AND ' : ' OR '
    return { sql: of.map(({ sql }) => `(${sql})`).join(operator), where: { kind, of: of.map(({ where }) => where) } }
  })
)

for (const options of [{ append_mode: true }, { merge_mode: 'last_row' }, { merge_mode: 'last_non_null' }] as const) {
  t.test(`with ${JSON.stringify(options)} indexes change no answer`, async t => {
    const engine = await openEngine(t, temporaryFolder(t), { sync: 'none' })
    let made = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 3, maxLength: 12 }),
        fc.array(asked, { minLength: 4, maxLength: 6 }),
        fc.boolean(),
        async (steps, questions, exact) => {
          const table = await createIndexed(engine, `t${made++}`, options, exact)
          for (const each of steps) {
            if (each === 'flush') await engine.maintain({ ...flush, table }, never)
            else if (each === 'compact') await engine.maintain({ ...compact, table }, never)
            else if (each.op === 'put' || !('append_mode' in options)) await put(engine, table, each.rows, each.op)
          }
          for (const { sql, where } of questions) {
            const { all, pruned } = await both(engine, table, sql, where)
            if (String(all) !== String(pruned)) throw new Error(`${sql}: ${pruned} instead of ${all}`)
          }
        }
      ),
      cases(6)
    )
  })
}

/** 10,000 rows in several row groups, one of them with a rare word. */
async function fill(engine: Engine, table: Table): Promise<void> {
  const rows = Array.from({ length: 10_000 }, (_, i) => ({
    host: `h${i % 3}`,
    at: i,
    n: i,
    note: `request ${i} answered${i === 7777 ? ' Unexpectedly' : ''}`
  }))
  await put(engine, table, rows)
  await engine.maintain(flush, never)
}

const rare: Condition = { kind: 'term', column: 'note', term: 'unexpectedly', folded: true }

/** Rows that operators gave which read files. */
async function rowsRead(engine: Engine, table: Table, where?: Condition): Promise<number> {
  return (await scansOf(engine, table, where)).reduce((sum, rows) => sum + rows, 0)
}

/** Of each operator that reads files, the rows it gave. */
async function scansOf(engine: Engine, table: Table, where?: Condition): Promise<readonly number[]> {
  const text = 'SELECT max(note) FROM @'
  const explain = 'EXPLAIN (ANALYZE, FORMAT JSON) '
  const start = text.indexOf('@')
  const relations = [{ start, end: start + 1, table, alias: 't', ...(where && { where }) }]
  const result = await engine.query({ kind: 'sql', text, explain, relations, timezone: 'UTC' }, never)
  let plan = ''
  for await (const { columns } of result.batches()) plan = String(columns[1]!.values[0])
  const scans: number[] = []
  interface Node {
    readonly operator_name?: string
    readonly operator_cardinality?: number
    readonly extra_info?: unknown
    readonly children?: readonly Node[]
  }
  const visit = (node: Node) => {
    const isScan = /READ_PARQUET|TABLE_SCAN/.test(node.operator_name ?? '')
    // Of the table's own rows: its series are read, too.
    if (isScan && JSON.stringify(node.extra_info).includes('note')) scans.push(node.operator_cardinality ?? 0)
    for (const child of node.children ?? []) visit(child)
  }
  visit(JSON.parse(plan))
  return scans
}

async function indexed(t: Test, options: TableOptions = { append_mode: true }) {
  const dir = temporaryFolder(t)
  const engine = await openEngine(t, dir)
  const table = await createIndexed(engine, 'logs', options)
  await fill(engine, table)
  return { dir, engine, table }
}

t.test('a rare word makes a query read one row group of its file', async t => {
  const { dir, engine, table } = await indexed(t)
  t.equal(sidecars(dir).length, 1)
  t.equal(await rowsRead(engine, table), 10_000)
  t.ok((await rowsRead(engine, table, rare)) <= 2048)
  t.ok((await rowsRead(engine, table, { kind: 'equals', column: 'n', value: '5000' })) <= 2048)
  t.equal(await rowsRead(engine, table, { kind: 'equals', column: 'n', value: '-5' }), 0)
  t.equal(await rowsRead(engine, table, { kind: 'time', from: 20_000n }), 0)
  const { all, pruned } = await both(engine, table, "note LIKE '%Unexpectedly%'", rare)
  t.equal(all.length, 1)
  t.same(pruned, all)
})

t.test('the files of a table with versions are pruned where no other can hide its rows', async t => {
  const { engine, table } = await indexed(t, {})
  t.ok((await rowsRead(engine, table, rare)) <= 2048)
  await put(engine, table, [{ host: 'h1', at: 7777, n: 1, note: 'nothing to see' }])
  await engine.maintain(flush, never)
  const { all, pruned } = await both(engine, table, "note LIKE '%Unexpectedly%'", rare)
  t.same(all, [])
  t.same(pruned, [])
})

t.test('index sidecars go with their data files', async t => {
  const { dir, engine, table } = await indexed(t)
  for (let i = 0; i < 4; i++) await fill(engine, table)
  await engine.maintain(compact, never)
  const { files } = engine.catalog.statistics(table)
  t.ok(files < 5)
  t.equal(sidecars(dir).length, files)
  t.ok((await rowsRead(engine, table, rare)) <= 5 * 2048)
  await engine.catalog.dropTable(table)
  t.equal(sidecars(dir).length, 0)
})

t.test('an index sidecar that is missing, damaged or strange is made anew', async t => {
  const { dir, engine } = await indexed(t)
  const [name] = sidecars(dir)
  const path = join(dir, 'data', name!)
  const whole = readFileSync(path)
  await engine.close()
  rmSync(path)
  writeFileSync(`${path.replace(/\d+\.parquet/, '999.parquet')}`, whole)
  const again = await openEngine(t, dir)
  await again.maintain(flush, never)
  t.same(readFileSync(path), whole, 'missing')
  t.equal(sidecars(dir).length, 1, 'that of a file nobody knows is gone')
  await again.close()

  const damaged = Buffer.from(whole)
  damaged[damaged.length - 1]! ^= 1
  damaged[Math.floor(damaged.length / 2)]! ^= 1
  writeFileSync(path, damaged)
  const third = await openEngine(t, dir)
  t.equal(
    (
      await both(third, third.catalog.table('public', 'logs')!, 'n = 5000', {
        kind: 'equals',
        column: 'n',
        value: '5000'
      })
    ).pruned.length,
    1
  )
  t.equal((await both(third, third.catalog.table('public', 'logs')!, "note LIKE '%Unex%'", rare)).pruned.length, 1)
  await third.maintain(flush, never)
  t.same(readFileSync(path), whole, 'damaged')
  await third.close()

  writeFileSync(path, 'something else')
  const fourth = await openEngine(t, dir)
  await fourth.maintain(flush, never)
  t.same(readFileSync(path), whole, 'strange')
  t.notOk(existsSync(`${path}.tmp`))
})

t.test('files from before a column are read for it', async t => {
  const { engine, table } = await indexed(t)
  const changed = await engine.catalog.changeTable(table, {
    kind: 'add_columns',
    columns: [
      { name: 'level', type: 'String', semantic: 'field', nullable: true, index: indexes.host, initial: 'info' }
    ]
  })
  const { all, pruned } = await both(engine, changed, "level = 'info'", {
    kind: 'equals',
    column: 'level',
    value: 'info'
  })
  t.equal(all.length, 10_000)
  t.equal(pruned.length, 10_000)
})

t.test('an index that a column gets later serves files from before as a whole', async t => {
  const dir = temporaryFolder(t)
  const engine = await openEngine(t, dir)
  const table = await createTable(engine, 'logs', { append_mode: true })
  await fill(engine, table)
  t.equal(sidecars(dir).length, 0)
  const { id: _, physical: __, ...note } = table.columns.find(column => column.name === 'note')!
  const changed = await engine.catalog.changeTable(table, {
    kind: 'modify_column',
    name: 'note',
    definition: { ...note, index: indexes.note }
  })
  await fill(engine, changed)
  t.equal(sidecars(dir).length, 2)
  t.equal(await rowsRead(engine, changed, { ...rare, term: 'nowhere' }), 0)
  t.ok((await rowsRead(engine, changed, rare)) <= 12_048)
  const { all, pruned } = await both(engine, changed, "note LIKE '%Unexpectedly%'", rare)
  t.equal(all.length, 2)
  t.same(pruned, all)
})

t.test('many files with a few row groups each are read together', async t => {
  const engine = await openEngine(t, temporaryFolder(t), { sync: 'none' })
  const table = await createIndexed(engine, 'logs', { append_mode: true })
  const day = 86_400_000
  for (let i = 0; i < 20; i++) {
    const rows = Array.from({ length: 2050 }, (_, row) => ({
      at: i * day + row,
      note: row === 2049 ? 'last one' : 'other'
    }))
    await put(engine, table, rows)
    await engine.maintain(flush, never)
  }
  const last: Condition = { kind: 'term', column: 'note', term: 'last', folded: true }
  const { all, pruned } = await both(engine, table, "note LIKE 'last%'", last)
  t.equal(all.length, 20)
  t.same(pruned, all)
  t.equal(await rowsRead(engine, table, last), 40)
  t.same(await select(engine, table, 'SELECT count(*) FROM @'), [[41_000]])
})

t.test('a few files with different row groups share a scan, many share several', async t => {
  const engine = await openEngine(t, temporaryFolder(t), { sync: 'none' })
  const table = await createIndexed(engine, 'logs', { append_mode: true })
  const day = 86_400_000
  const add = async (file: number) => {
    const found = 2048 * (file % 4) + 1000
    const rows = Array.from({ length: 8192 }, (_, row) => ({
      at: file * day + row,
      note: row === found ? `rare ${file}` : 'other'
    }))
    await put(engine, table, rows)
    await engine.maintain(flush, never)
  }
  const word: Condition = { kind: 'term', column: 'note', term: 'rare', folded: true }
  const check = async (files: number, scans: number) => {
    const { all, pruned } = await both(engine, table, "note LIKE 'rare%'", word)
    t.equal(all.length, files)
    t.same(pruned, all)
    t.equal((await scansOf(engine, table, word)).length, scans)
  }
  await add(0)
  await check(1, 1)
  for (const file of [1, 2, 3]) await add(file)
  await check(4, 1)
  for (let file = 4; file < 24; file++) await add(file)
  await check(24, 2)
})

t.test('a check of the folder names indexes that are damaged or belong to nothing', async t => {
  const { dir, engine } = await indexed(t)
  const [name] = sidecars(dir)
  const path = join(dir, 'data', name!)
  await engine.close()
  const examined = async () => {
    const examination = await examine({ home: dir, wal: join(dir, 'wal') })
    examination.close()
    return examination.findings.map(({ kind, file, message }) => [kind, file.slice(dir.length + 6), message])
  }
  t.same(await examined(), [])
  const whole = readFileSync(path)
  whole[whole.length - 5]! ^= 2
  writeFileSync(path, whole)
  writeFileSync(`${path}.tmp`, '')
  const found = (await examined()).toSorted()
  t.same(found, [
    ['leftover', name, 'the indexes are damaged; they are made again from the data file'],
    ['leftover', `${name}.tmp`, 'indexes of a data file the catalog does not know']
  ])
})
