// Copies between the two engines: all that is there and back, cut off at any write and begun again, and what differs.
import t, { type Test } from 'tap'
import { DbError } from '../../../../core/errors.ts'
import type { Column } from '../../../../core/model/batch.ts'
import type { TableOptions } from '../../../../core/model/table.ts'
import type { ColumnType } from '../../../../core/model/types.ts'
import { type CopyOptions, type CopyResult, copyStorage } from '../../../../core/storage/copy/copy.ts'
import type { Engine, ResolvedSeries, ResolvedWrite } from '../../../../core/storage/engine.ts'
import { needingClickHouse, startClickHouse } from '../../../clickhouse/server.ts'
import { type Cell, lines, makeColumn, put, type Row, remove } from '../../../contract/engine/rows.ts'
import { columns } from '../../../contract/engine/trial.ts'
import { makeClickHouseEngine } from '../clickhouse/fixtures.ts'
import { makeEngine, never, temporaryFolder } from '../fixtures.ts'

t.setTimeout(280_000)

const text = 'longer than any string kept inline: ä€😀\u0000 "quoted" \\ \n'

/** Values at the edges of each type. */
const values: Readonly<Partial<Record<ColumnType, readonly [Cell, Cell]>>> = {
  Boolean: [true, false],
  Int8: [-128, 127],
  Int16: [-32768, 32767],
  Int32: [-2147483648, 2147483647],
  Int64: [-(2n ** 63n), 2n ** 63n - 1n],
  UInt8: [0, 255],
  UInt16: [0, 65535],
  UInt32: [0, 4294967295],
  UInt64: [0n, 2n ** 64n - 1n],
  Float32: [Math.fround(1.1), Number.NEGATIVE_INFINITY],
  Float64: [-0, Number.NaN],
  String: ['', text],
  Binary: [Uint8Array.of(), Uint8Array.of(0, 255, 128, 10, 39, 34, 92)],
  Json: ['{"a":[1,2.50,null]}', '"ä"'],
  Date: [-25_567, 120_530],
  TimestampSecond: [-62135596800n, 253402300799n],
  TimestampMillisecond: [-62135596800000n, 253402300799999n],
  TimestampMicrosecond: [-62135596800000000n, 253402300799999999n],
  TimestampNanosecond: [-9000000000000000000n, 9000000000000000000n],
  'Decimal(4, 2)': [-9999n, -5n],
  'Decimal(18, 3)': [-999999999999999999n, 1n],
  'Decimal(38, 10)': [10n ** 38n - 1n, -(10n ** 37n)]
}
const types = Object.keys(values) as ColumnType[]
/** 2026-06-01 in milliseconds. */
const day = 1_780_272_000_000n
/** The stale marker of metrics, a NaN with bits of its own. */
const stale = new Float64Array(BigUint64Array.of(0x7ff0000000000002n).buffer)

async function openEmbedded(t: Test, folder = temporaryFolder(t)): Promise<Engine> {
  const engine = makeEngine(folder)
  await engine.open()
  t.teardown(() => engine.close())
  for (const name of ['public', 'svc_private']) {
    if (engine.catalog.database(name) === undefined) await engine.catalog.createDatabase(name, {})
  }
  return engine
}

let prefixes = 0

async function openCluster(t: Test, url: string): Promise<Engine> {
  const engine = makeClickHouseEngine({ urls: [url], database_prefix: `copy${prefixes++}_` })
  await engine.open()
  t.teardown(() => engine.close())
  return engine
}

function create(
  engine: Engine,
  name: string,
  words: readonly string[],
  options: TableOptions = {},
  database = 'public'
) {
  return engine.catalog.createTable({ database, name, columns: columns(...words), options })
}

/** Tables of every kind. */
async function fill(engine: Engine): Promise<void> {
  const typed = ['tag host String', 'time at TimestampMillisecond', ...types.map((type, i) => `field c${i} ${type}`)]
  const row = (at: bigint, cell: (type: ColumnType) => Cell): Row => ({
    at,
    ...Object.fromEntries(types.map((type, i) => [`c${i}`, cell(type)]))
  })
  for (const options of [{ append_mode: true }, {}, { merge_mode: 'last_non_null' }] as const) {
    const table = await create(engine, `typed_${options.append_mode ?? options.merge_mode}`, typed, options)
    const all = [
      { host: 'a', ...row(day, type => values[type]![0]) },
      { host: '', ...row(day + 1n, () => null) },
      row(day + 86_400_000n, type => values[type]![1]),
      row(-1n, type => values[type]![1])
    ]
    await put(engine, table, ...all)
    if (!options.append_mode) await remove(engine, table, { at: -1n })
    if (options.append_mode) await put(engine, table, ...all.slice(0, 2), all[0]!)
    else await put(engine, table, { host: 'a', ...row(day, type => values[type]![1]) })
  }
  for (const [i, unit] of (['Second', 'Millisecond', 'Microsecond', 'Nanosecond'] as const).entries()) {
    const table = await create(engine, `Zeit ${unit} ä`, [`time Ts Timestamp${unit}`, 'field n Int64'])
    const second = 1_780_272_000n * 1000n ** BigInt(i)
    await put(engine, table, ...[-1n, 0n, second, second + 1n, second * 2n].map(Ts => ({ Ts, n: Ts })))
  }
  await create(engine, 'empty', ['tag host String', 'time at TimestampSecond', 'field n Int64'])
  const indexed = columns(
    'tag host String',
    'time at TimestampMillisecond',
    'field message String',
    'field trace String'
  )
  const indexes = [
    { kind: 'inverted', options: {} },
    undefined,
    { kind: 'fulltext', options: { analyzer: 'English', case_sensitive: 'false', backend: 'bloom' } },
    { kind: 'skipping', options: { granularity: '10240', type: 'BLOOM' } }
  ] as const
  const logs = await engine.catalog.createTable({
    database: 'public',
    name: 'logs',
    columns: indexed.map((column, i) => ({
      ...column,
      ...(indexes[i] && { index: indexes[i] }),
      ...(i === 2 && { comment: "what it's about", nullable: false }),
      ...(i === 3 && { default: "'none'", initial: 'before' })
    })),
    options: { append_mode: true, ttl: '10years', comment: 'lines' }
  })
  await put(engine, logs, ...Array.from({ length: 500 }, (_, i) => logRow(i)))
  await engine.catalog.createDatabase('shop', { ttl: '20years' })
  const shop = await create(engine, 'visits', ['time at TimestampMillisecond', 'field n Int64'], {}, 'shop')
  await put(engine, shop, { at: day, n: 1n })
  await engine.catalog.putView({
    database: 'shop',
    name: 'seen',
    query: 'SELECT n FROM visits',
    columns: [{ name: 'n', type: 'Int64' }],
    createdAt: 5
  })
  await fillMetrics(engine)
  const kept = await create(
    engine,
    'kept',
    ['tag name String', 'time at TimestampNanosecond', 'field body String'],
    {},
    'svc_private'
  )
  await put(engine, kept, { name: 'pipeline', at: 5n, body: text })
}

function logRow(i: number): Row {
  return {
    host: `h${i % 3}`,
    at: day + BigInt(i) * 60_000n,
    message: `line ${i % 7} ${text}`,
    trace: i % 2 ? `t${i}` : null
  }
}

async function fillMetrics(engine: Engine): Promise<void> {
  const metric = { physical_table: 'svc_physical' }
  for (const [i, name] of ['cpu', 'http_requests_total', 'größe'].entries()) {
    const table = await create(
      engine,
      name,
      [
        'tag instance String',
        ...(i === 1 ? ['tag code String'] : []),
        'time ts TimestampMillisecond',
        'field val Float64'
      ],
      metric
    )
    const rows = Array.from({ length: 300 }, (_, n) => ({
      instance: `i${n % 5}`,
      ...(i === 1 && n % 2 === 0 && { code: n % 4 === 0 ? '200' : 'ä"' }),
      ts: day + BigInt(n) * 15_000n,
      val: n / 3
    }))
    await put(engine, table, ...rows)
    const values = { kind: 'fixed', values: stale } as const
    const value = { ...makeColumn(table.columns.at(-1)!, [0]), data: values }
    const time = makeColumn(table.timeIndex, [day - 1n])
    await engine.write([{ table, rows: 1, columns: [time, value], op: 'put' }], never)
  }
}

/** Definitions and rows of everything, as lines. */
async function everything(engine: Engine): Promise<string> {
  const found: string[] = []
  for (const { name: database, options } of engine.catalog.databases().toSorted(byName)) {
    found.push(`${database} ${JSON.stringify(options)}`)
    for (const view of engine.catalog.views(database)) found.push(JSON.stringify(view))
    for (const table of engine.catalog.tables(database).toSorted(byName)) {
      const { name, options } = table
      found.push(`${database}.${name} ${JSON.stringify(Object.entries(options).sort())}`)
      if (options.physical_metric_table) continue
      for (const { name, type, semantic, nullable, default: value, index, comment, initial } of table.columns) {
        found.push(JSON.stringify({ name, type, semantic, nullable, value, index, comment, initial }))
      }
      const columns = table.columns.map(({ name }) => name)
      found.push(await lines(await engine.query({ kind: 'scan', table, columns }, never)))
    }
  }
  return found.join('\n')
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : 1
}

function copyAll(source: Engine, target: Engine, options: Partial<CopyOptions> = {}): Promise<CopyResult> {
  return copyStorage({ source, target, signal: never, insertGrace: 10, contents: true, ...options })
}

/** The engine with writes of its own kind. */
function withWrite(engine: Engine, write: Engine['write']): Engine {
  return new Proxy(engine, {
    get(of, key) {
      const value = key === 'write' ? write : Reflect.get(of, key, of)
      return typeof value === 'function' ? value.bind(of) : value
    }
  })
}

t.test('over chdb', needingClickHouse(), async t => {
  const { url } = await startClickHouse(t)

  t.test('all of a folder is in the cluster, and back in another folder', async t => {
    const source = await openEmbedded(t)
    await fill(source)
    const cluster = await openCluster(t, url)
    const there = await copyAll(source, cluster)
    t.strictSame(there.differences, [])
    t.equal(there.written, there.rows)
    t.equal(await everything(cluster), await everything(source), 'there')
    const back = await openEmbedded(t)
    const second = await copyAll(cluster, back)
    t.match(second, { differences: [], rows: there.rows, written: there.rows, tables: there.tables })
    t.equal(await everything(back), await everything(source), 'and back')
    t.match(await copyAll(source, cluster), { written: 0, differences: [] }, 'nothing is left to copy')
    const bits = async (engine: Engine) => {
      const table = engine.catalog.table('public', 'cpu')!
      const query = { kind: 'scan', table, columns: ['val'], to: day } as const
      for await (const { columns } of (await engine.query(query, never)).batches()) {
        const { buffer, byteOffset } = columns[0]!.values as Float64Array
        return new BigUint64Array(buffer, byteOffset, 1)[0]!.toString(16)
      }
      return ''
    }
    t.equal(await bits(cluster), '7ff0000000000002', 'a NaN keeps its bits')
    t.equal(await bits(back), '7ff0000000000002', 'there and back')
  })

  for (const when of ['before', 'after'] as const) {
    t.test(`a copy that ends ${when} any of its writes goes on, and no row is there twice`, async t => {
      const source = await openEmbedded(t)
      await fill(source)
      const wanted = await everything(source)
      const cluster = await openCluster(t, url)
      let runs = 0
      for (let done = false; !done; runs++) {
        let writes = 0
        const dying = withWrite(cluster, async (parts, signal) => {
          if (when === 'before' && writes++ === 1) throw new Error('killed')
          // Some of its rows came to the cluster.
          await cluster.write(when === 'after' && writes++ === 1 ? parts.map(halved) : parts, signal)
          if (when === 'after' && writes > 1) throw new Error('killed')
          return 0
        })
        done = await copyAll(source, dying, { contents: false }).then(
          () => true,
          error => {
            if (error.message !== 'killed') throw error
            return false
          }
        )
      }
      t.ok(runs > 5, `${runs} runs`)
      t.equal(await everything(cluster), wanted)
    })
  }

  t.test('a target that is busy or away for a while is asked again', async t => {
    const source = await openEmbedded(t)
    await fill(source)
    const cluster = await openCluster(t, url)
    let writes = 0
    const busy = withWrite(cluster, async (parts, signal) => {
      if (writes++ % 9 !== 3) return cluster.write(parts, signal)
      await cluster.write(parts.map(halved), signal)
      throw new DbError('StorageUnavailable', 'the answer was lost', { retryAfter: 0 })
    })
    t.strictSame((await copyAll(source, busy)).differences, [])
    t.equal(await everything(cluster), await everything(source))
  })

  t.test('rows that are lost, and rows that nobody copied, are told with table and time', async t => {
    const source = await openEmbedded(t)
    const options = { append_mode: true }
    const logs = await create(source, 'logs', ['time at TimestampMillisecond', 'field n Int64'], options)
    await put(
      source,
      logs,
      ...Array.from({ length: 10 }, (_, n) => ({ at: day + BigInt(n) * 3_600_000n, n: BigInt(n) }))
    )
    const cluster = await openCluster(t, url)
    const lossy = withWrite(cluster, (parts, signal) => cluster.write(parts.map(halved), signal))
    const lost = await copyAll(source, lossy, { contents: false })
    t.match(lost, { rows: 10, differences: [{ database: 'public', table: 'logs' }] })
    const missing = lost.differences[0]!.slices.reduce((sum, { rows, there }) => sum + rows - there, 0)
    t.equal(missing, 5)
    t.match(await copyAll(source, cluster, { contents: false }), { written: 5, differences: [] }, 'they are copied')
    const there = cluster.catalog.table('public', 'logs')!
    await put(cluster, there, { at: day, n: 77n })
    const more = await copyAll(source, cluster, { contents: false })
    t.match(more, { written: 0, differences: [{ table: 'logs', slices: [{ from: day, rows: 1, there: 2 }] }] })
    t.equal(more.differences[0]!.slices.length, 1)
  })

  t.test('values of rows are compared where that is asked for', async t => {
    const source = await openEmbedded(t)
    const words = ['tag host String', 'time at TimestampMillisecond', 'field n Int64', 'field note String']
    for (const [name, options] of [
      ['keyed', {}],
      ['logs', { append_mode: true }]
    ] as const) {
      const table = await create(source, name, words, options)
      await put(source, table, { host: 'a', at: day, n: 1n, note: 'x' }, { host: 'b', at: day, n: 2n })
    }
    const cluster = await openCluster(t, url)
    await copyAll(source, cluster)
    const keyed = cluster.catalog.table('public', 'keyed')!
    await put(cluster, keyed, { host: 'a', at: day, n: 1n, note: 'y' })
    t.match(await copyAll(source, cluster, { contents: false }), { written: 0, differences: [] }, 'as many rows')
    t.match(await copyAll(source, cluster), { written: 2, differences: [] }, 'a row with a key is written again')
    t.equal(await everything(cluster), await everything(source))
    await cluster.catalog.changeTable(cluster.catalog.table('public', 'logs')!, { kind: 'truncate' })
    const logs = cluster.catalog.table('public', 'logs')!
    await put(cluster, logs, { host: 'a', at: day, n: 1n, note: 'x' }, { host: 'b', at: day, n: 3n })
    const found = await copyAll(source, cluster)
    t.match(found, { written: 1, differences: [{ table: 'logs', slices: [{ rows: 2, there: 3 }] }] })
  })

  t.test('definitions that differ at the target are told before anything is made', async t => {
    const source = await openEmbedded(t)
    await fill(source)
    const cluster = await openCluster(t, url)
    const words = ['tag host String', 'time at TimestampMillisecond', 'field message Int64', 'field mine String']
    await create(cluster, 'logs', words, { append_mode: true, ttl: '3days' })
    await cluster.catalog.createDatabase('shop', {})
    await create(cluster, 'seen', ['time at TimestampMillisecond'], {}, 'shop')
    const before = await everything(cluster)
    await t.rejects(copyAll(source, cluster), {
      code: 'InvalidArguments',
      message: new RegExp(
        [
          '^table public.logs: has the options .*10years.* at the source and .*3days.* at the target; column host has index .* and none at the target; column message has type String at the source and Int64 at the target; column trace is missing at the target; column mine is missing at the source$',
          '^database shop has the options \\{"ttl":"20years"\\} at the source and none at the target, where it has tables$',
          '^shop.seen is a view at the source and a table at the target$'
        ].join('\n'),
        'm'
      )
    })
    t.equal(await everything(cluster), before, 'nothing was changed')
  })
})

t.test('rows past their time to live are neither copied nor missed', async t => {
  const source = await openEmbedded(t)
  const table = await create(source, 'logs', ['time at TimestampMillisecond', 'field n Int64'], { ttl: '1h' })
  const now = BigInt(Date.now())
  await put(source, table, { at: now - 7_200_000n, n: 1n }, { at: now - 3_590_000n, n: 2n }, { at: now, n: 3n })
  const target = await openEmbedded(t)
  t.match(await copyAll(source, target), { rows: 2, written: 2, differences: [] })
  t.match(await copyAll(source, target), { written: 0, differences: [] })
})

t.test('many rows go in writes of a bounded size, long texts too', async t => {
  const source = await openEmbedded(t)
  const table = await create(source, 'logs', ['time at TimestampMillisecond', 'field note String'], {
    append_mode: true
  })
  const note = 'ä'.repeat(400_000)
  for (let i = 0; i < 30; i++) await put(source, table, { at: day, note }, { at: day + BigInt(i), note: null })
  const target = await openEmbedded(t)
  const sizes: number[] = []
  const seen = withWrite(target, (parts, signal) => {
    sizes.push(...parts.map(sizeOf))
    return target.write(parts, signal)
  })
  t.match(await copyAll(source, seen), { written: 60, differences: [] })
  t.ok(sizes.length > 1 && Math.max(...sizes) < 20_000_000, String(sizes))
  t.equal(await everything(target), await everything(source))
})

function sizeOf(part: ResolvedWrite | ResolvedSeries): number {
  if (!('table' in part)) return 0
  return part.columns.reduce((sum, { data }) => sum + (data.kind === 'bytes' ? data.bytes.length : 0), 0)
}

/** The first half of the rows of a write. */
function halved(part: ResolvedWrite | ResolvedSeries): ResolvedWrite | ResolvedSeries {
  if (!('table' in part)) return part
  const rows = Math.floor(part.rows / 2)
  const columns = part.columns.map((column): Column => {
    const { data } = column
    if (data.kind === 'bytes') return { ...column, data: { ...data, offsets: data.offsets.subarray(0, rows + 1) } }
    if (data.kind === 'dictionary') return { ...column, data: { ...data, codes: data.codes.subarray(0, rows) } }
    return { ...column, data: { ...data, values: data.values.subarray(0, (data.values.length / part.rows) * rows) } }
  })
  return { ...part, rows, columns }
}
