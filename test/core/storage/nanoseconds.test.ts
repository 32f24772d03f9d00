// Samples with times in nanoseconds: late rows make files and memory share times, and the ways to read them give the same.
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { type Column, isValid } from '../../../core/model/batch.ts'
import type { TableOptions } from '../../../core/model/table.ts'
import type { ColumnType } from '../../../core/model/types.ts'
import { areWholeMicros } from '../../../core/storage/embedded/datafile/whole-micros.ts'
import type { Engine } from '../../../core/storage/engine.ts'
import { columns } from '../../contract/engine/trial.ts'
import { ForcedPaths, fixed, makeEngine, never, onlyWhenTold, openEngine, temporaryFolder, text } from './fixtures.ts'

const start = 1_700_000_000_000_000_000n

interface Row {
  readonly host: number
  /** Nanoseconds since the start. */
  readonly at: bigint
  readonly value: number | undefined
  readonly other?: number | undefined
}

const createTable = (engine: Engine, options: TableOptions) =>
  engine.catalog.createTable({
    database: 'public',
    name: 'cpu',
    columns: columns('tag host String', 'time at TimestampNanosecond', 'field v Float64', 'field w Int64'),
    options
  })

/** A column of numbers, null where undefined. */
function field(
  name: string,
  type: ColumnType,
  data: Float64Array | BigInt64Array,
  values: readonly (number | undefined)[]
): Column {
  const valid = new Uint8Array((values.length + 7) >> 3)
  values.forEach((value, i) => {
    if (value === undefined) return
    valid[i >> 3]! |= 1 << (i & 7)
    data[i] = data instanceof Float64Array ? value : BigInt(value)
  })
  const column = fixed(name, type, data)
  return { ...column, data: { ...column.data, valid } }
}

function put(engine: Engine, rows: readonly Row[]): Promise<number> {
  const table = engine.catalog.table('public', 'cpu')!
  const values = field(
    'v',
    'Float64',
    new Float64Array(rows.length),
    rows.map(({ value }) => value)
  )
  const others = field(
    'w',
    'Int64',
    new BigInt64Array(rows.length),
    rows.map(({ other }) => other)
  )
  const host = text(
    'host',
    rows.map(({ host }) => `h${host}`),
    'tag'
  )
  const at = BigInt64Array.from(rows, each => start + each.at)
  const all = [host, fixed('at', 'TimestampNanosecond', at, 'timestamp'), values, others]
  return engine.write([{ table, rows: rows.length, columns: all, op: 'put' }], never)
}

/** The samples of all series, and the ways their parts were read. */
async function ask(engine: Engine, values: readonly string[] = ['v']) {
  const table = engine.catalog.table('public', 'cpu')!
  const result = await engine.query({ kind: 'series', table, matches: [], values }, never)
  const found: string[] = []
  for await (const { rows, columns } of result.batches()) {
    const [series, times, ...fields] = columns
    for (let row = 0; row < rows; row++) {
      const host = result.labels!(series!.values[row] as number).values[0]
      const read = fields.map(({ values, valid }) => (isValid(valid, row) ? values[row] : '-'))
      found.push([host, times!.values[row], ...read].join(' '))
    }
  }
  return { found: found.sort(), ways: new Set(result.reading!().map(({ path }) => path)) }
}

t.test('late points in whole microseconds are read by series number, also after a restart', async t => {
  for (const options of [{}, { merge_mode: 'last_non_null' }] as const) {
    const folder = temporaryFolder(t)
    const engine = makeEngine(folder, onlyWhenTold)
    await engine.open()
    await createTable(engine, options)
    const expected = new Map<string, number>()
    let value = 0
    const step = async (n: number, late: number) => {
      const rows = [0, 1, 2].map(host => ({
        host,
        at: BigInt(n - (host === 2 ? late : 0)) * 10_000_000_000n,
        value: ++value
      }))
      await put(engine, rows)
      for (const { host, at, value } of rows) expected.set(`h${host} ${Number(start + at)}`, value)
    }
    for (let n = 0; n < 6; n++) {
      await step(n, 2)
      if (n % 2 === 1) await engine.maintain({ kind: 'flush' }, never)
    }
    await step(6, 2)
    // A version of what is in a file.
    await step(3, 2)
    const wanted = [...expected].map(([key, value]) => `${key} ${value}`).sort()
    const live = await ask(engine)
    t.same(live.found, wanted)
    t.same(live.ways, new Set(['series']))
    t.same((await ask(engine, ['v', 'w'])).ways, live.ways, 'several fields, too')
    await engine.maintain({ kind: 'flush' }, never)
    await engine.close()
    const again = await openEngine(t, folder, onlyWhenTold)
    const cold = await ask(again)
    t.same(cold.found, wanted)
    t.same(cold.ways, new Set(['series']), 'files tell of themselves')
    await put(again, [{ host: 1, at: 1n, value: 1 }])
    const fine = await ask(again)
    t.same(fine.found, [...wanted, `h1 ${Number(start)} 1`].sort(), 'a nanosecond later is another row')
    t.same(fine.ways, new Set(['merge']))
  }
})

t.test('whole microseconds are told from others, whatever the sign', t => {
  const property = fc.property(
    fc.array(fc.bigInt(-(2n ** 62n) / 1000n, 2n ** 62n / 1000n - 1n)),
    fc.nat(999),
    (all, rest) => {
      const times = BigInt64Array.from(all, each => each * 1000n)
      const words = (numbers: BigInt64Array) => new Int32Array(numbers.buffer)
      if (!areWholeMicros(words(times))) return false
      if (rest === 0 || times.length === 0) return true
      times[times.length - 1]! += BigInt(rest)
      return !areWholeMicros(words(times))
    }
  )
  t.doesNotThrow(() => fc.assert(property))
  // As floats they lie more than a microsecond apart.
  for (const far of [2n ** 62n / 1000n + 1n, -(2n ** 62n) / 1000n - 1n])
    t.notOk(areWholeMicros(new Int32Array(BigInt64Array.of(far * 1000n).buffer)), `${far} microseconds`)
  t.end()
})

async function compare(t: Test, unit: bigint, seed: number): Promise<void> {
  const paths = new ForcedPaths()
  const engine = await openEngine(t, temporaryFolder(t), { ...onlyWhenTold, limits: paths.limits })
  await createTable(engine, seed % 2 === 0 ? {} : { merge_mode: 'last_non_null' })
  const row = fc.record({
    host: fc.nat(2),
    at: fc.nat(12).map(n => BigInt(n) * unit),
    value: fc.option(fc.integer({ min: 0, max: 9 }), { nil: undefined }),
    other: fc.option(fc.integer({ min: 0, max: 9 }), { nil: undefined })
  })
  const writes = fc.sample(fc.array(row, { minLength: 1, maxLength: 8 }), { seed, numRuns: 12 })
  for (const [i, rows] of writes.entries()) {
    await put(engine, rows)
    if (i % 4 === 3) await engine.maintain({ kind: 'flush' }, never)
    if (i % 3 !== 0) continue
    for (const values of [['v'], ['w', 'v']]) {
      const answers: string[] = []
      for (const _ of paths.each()) answers.push((await ask(engine, values)).found.join('\n'))
      t.equal(new Set(answers).size, 1, `${values}, unit ${unit}, write ${i}, seed ${seed}`)
    }
  }
}

t.test('random writes, versions and gaps among them, are the same whichever way they are read', async t => {
  for (const [i, unit] of [1n, 100n, 1000n, 1_000_000n].entries()) await compare(t, unit, 77 + i)
})

t.test('microseconds of years in which floats do not tell them apart are rows of their own', async t => {
  const engine = await openEngine(t, temporaryFolder(t), onlyWhenTold)
  await createTable(engine, {})
  // In 2118.
  let at = 3_000_000_000_000_000_000n
  while (Number(start + at) !== Number(start + at + 1000n)) at += 1000n
  await put(engine, [
    { host: 1, at, value: 1 },
    { host: 2, at: at + 2000n, value: 3 }
  ])
  await engine.maintain({ kind: 'flush' }, never)
  await put(engine, [{ host: 1, at: at + 1000n, value: 2 }])
  t.same(
    (await ask(engine)).found.map(each => each.split(' ').at(-1)),
    ['1', '2', '3']
  )
})
