// Contract cases: values of every type are read as they were written, whatever their layout in memory.
import type { ColumnType } from '../../../core/model/types.ts'
import { type Cell, linesOf, never, put, tableNamed, wanted } from './rows.ts'
import { type Case, columns, failure, type Trial } from './trial.ts'

const text = 'longer than any string kept inline: ä€😀\u0000 "quoted"'

/** Values at the edges of each type; a pair where the value reads otherwise than it is written. */
const values: Readonly<Partial<Record<ColumnType, readonly (Cell | readonly [Cell, Cell])[]>>> = {
  Boolean: [true, false],
  Int8: [-128, 127],
  Int16: [-32768, 32767],
  Int32: [-2147483648, 2147483647],
  Int64: [-(2n ** 63n), 2n ** 63n - 1n],
  UInt8: [0, 255],
  UInt16: [0, 65535],
  UInt32: [0, 4294967295],
  UInt64: [0n, 2n ** 64n - 1n],
  Float32: [Math.fround(1.1), Number.POSITIVE_INFINITY],
  Float64: [-0, Number.NaN],
  String: ['', text],
  Binary: [Uint8Array.of(), Uint8Array.of(0, 255, 128, 10, 39, 34, 92, 0, 1, 2, 3, 4, 5, 6)],
  Json: ['{"a":[1,2.50,null]}', '"x"'],
  Date: [-719162, 2932896],
  TimestampSecond: [-62135596800n, 253402300799n],
  TimestampMillisecond: [-62135596800000n, 253402300799999n],
  TimestampMicrosecond: [-62135596800000000n, 253402300799999999n],
  TimestampNanosecond: [-9000000000000000000n, 9000000000000000000n],
  'Decimal(4, 2)': [
    [-9999n, '-99.99'],
    [5n, '0.05']
  ],
  'Decimal(9, 0)': [
    [999999999n, '999999999'],
    [0n, '0']
  ],
  'Decimal(18, 3)': [
    [-999999999999999999n, '-999999999999999.999'],
    [1n, '0.001']
  ],
  'Decimal(38, 10)': [
    [10n ** 38n - 1n, '9999999999999999999999999999.9999999999'],
    [-(10n ** 37n), '-1000000000000000000000000000.0000000000']
  ]
}

const types = Object.keys(values) as ColumnType[]

/** The value `i` of a type as it is written, and as it reads. */
function valuesOf({ contract }: Trial) {
  const value = (type: ColumnType, i: number) =>
    type === 'Date' && contract.dates !== undefined ? contract.dates[i]! : values[type]![i]!
  return {
    written(type: ColumnType, i: number): Cell {
      const found = value(type, i)
      return Array.isArray(found) ? found[0] : (found as Cell)
    },
    readBack(type: ColumnType, i: number): Cell {
      const found = value(type, i)
      return Array.isArray(found) ? found[1] : (found as Cell)
    }
  }
}

const everyType: Case = {
  name: 'every type and its nulls come back as written: at once, from files and after a reopening',
  async run(t, trial) {
    const { written, readBack } = valuesOf(trial)
    const definitions = columns('time at TimestampMillisecond', ...types.map((type, i) => `field c${i} ${type}`))
    const definition = { database: 'public', name: 'typed', columns: definitions, options: { append_mode: true } }
    const table = await trial.engine.catalog.createTable(definition)
    const row = (at: bigint, cell: (type: ColumnType) => Cell) => ({
      at,
      ...Object.fromEntries(types.map((type, i) => [`c${i}`, cell(type)]))
    })
    await put(
      trial.engine,
      table,
      row(1n, type => written(type, 0)),
      row(2n, () => null),
      row(3n, type => written(type, 1))
    )
    const expected = wanted(
      [1n, ...types.map(type => readBack(type, 0))],
      [2n, ...types.map(() => null)],
      [3n, ...types.map(type => readBack(type, 1))]
    )
    t.equal(await linesOf(trial.engine, 'typed'), expected, 'at once')
    await trial.flush()
    t.equal(await linesOf(trial.engine, 'typed'), expected, 'after a flush')
    await put(
      trial.engine,
      table,
      row(4n, type => written(type, 1))
    )
    await trial.reopen()
    const fourth = wanted([4n, ...types.map(type => readBack(type, 1))])
    t.equal(await linesOf(trial.engine, 'typed'), [expected, fourth].join('\n'), 'after a reopening')
  }
}

const tagTypes: readonly ColumnType[] = ['String', 'Boolean', 'Int16', 'Int64', 'UInt64', 'Float64', 'Date', 'Binary']

const tagsOfAnyType: Case = {
  name: 'tags of any type tell series apart, and a null tag from an empty one',
  async run(t, trial) {
    const { written } = valuesOf(trial)
    const definitions = columns('time at TimestampSecond', ...tagTypes.map((type, i) => `tag c${i} ${type}`))
    const definition = { database: 'public', name: 'typed', columns: definitions, options: {} }
    const table = await trial.engine.catalog.createTable(definition)
    const single = tagTypes.flatMap((type, i) => [0, 1].map(which => ({ [`c${i}`]: written(type, which) })))
    const rows = [{}, ...single].map(tags => ({ at: 7n, ...tags }))
    await put(trial.engine, table, ...rows)
    await put(trial.engine, table, ...rows.toReversed())
    const expected = wanted(
      ...rows.map(row => table.columns.map(({ name }) => (row as Record<string, Cell>)[name] ?? null))
    )
    t.equal(await linesOf(trial.engine, 'typed'), expected, 'at once')
    await trial.flush()
    await put(trial.engine, table, ...rows)
    t.equal(await linesOf(trial.engine, 'typed'), expected, 'across files and memory')
    await trial.reopen()
    await put(trial.engine, tableNamed(trial.engine, 'typed'), ...rows)
    t.equal(await linesOf(trial.engine, 'typed'), expected, 'after a reopening')
  }
}

const dictionaries: Case = {
  name: 'text by dictionary codes, bitmaps with stray bits and slices of larger arrays are read as they are meant',
  async run(t, trial) {
    const definition = {
      database: 'public',
      name: 'coded',
      columns: columns('tag host String', 'time at TimestampMillisecond', 'field note String', 'field n Int64'),
      options: { append_mode: true }
    }
    const table = await trial.engine.catalog.createTable(definition)
    const [host, at, note, n] = table.columns
    const dictionary = {
      kind: 'bytes',
      offsets: Uint32Array.of(1, 2, 2, 2 + Buffer.byteLength(text)),
      bytes: Buffer.from(`#x${text}`)
    } as const
    const codes = Uint32Array.of(9, 0, 1, 2, 0).subarray(1)
    const data = { kind: 'dictionary', codes, dictionary } as const
    const slice = (...values: bigint[]) => BigInt64Array.of(99n, ...values, 99n).subarray(1, 5)
    await trial.engine.write(
      [
        {
          table,
          rows: 4,
          columns: [
            { ...n!, data: { kind: 'fixed', values: slice(1n, 2n, 3n, 4n), valid: Uint8Array.of(0b11111011) } },
            { ...note!, data: { ...data, valid: Uint8Array.of(0b11110111) } },
            { ...at!, data: { kind: 'fixed', values: slice(1n, 2n, 3n, 4n) } },
            { ...host!, data }
          ],
          op: 'put'
        }
      ],
      never
    )
    const expected = wanted(['x', 1n, 'x', 1n], ['', 2n, '', 2n], [text, 3n, text, null], ['x', 4n, null, 4n])
    t.equal(await linesOf(trial.engine, 'coded'), expected, 'at once')
    await trial.reopen()
    t.equal(await linesOf(trial.engine, 'coded'), expected, 'after a reopening')
  }
}

const dates: Case = {
  name: 'dates the driver does not keep are refused, not changed',
  async run(t, trial) {
    const definitions = columns('time at TimestampMillisecond', 'field day Date')
    const table = await trial.engine.catalog.createTable({
      database: 'public',
      name: 'days',
      columns: definitions,
      options: {}
    })
    const kept = trial.contract.dates ?? (values.Date as readonly [number, number])
    await put(trial.engine, table, { at: 1n, day: kept[0] }, { at: 2n, day: kept[1] })
    if (trial.contract.dates !== undefined) {
      for (const day of [kept[0] - 1, kept[1] + 1]) {
        const error = await failure(() => put(trial.engine, table, { at: 3n, day }))
        t.equal(error?.code, 'InvalidArguments', 'refused')
      }
    }
    t.equal(await linesOf(trial.engine, 'days'), wanted([1n, kept[0]], [2n, kept[1]]), 'the others are there')
  }
}

export const typeCases: readonly Case[] = [everyType, tagsOfAnyType, dictionaries, dates]
