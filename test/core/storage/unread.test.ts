// Samples read from memory, from files and from both are the same as the rows SQL sees.
import { globSync } from 'node:fs'
import fc from 'fast-check'
import t from 'tap'
import { createMetrics } from '../../../core/metrics/metrics.ts'
import type { MergeMode } from '../../../core/model/table.ts'
import type { Engine } from '../../../core/storage/engine.ts'
import { never, put, remove, tableNamed } from '../../contract/engine/rows.ts'
import { columns } from '../../contract/engine/trial.ts'
import { eventually } from '../../eventually.ts'
import { cases } from '../../property.ts'
import { ForcedPaths, openEngine, temporaryFolder } from './fixtures.ts'

const host = fc.constantFrom('a', 'b', 'c')
const at = fc.bigInt(0n, 6n)
const row = fc.record({ host, at, n: fc.option(fc.bigInt(0n, 99n), { nil: null }) })
const step = fc.oneof(
  fc.record({ do: fc.constant('put' as const), rows: fc.array(row, { minLength: 1, maxLength: 4 }) }),
  fc.record({
    do: fc.constant('remove' as const),
    rows: fc.array(fc.record({ host, at }), { minLength: 1, maxLength: 1 })
  }),
  fc.record({ do: fc.constant('flush' as const) }),
  fc.record({ do: fc.constant('compact' as const) }),
  fc.record({ do: fc.constant('ask' as const) }),
  fc.record({ do: fc.constant('read' as const) })
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

async function samples(engine: Engine): Promise<string[]> {
  const table = tableNamed(engine, 'visits')
  const matches = [{ column: 'host', test: (found: string) => found !== 'c' }]
  const result = await engine.query({ kind: 'series', table, matches, values: ['n'], from: 1n, to: 6n }, never)
  const found: string[] = []
  for await (const { rows, columns } of result.batches()) {
    for (let i = 0; i < rows; i++) {
      const [series, time, n] = columns.map(({ values }) => values[i] as number)
      found.push(`${result.labels!(series!).values[0]} ${time} ${n}`)
    }
  }
  return found.sort()
}

async function scanned(engine: Engine): Promise<string[]> {
  const table = tableNamed(engine, 'visits')
  const result = await engine.query({ kind: 'scan', table, columns: ['host', 'at', 'n'], from: 1n, to: 6n }, never)
  const found: string[] = []
  for await (const { rows, columns } of result.batches()) {
    for (let i = 0; i < rows; i++) {
      const [host, time, n] = columns.map(({ values }) => values[i])
      const isThere = columns[2]!.valid === undefined || (columns[2]!.valid[i >> 3]! & (1 << (i & 7))) !== 0
      if (host !== 'c' && isThere) found.push(`${host} ${time} ${n}`)
    }
  }
  return found.sort()
}

async function apply(engine: Engine, step: Step): Promise<void> {
  const table = tableNamed(engine, 'visits')
  if (step.do === 'put') await put(engine, table, ...step.rows)
  else if (step.do === 'remove') await remove(engine, table, ...step.rows)
  else if (step.do === 'flush' || step.do === 'compact') await engine.maintain({ kind: step.do, table }, never)
  else if (step.do === 'ask') await samples(engine)
  else await scanned(engine)
}

const modes: readonly { readonly append_mode?: true; readonly merge_mode?: MergeMode }[] = [
  {},
  { append_mode: true },
  { merge_mode: 'last_non_null' }
]

for (const options of modes) {
  t.test(`series queries see what SQL sees, with ${JSON.stringify(options)}`, async t => {
    const property = fc.asyncProperty(fc.array(step, { maxLength: 8 }), async steps => {
      const paths = new ForcedPaths()
      const engine = await openEngine(t, temporaryFolder(t), { limits: paths.limits })
      const words = ['tag host String', 'time at TimestampMillisecond', 'field n Int64']
      await engine.catalog.createTable({ database: 'public', name: 'visits', columns: columns(...words), options })
      for (const each of steps) {
        if (options.append_mode !== true || each.do !== 'remove') await apply(engine, each)
      }
      const found = await samples(engine)
      const history = JSON.stringify(steps, (_, value) => (typeof value === 'bigint' ? Number(value) : value))
      for (const path of paths.each()) {
        t.same(await samples(engine), found, `samples by ${path}: ${history}`)
        t.same(await scanned(engine), found, `rows by ${path}: ${history}`)
      }
      await engine.close()
    })
    await fc.assert(property, cases(8))
  })
}

t.test('a column that a write left out is null beside those it has', async t => {
  const engine = await openEngine(t, temporaryFolder(t))
  const words = ['tag host String', 'time at TimestampMillisecond', 'field n Float64', 'field note Json']
  const options = {}
  const table = await engine.catalog.createTable({ database: 'public', name: 'v', columns: columns(...words), options })
  await put(engine, table, { host: 'a', at: 1n, n: 1.5 })
  await put(engine, table, { host: 'a', at: 2n, note: '{}' })
  const result = await engine.query({ kind: 'series', table, matches: [], values: ['n', 'note'] }, never)
  const found: unknown[] = []
  for await (const { rows, columns } of result.batches()) {
    for (let i = 0; i < rows; i++) {
      const cells = columns.map(({ values, valid }) =>
        valid !== undefined && (valid[0]! & (1 << i)) === 0 ? null : values[i]
      )
      found.push(cells.slice(1))
    }
  }
  t.same(found, [
    [1, 1.5, null],
    [2, null, '{}']
  ])
})

t.test('a query that ends before it begins lets no file go that another reads', async t => {
  const folder = temporaryFolder(t)
  const engine = await openEngine(t, folder)
  const words = ['tag host String', 'time at TimestampMillisecond', 'field n Float64']
  const definition = { database: 'public', name: 'v', columns: columns(...words), options: {} }
  const table = await engine.catalog.createTable(definition)
  await put(engine, table, { host: 'a', at: 1n, n: 1.5 })
  await engine.maintain({ kind: 'flush' }, never)
  const files = () => globSync('**/*.parquet', { cwd: folder })
  const reader = await engine.query({ kind: 'scan', table, columns: ['n'] }, never)
  const controller = new AbortController()
  const test = () => {
    controller.abort()
    return true
  }
  const ended = engine.query(
    { kind: 'series', table, matches: [{ column: 'host', test }], values: ['n'] },
    controller.signal
  )
  await t.rejects(ended, { code: 'Cancelled' })
  await engine.catalog.dropTable(table)
  t.equal(files().length, 1, 'it is still read')
  reader.close()
  await eventually(() => files().length === 0)
  t.pass('then it goes')
})

t.test('where fields are merged, a version without a value in memory hides none in a file', async t => {
  const engine = await openEngine(t, temporaryFolder(t))
  const words = ['tag host String', 'time at TimestampMillisecond', 'field n Int64']
  const options = { merge_mode: 'last_non_null' as const }
  await engine.catalog.createTable({ database: 'public', name: 'visits', columns: columns(...words), options })
  const table = tableNamed(engine, 'visits')
  await put(engine, table, { host: 'a', at: 1n, n: 5n })
  await engine.maintain({ kind: 'flush' }, never)
  await put(engine, table, { host: 'a', at: 1n, n: null })
  t.same(await samples(engine), ['a 1 5'])
  t.same(await scanned(engine), ['a 1 5'])
})

t.test('cached parts of files are dropped when the files are merged', async t => {
  const metrics = createMetrics()
  const engine = await openEngine(t, temporaryFolder(t), { metrics })
  const words = ['tag host String', 'time at TimestampMillisecond', 'field n Int64']
  await engine.catalog.createTable({ database: 'public', name: 'visits', columns: columns(...words), options: {} })
  const table = tableNamed(engine, 'visits')
  const kept = async () =>
    Number(/^svc_storage_sample_cache_bytes (\d+)/m.exec(await metrics.expose())?.[1] ?? Number.NaN)
  for (const at of [1n, 2n, 3n, 4n, 5n]) {
    await put(engine, table, { host: 'a', at, n: at })
    await engine.maintain({ kind: 'flush' }, never)
  }
  // The files may be merged in the background right after they were read.
  await eventually(async () => {
    t.equal((await samples(engine)).length, 5)
    return (await kept()) > 0
  })
  await engine.maintain({ kind: 'compact', table }, never)
  await eventually(async () => (await kept()) === 0)
  t.equal((await samples(engine)).length, 5)
})
