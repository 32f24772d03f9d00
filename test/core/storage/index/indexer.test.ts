// Which index sidecars are made, and for which version of a table.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { buildCounts, buildFilters } from '../../../../core/storage/embedded/index/build.ts'
import { createFilterThread } from '../../../../core/storage/embedded/index/filter-thread.ts'
import { decodeHead, indexPath } from '../../../../core/storage/embedded/index/format.ts'
import { indexSpecOf } from '../../../../core/storage/embedded/index/index-spec.ts'
import { readHead } from '../../../../core/storage/embedded/index/sidecar.ts'
import { eventually } from '../../../eventually.ts'
import { temporaryFolder } from '../../../helpers.ts'
import { never, openEngine, text, times } from '../fixtures.ts'

t.test('a table that was changed since somebody asked for its indexes gets those it has by now', async t => {
  const dir = temporaryFolder(t)
  const engine = await openEngine(t, dir)
  const note = { name: 'note', type: 'String', semantic: 'field', nullable: true } as const
  const before = await engine.catalog.createTable({
    database: 'public',
    name: 'logs',
    columns: [{ name: 'at', type: 'TimestampMillisecond', semantic: 'timestamp', nullable: false }, note],
    options: { append_mode: true }
  })
  await engine.write(
    [{ table: before, rows: 2, columns: [times('at', [1, 2]), text('note', ['a', 'b'])], op: 'put' }],
    never
  )
  const definition = { ...note, index: { kind: 'fulltext', options: {} } } as const
  await engine.catalog.changeTable(before, { kind: 'modify_column', name: 'note', definition })
  await engine.maintain({ kind: 'flush', table: before }, never)
  const found = readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.idx'))
  t.equal(found.length, 1)
  const head = (await readHead(join(dir, found[0]!)))?.head
  t.strictSame(
    head?.sections.map(({ kind }) => kind),
    ['folded_terms']
  )
})

t.test('quick indexes of a file can be read before slow ones', async t => {
  const dir = temporaryFolder(t)
  const engine = await openEngine(t, dir)
  const table = await engine.catalog.createTable({
    database: 'public',
    name: 'logs',
    columns: [
      { name: 'at', type: 'TimestampMillisecond', semantic: 'timestamp', nullable: false },
      { name: 'note', type: 'String', semantic: 'field', nullable: true, index: { kind: 'fulltext', options: {} } },
      { name: 'key', type: 'String', semantic: 'field', nullable: true, index: { kind: 'skipping', options: {} } }
    ],
    options: { append_mode: true }
  })
  const rows = 20_000
  const at = times(
    'at',
    Array.from({ length: rows }, (_, i) => i)
  )
  const note = text(
    'note',
    Array.from({ length: rows }, (_, i) => `note ${i % 5}`)
  )
  const key = text(
    'key',
    Array.from({ length: rows }, (_, i) => `key ${i}`)
  )
  await engine.write([{ table, rows, columns: [at, note, key], op: 'put' }], never)
  await engine.maintain({ kind: 'flush', table }, never)
  const [name] = readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.parquet'))
  const path = join(dir, name!)
  const data = (await readHead(indexPath(path)))!.head.data
  const file = { ...data, path: name!, columns: table.columns.map(({ id }) => id) }
  const thread = createFilterThread()
  t.teardown(() => thread.close())
  const { sections, counted } = indexSpecOf(table)
  await buildCounts({ thread, dataDir: dir }, file, counted!)
  const read = () => decodeHead(readFileSync(indexPath(path)))!
  const { counts: written, groups } = read()
  const heads: unknown[] = [read()]
  await buildFilters({ thread, dataDir: dir }, file, sections, { counts: written!, groups: groups! }, () => {
    heads.push(read())
  })
  const counts = { columns: [{}, {}] }
  t.match(heads, [
    { sections: [], counts },
    { sections: [{ kind: 'values' }], counts },
    { sections: [{ kind: 'values' }, { kind: 'folded_terms' }], counts }
  ])
})

t.test(
  'files that wait for filters, because they will be merged, have counts; those a query looks into get filters',
  async t => {
    const dir = temporaryFolder(t)
    const engine = await openEngine(t, dir, { memtable_size: 2 ** 17 })
    const table = await engine.catalog.createTable({
      database: 'public',
      name: 'logs',
      columns: [
        { name: 'at', type: 'TimestampMillisecond', semantic: 'timestamp', nullable: false },
        { name: 'key', type: 'String', semantic: 'field', nullable: true, index: { kind: 'skipping', options: {} } }
      ],
      options: { append_mode: true }
    })
    const put = async (keys: readonly string[]) => {
      const columns = [times('at', Array.from(keys.keys())), text('key', keys)]
      await engine.write([{ table, rows: keys.length, columns, op: 'put' }], never)
    }
    await put(Array.from({ length: 12_000 }, (_, i) => `key ${i}`))
    const head = async () => {
      const [name] = readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.idx'))
      return (await readHead(join(dir, name!)))!.head
    }
    t.match(await eventually(head), { sections: [], counts: { columns: [{ column: 0 }] } })
    // Rows in memory: the next flush will be merged with the file.
    await put(['another key'])
    const where = { kind: 'equals', column: 'key', value: 'key 7' } as const
    const relations = [{ start: 21, end: 22, table, alias: 't', where }]
    const found = await engine.query(
      { kind: 'sql', text: "SELECT count(*) FROM @ WHERE key = 'key 7'", relations, timezone: 'UTC' },
      never
    )
    for await (const { columns } of found.batches()) t.equal(columns[0]!.values[0], 1n)
    t.match(await eventually(head, ({ sections }) => sections.length > 0), {
      sections: [{ kind: 'values' }],
      counts: {}
    })
  }
)
