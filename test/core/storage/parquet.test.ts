import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import t from 'tap'
import type { Column } from '../../../core/model/batch.ts'
import { fixed, never, openEngine, temporaryFolder, text } from './fixtures.ts'

t.test('a file holds the columns of the table as they are, for readers that know nothing of us', async t => {
  const dir = temporaryFolder(t)
  const engine = await openEngine(t, dir)
  const columns: Column[] = [
    text('host', ['b', 'a'], 'tag'),
    fixed('time', 'TimestampNanosecond', BigInt64Array.of(1_700_000_000_123_456_789n, 5n), 'timestamp'),
    fixed('second', 'TimestampSecond', BigInt64Array.of(1_700_000_000n, 7n)),
    fixed('big', 'Int64', BigInt64Array.of(2n ** 62n, -1n)),
    fixed('huge', 'UInt64', BigUint64Array.of(2n ** 63n, 1n)),
    fixed('tiny', 'Int8', Int8Array.of(-128, 127)),
    fixed('half', 'Float64', Float64Array.of(0.5, -0.25)),
    fixed('ok', 'Boolean', Uint8Array.of(1, 0)),
    fixed('price', 'Decimal(10, 2)', BigInt64Array.of(1234n, -5n)),
    text('note', [undefined, 'ä€😀 and more than twelve bytes']),
    { ...text('doc', ['{"a":[1,2]}', 'null']), type: 'Json' }
  ]
  const table = await engine.catalog.createTable({
    database: 'public',
    name: 'every type',
    columns: columns.map(({ name, type, semantic }) => ({ name, type, semantic, nullable: semantic !== 'timestamp' })),
    options: { append_mode: true }
  })
  await engine.write([{ table, rows: 2, columns, op: 'put' }], never)
  await engine.maintain({ kind: 'flush' }, never)
  const [path] = globSync('data/**/*.parquet', { cwd: dir })
  const file = new Uint8Array(readFileSync(join(dir, path!))).buffer
  const rows = (await parquetReadObjects({ file, compressors, utf8: true })) as Record<string, unknown>[]
  t.same(
    rows.map(({ time, second, ...row }) => row),
    [
      {
        __tsid: 1,
        big: 2n ** 62n,
        huge: 2n ** 63n,
        tiny: -128,
        half: 0.5,
        ok: true,
        price: 12.34,
        note: undefined,
        doc: { a: [1, 2] }
      },
      {
        __tsid: 2,
        big: -1n,
        huge: 1n,
        tiny: 127,
        half: -0.25,
        ok: false,
        price: -0.05,
        note: 'ä€😀 and more than twelve bytes',
        doc: null
      }
    ],
    'sorted by series and time, every value as it was written'
  )
})

t.test('a large file is sorted by series, so that a query for one host skips almost all row groups', async t => {
  const dir = temporaryFolder(t)
  const engine = await openEngine(t, dir, { sync: 'none' })
  const [hosts, rounds] = [64, 4000]
  const names = Array.from({ length: hosts }, (_, i) => `host-${String(i).padStart(2, '0')}`)
  const batch = (round: number): Column[] => [
    text('host', names, 'tag'),
    fixed('time', 'TimestampMillisecond', new BigInt64Array(hosts).fill(BigInt(round)), 'timestamp'),
    fixed(
      'load',
      'Float64',
      Float64Array.from(names, (_, i) => i)
    )
  ]
  const table = await engine.catalog.createTable({
    database: 'public',
    name: 'cpu',
    columns: batch(0).map(({ name, type, semantic }) => ({ name, type, semantic, nullable: semantic !== 'timestamp' })),
    options: {}
  })
  for (let round = 0; round < rounds; round++) {
    await engine.write([{ table, rows: hosts, columns: batch(round), op: 'put' }], never)
  }
  await engine.maintain({ kind: 'flush' }, never)
  const [path] = globSync('data/**/*.parquet', { cwd: dir })
  const { row_groups: groups } = parquetMetadata(new Uint8Array(readFileSync(join(dir, path!))).buffer)
  const ranges = groups.map(({ columns }) => {
    const found = columns.find(column => column.meta_data?.path_in_schema.join() === '__tsid')
    const { min_value: min, max_value: max } = found!.meta_data!.statistics!
    return [Number(min), Number(max)] as const
  })
  t.ok(ranges.length >= 2)
  for (const host of [1, 21, 64]) {
    t.ok(
      ranges.filter(([min, max]) => min <= host && host <= max).length <= 2,
      `series ${host} in ${JSON.stringify(ranges)}`
    )
  }
})
