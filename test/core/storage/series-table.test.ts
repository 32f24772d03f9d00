// Series for SQL: those that a statement asks for where that is less than what is missing of all, else all.
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import t, { type Test } from 'tap'
import type { Table } from '../../../core/model/table.ts'
import { runAtOnce } from '../../../core/pace.ts'
import { type SeriesTable, SeriesTables } from '../../../core/storage/embedded/memory/series-table.ts'
import { SeriesRegistry } from '../../../core/storage/embedded/series/series.ts'
import { resolveSeries } from '../../../core/storage/embedded/series/tags.ts'
import { Spool } from '../../../core/storage/embedded/spool/spool.ts'
import { columns } from '../../contract/engine/trial.ts'
import { eventually } from '../../eventually.ts'
import { never, openEngine, put, temporaryFolder, text } from './fixtures.ts'

/** The rows as SQL reads them. */
async function read({ from }: SeriesTable): Promise<string[]> {
  const instance = await DuckDBInstance.create()
  const connection = await instance.connect()
  const sql = `SELECT __tsid || '=' || coalesce(t.host, '-') || '/' || coalesce(t.code::VARCHAR, '-') FROM ${from} t ORDER BY __tsid`
  const rows = (await connection.runAndReadAll(sql)).getRows()
  connection.closeSync()
  instance.closeSync()
  return rows.map(([row]) => row as string)
}

async function open(t: Test, series: number) {
  const engine = await openEngine(t, temporaryFolder(t))
  const table = await engine.catalog.createTable({
    database: 'public',
    name: 'visits',
    columns: columns('tag host String', 'tag code Int32', 'time at TimestampMillisecond'),
    options: {}
  })
  const folder = temporaryFolder(t)
  const memory = join(folder, 'memory')
  mkdirSync(memory)
  const spool = new Spool({ memory, disk: join(folder, 'disk') })
  t.teardown(() => spool.close())
  const registry = new SeriesRegistry()
  const add = (from: number, to: number) => {
    const hosts = Array.from({ length: to - from }, (_, i) => ((from + i) % 5 === 0 ? undefined : `h${from + i}`))
    const codes = Int32Array.from(hosts, (_, i) => from + i)
    const [host, code] = table.tags
    const tags = [
      { id: host!.id, rows: hosts.length, data: text('host', hosts).data },
      { id: code!.id, rows: hosts.length, data: { kind: 'fixed' as const, values: codes } }
    ]
    runAtOnce(resolveSeries(registry, tags, hosts.length))
  }
  add(1, series)
  const source: { table: Table; registry: SeriesRegistry } = { table, registry }
  return { spool, source, add, tables: new SeriesTables(spool, source) }
}

const rowOf = (tsid: number) => {
  if (tsid === 0) return '0=-/-'
  return `${tsid}=${tsid % 5 === 0 ? '-' : `h${tsid}`}/${tsid}`
}
const rowsTo = (end: number) => Array.from({ length: end }, (_, tsid) => rowOf(tsid))

t.test('a statement about few of many series gets a file with those, which goes with it', async t => {
  const { spool, tables } = await open(t, 12_000)
  const some = await tables.sync(Uint32Array.of(0, 3, 5, 11_999))
  t.equal(spool.files, 1)
  t.same(await read(some), [0, 3, 5, 11_999].map(rowOf))
  const [path] = /[^']+\.parquet/.exec(some.from)!
  some.unpin()
  t.equal(spool.files, 0)
  await eventually(() => !existsSync(path!))
  const none = await tables.sync(new Uint32Array(0))
  t.same(await read(none), [])
  none.unpin()
})

t.test('where all series are written they serve any statement, also after a few new ones', async t => {
  const { spool, add, tables } = await open(t, 5_000)
  const all = await tables.sync()
  t.same(await read(all), rowsTo(5_000))
  const some = await tables.sync(Uint32Array.of(7))
  t.equal(some, all)
  add(5_000, 5_003)
  const more = await tables.sync(Uint32Array.from({ length: 3 }, (_, i) => i))
  t.same(await read(more), rowsTo(5_003), 'three more are as many as were asked for')
  add(5_003, 5_010)
  const apart = await tables.sync(Uint32Array.of(1))
  t.same(await read(apart), [rowOf(1)])
  for (const each of [all, some, more, apart]) each.unpin()
  t.equal(spool.files, 2)
})

t.test('statements about some series write no more than twice what all take', async t => {
  const { spool, tables } = await open(t, 1_000)
  for (let statement = 0; statement < 9; statement++) {
    const some = await tables.sync(Uint32Array.from({ length: 100 }, (_, i) => i * 10 + statement))
    some.unpin()
    t.equal(spool.files, 0, `statement ${statement}`)
  }
  const all = await tables.sync(Uint32Array.from({ length: 100 }, (_, i) => i * 10))
  t.same(await read(all), rowsTo(1_000))
  all.unpin()
  t.equal(spool.files, 1)
})

t.test('files of all series are of no use where the table has other tags since', async t => {
  const { source, tables } = await open(t, 100)
  const before = await tables.sync()
  const [host] = source.table.tags
  source.table = { ...source.table, tags: source.table.tags.slice(1) }
  const some = await tables.sync(Uint32Array.of(4))
  t.notMatch(some.from, before.from)
  t.notOk(some.has(host!))
  for (const each of [before, some]) each.unpin()
})

t.test('relations of one statement that ask for different series of a table each find theirs', async t => {
  const engine = await openEngine(t, temporaryFolder(t))
  const table = await engine.catalog.createTable({
    database: 'public',
    name: 'notes',
    columns: columns('tag host String', 'time at TimestampMillisecond', 'field n Int64'),
    options: {}
  })
  const rows = Array.from({ length: 2_000 }, (_, i) => ({ host: `h${i}`, at: i, n: i }))
  await put(engine, table, rows)
  const ask = async (hosts: readonly (string | undefined)[]) => {
    const from = hosts.map(() => '@').join(', ')
    const text = `SELECT ${hosts.map((_, i) => `r${i}.host`).join(` || ' ' || `)} FROM ${from} WHERE ${hosts.map((host, i) => `r${i}.host = '${host ?? 'h9'}'`).join(' AND ')}`
    const places = [...text.matchAll(/@/g)].map(({ index }) => index)
    const relations = hosts.map((host, i) => ({
      start: places[i]!,
      end: places[i]! + 1,
      table,
      alias: `r${i}`,
      ...(host !== undefined && { where: { kind: 'equals' as const, column: 'host', value: host } })
    }))
    const result = await engine.query({ kind: 'sql', text, relations, timezone: 'UTC' }, never)
    const found: unknown[] = []
    for await (const { columns } of result.batches()) found.push(...columns[0]!.values)
    return found
  }
  t.same(await ask(['h7']), ['h7'])
  t.same(await ask(['h7', 'h1999']), ['h7 h1999'])
  t.same(await ask(['h7', undefined, 'h8']), ['h7 h9 h8'], 'one of them asks for any')
  t.same(await ask(['nobody']), [])
})
