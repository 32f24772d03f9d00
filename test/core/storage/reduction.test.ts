// Samples that are reduced where they are read come to what the samples themselves come to, wherever they are and however often written.
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import t from 'tap'
import type { Table, TableOptions } from '../../../core/model/table.ts'
import { runAtOnce } from '../../../core/pace.ts'
import { usualLimits } from '../../../core/storage/embedded/read/limits.ts'
import type { Engine } from '../../../core/storage/engine.ts'
import { createTable, never, openEngine, put, temporaryFolder } from './fixtures.ts'
import { createReducer } from './summing-reducer.ts'

const reduction = {
  module: new URL('./summing-reducer.ts', import.meta.url).href,
  options: { most: 1_000 },
  width: 4
}

/** By series the values that are present. */
type Reduced = Map<number, (number | undefined)[]>

interface Range {
  readonly from?: bigint
  readonly to?: bigint
}

const asked = (table: Table, range: Range) => ({ kind: 'series', table, matches: [], values: ['n'], ...range }) as const

/** By way of samples. */
async function fromSamples(engine: Engine, table: Table, range: Range): Promise<Reduced> {
  const samples = new Map<number, [number, number][]>()
  for await (const { rows, columns } of (await engine.query(asked(table, range), never)).batches()) {
    const [series, times, values] = columns as [(typeof columns)[0], (typeof columns)[0], (typeof columns)[0]]
    for (let i = 0; i < rows; i++) {
      if (values.valid !== undefined && (values.valid[i >> 3]! & (1 << (i & 7))) === 0) continue
      const id = series.values[i] as number
      samples.set(id, [...(samples.get(id) ?? []), [times.values[i] as number, values.values[i] as number]])
    }
  }
  const reduce = createReducer(reduction.options)
  return new Map(
    Array.from(samples, ([id, all]) => {
      // Rows of several files come in any order.
      const sorted = all.toSorted(([a], [b]) => a - b)
      const [out, present] = [new Float64Array(4), new Uint8Array(4)]
      const left = reduce(
        Float64Array.from(sorted, ([time]) => time),
        Float64Array.from(sorted, ([, value]) => value),
        out,
        present
      )
      if (left !== undefined) runAtOnce(left)
      return [id, [...out].map((value, i) => (present[i] === 1 ? value : undefined))] as const
    })
  )
}

async function reduced(engine: Engine, table: Table, range: Range): Promise<Reduced | undefined> {
  const result = await engine.query({ ...asked(table, range), reduction }, never)
  if (!result.reduced) {
    result.close()
    return undefined
  }
  const found: Reduced = new Map()
  for await (const { rows, columns } of result.batches()) {
    const [series, values, present] = columns.map(each => each.values) as [Uint32Array, Float64Array, Uint8Array]
    for (let row = 0; row < rows; row++) {
      const own = Array.from({ length: 4 }, (_, i) => (present[4 * row + i] === 1 ? values[4 * row + i] : undefined))
      found.set(series[row]!, own)
    }
  }
  return found
}

const sorted = (found: Reduced) => [...found].sort(([a], [b]) => a - b)

const row = fc.record({
  host: fc.constantFrom('a', 'b', 'c', 'd'),
  at: fc.integer({ min: 0, max: 30 }),
  n: fc.option(fc.integer({ min: -9, max: 9 }), { nil: undefined })
})
const step = fc.oneof(
  { weight: 5, arbitrary: fc.array(row, { minLength: 1, maxLength: 12 }) },
  { weight: 2, arbitrary: fc.constant('flush' as const) },
  { weight: 1, arbitrary: fc.constant('compact' as const) }
)
const options = fc.constantFrom<TableOptions>({}, { append_mode: true }, { merge_mode: 'last_non_null' })

t.test('over files and memory, versions, gaps and merged rows', async t => {
  const engine = await openEngine(t, temporaryFolder(t))
  let [next, ways] = [0, 0]
  const property = fc.asyncProperty(
    options,
    fc.array(step, { minLength: 2, maxLength: 8 }),
    fc.integer({ min: 0, max: 30 }),
    async (options, steps, from) => {
      const table = await createTable(engine, `t${next++}`, options)
      for (const each of steps) {
        if (each === 'flush') await engine.maintain({ kind: 'flush', table }, never)
        else if (each === 'compact') await engine.maintain({ kind: 'compact', table }, never)
        else
          await put(
            engine,
            table,
            each.map(({ n, ...row }) => ({ ...row, ...(n !== undefined && { n }) }))
          )
      }
      for (const range of [{}, { from: BigInt(from), to: BigInt(from + 10) }]) {
        const found = await reduced(engine, table, range)
        if (found === undefined) continue
        ways++
        t.same(sorted(found), sorted(await fromSamples(engine, table, range)))
      }
    }
  )
  await fc.assert(property, { numRuns: 150 })
  t.ok(ways > 50, 'where files are read, the engine reduces')
})

t.test('few rows that are reduced to many values come in batches that are bounded by these', async t => {
  const limits = { ...usualLimits, values: 10 * reduction.width }
  const engine = await openEngine(t, temporaryFolder(t), { limits })
  const table = await createTable(engine, 't', { append_mode: true })
  const hosts = Array.from({ length: 100 }, (_, i) => ({ host: `h${i}`, at: i, n: i }))
  await put(engine, table, hosts)
  await engine.maintain({ kind: 'flush', table }, never)
  const sizes: number[] = []
  for await (const { rows } of (await engine.query({ ...asked(table, {}), reduction }, never)).batches())
    sizes.push(rows)
  t.equal(
    sizes.reduce((sum, size) => sum + size, 0),
    hosts.length
  )
  t.ok(Math.max(...sizes) <= 10, `${Math.max(...sizes)} series at once`)
  t.same(sorted((await reduced(engine, table, {}))!), sorted(await fromSamples(engine, table, {})))
})

t.test('a reduction that cannot be made ends the query, not the thread', async t => {
  const engine = await openEngine(t, temporaryFolder(t))
  const table = await createTable(engine, 't', { append_mode: true })
  await put(engine, table, [{ host: 'a', at: 1, n: 1 }])
  await engine.maintain({ kind: 'flush', table }, never)
  const broken = { ...reduction, options: undefined }
  const result = await engine.query({ ...asked(table, {}), reduction: broken }, never)
  await t.rejects(async () => {
    for await (const _ of result.batches());
  }, /most/)
  t.equal((await reduced(engine, table, {}))?.size, 1)
})

t.test(
  'reading threads load the reducers that queries will name, once there is a file; one that fails to load harms nothing',
  async t => {
    const dir = temporaryFolder(t)
    const loaded = join(dir, 'loaded')
    const module = join(dir, 'reducer.mjs')
    writeFileSync(module, `import { appendFileSync } from 'node:fs'\nappendFileSync(${JSON.stringify(loaded)}, '1')\n`)
    const reducers = [join(dir, 'nothing.mjs'), module].map(path => pathToFileURL(path).href)
    const first = await openEngine(t, join(dir, 'data'), { reducers })
    await put(first, await createTable(first, 'visits'), [{ host: 'a', at: 1, n: 1 }])
    await first.close()
    const second = await openEngine(t, join(dir, 'data'), { reducers })
    while (!existsSync(loaded)) await setTimeout(5)
    const table = second.catalog.table('public', 'visits')!
    t.equal((await reduced(second, table, {}))?.size, 1)
  }
)
