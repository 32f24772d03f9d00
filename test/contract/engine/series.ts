// Contract cases: writing samples of series by key, for any number of tables at once.

import type { Column } from '../../../core/model/batch.ts'
import type { SeriesKeys } from '../../../core/model/series.ts'
import type { Table, TableDefinition } from '../../../core/model/table.ts'
import { runAtOnce } from '../../../core/pace.ts'
import type { Engine, ResolvedSeries } from '../../../core/storage/engine.ts'
import { never } from './rows.ts'
import { type Case, failure } from './trial.ts'

/** A logical table of one tag, a time and a number. */
function createMetric(engine: Engine, name: string): Promise<Table> {
  const definition: TableDefinition = {
    database: 'public',
    name,
    columns: [
      { name: 'host', type: 'String', semantic: 'tag', nullable: true },
      { name: 'at', type: 'TimestampMillisecond', semantic: 'timestamp', nullable: false },
      { name: 'n', type: 'Float64', semantic: 'field', nullable: true }
    ],
    options: { physical_table: 'metrics' }
  }
  return engine.catalog.createTable(definition)
}

/** Each key is the text `table host`. */
function keysOf(texts: readonly string[]): SeriesKeys {
  const bytes = Buffer.from(texts.join(''))
  const ends = Uint32Array.from(texts, (_, i) => Buffer.byteLength(texts.slice(0, i + 1).join('')))
  const starts = Uint32Array.from(texts, (_, i) => ends[i - 1] ?? 0)
  return { count: texts.length, bytes, starts, ends }
}

/** Samples with the times 1, 2, 3 … and the numbers of their places; tells what it had to introduce. */
async function write(engine: Engine, texts: readonly string[], from = 1n): Promise<number[]> {
  const keys = keysOf(texts)
  const numbers = runAtOnce(engine.catalog.findSeries('test', keys))
  const unknown = [...numbers.unknown]
  engine.catalog.addSeries(
    numbers,
    unknown.map(index => {
      const [name, host] = texts[index]!.split(' ')
      const labels = host === '' ? [] : [{ name: 'host', value: Buffer.from(host!) }]
      return { index, table: engine.catalog.table('public', name!)!, value: 'n', labels }
    })
  )
  const samples: ResolvedSeries = {
    numbers,
    rows: texts.length,
    series: Uint32Array.from(texts, (_, i) => i),
    times: BigInt64Array.from(texts, (_, i) => from + BigInt(i)),
    values: Float64Array.from(texts, (_, i) => i)
  }
  await engine.write([samples], never)
  return unknown
}

async function rowsOf(engine: Engine, name: string): Promise<string> {
  const table = engine.catalog.table('public', name)!
  const result = await engine.query({ kind: 'scan', table, columns: ['host', 'at', 'n'] }, never)
  const rows: string[] = []
  for await (const { rows: count, columns } of result.batches()) {
    for (let row = 0; row < count; row++) rows.push(columns.map(column => String(column.values[row])).join(' '))
  }
  return rows.sort().join(', ')
}

const known: Case = {
  name: 'a series is introduced once; its samples go to its table, whatever tables a write holds',
  async run(t, { engine }) {
    for (const name of ['one', 'two']) await createMetric(engine, name)
    t.equal((await write(engine, ['one a', 'two a', 'one b', 'two '])).join(), '0,1,2,3', 'all are new')
    t.equal((await write(engine, ['two a', 'one c', 'one a'], 11n)).join(), '1', 'one is')
    t.equal(await rowsOf(engine, 'one'), 'a 1 0, a 13 2, b 3 2, c 12 1', 'the first table')
    t.equal(await rowsOf(engine, 'two'), 'a 11 0, a 2 1, null 4 3', 'the second')
  }
}

const again: Case = {
  name: 'series of samples keep their identity over a restart and a flush',
  needs: 'durable',
  async run(t, trial) {
    await createMetric(trial.engine, 'one')
    await write(trial.engine, ['one a', 'one b'])
    await trial.reopen()
    t.equal((await write(trial.engine, ['one b', 'one a'])).join(), '0,1', 'keys are asked for again')
    await trial.engine.maintain({ kind: 'flush' }, never)
    await write(trial.engine, ['one b', 'one c'])
    t.equal(
      await rowsOf(trial.engine, 'one'),
      'a 1 0, a 2 1, b 1 0, b 2 1, c 2 1',
      'the last of a series and time counts'
    )
  }
}

const outdated: Case = {
  name: 'numbers found before a table was dropped are refused',
  async run(t, { engine }) {
    const table = await createMetric(engine, 'one')
    await write(engine, ['one a'])
    const numbers = runAtOnce(engine.catalog.findSeries('test', keysOf(['one a'])))
    t.ok(engine.catalog.isCurrent(numbers), 'they are current')
    await engine.catalog.dropTable(table)
    t.ok(!engine.catalog.isCurrent(numbers), 'they are not')
    const one = { series: new Uint32Array(1), times: new BigInt64Array(1), values: new Float64Array(1) }
    const error = await failure(() => engine.write([{ numbers, rows: 1, ...one }], never))
    t.equal((error as { code?: string } | undefined)?.code, 'RequestOutdated', 'the write says so')
    await createMetric(engine, 'one')
    t.equal((await write(engine, ['one a'])).join(), '0', 'the series is a new one')
    t.equal(await rowsOf(engine, 'one'), 'a 1 0', 'with nothing of the old')
  }
}

const apart: Case = {
  name: 'equal keys of two tables are two series',
  async run(t, { engine }) {
    const keys = keysOf(['a', 'b'])
    const find = (table: string) => runAtOnce(engine.catalog.findSeries('test', keys, table))
    for (const [at, name] of ['one', 'two'].entries()) {
      const table = await createMetric(engine, name)
      const numbers = find(name)
      t.equal(numbers.unknown.join(), '0,1', `${name}: all are new`)
      engine.catalog.addSeries(
        numbers,
        [0, 1].map(index => ({
          index,
          table,
          value: 'n',
          labels: [{ name: 'host', value: Buffer.from(`${name}-${index}`) }]
        }))
      )
      const series = at === 0 ? Uint32Array.of(0, 1) : Uint32Array.of(1, 0)
      await engine.write(
        [{ numbers, rows: 2, series, times: BigInt64Array.of(1n, 2n), values: new Float64Array(2) }],
        never
      )
    }
    for (const name of ['one', 'two']) t.equal(find(name).unknown.length, 0, `${name}: all are known`)
    t.equal(await rowsOf(engine, 'one'), 'one-0 1 0, one-1 2 0', 'the first table')
    t.equal(await rowsOf(engine, 'two'), 'two-0 2 0, two-1 1 0', 'the second')
  }
}

const rows: Case = {
  name: 'rows bring their tags by keys, samples or not',
  async run(t, { engine }) {
    const definition: TableDefinition = {
      database: 'public',
      name: 'wide',
      columns: [
        { name: 'host', type: 'String', semantic: 'tag', nullable: true },
        { name: 'at', type: 'TimestampNanosecond', semantic: 'timestamp', nullable: false },
        { name: 'n', type: 'Int64', semantic: 'field', nullable: true },
        { name: 'note', type: 'Boolean', semantic: 'field', nullable: true }
      ],
      options: {}
    }
    const table = await engine.catalog.createTable(definition)
    const put = async (texts: readonly string[], series: readonly number[], from: bigint) => {
      const numbers = runAtOnce(engine.catalog.findSeries('rows', keysOf(texts)))
      const unknown = [...numbers.unknown]
      const labels = (text: string) => (text === '-' ? [] : [{ name: 'host', value: Buffer.from(text) }])
      engine.catalog.addSeries(
        numbers,
        unknown.map(index => ({ index, table, value: 'at', labels: labels(texts[index]!) }))
      )
      const times = BigInt64Array.from(series, (_, i) => from + BigInt(i))
      const columns: Column[] = [
        { name: 'at', type: 'TimestampNanosecond', semantic: 'timestamp', data: { kind: 'fixed', values: times } },
        { name: 'n', type: 'Int64', semantic: 'field', data: { kind: 'fixed', values: times } }
      ]
      const tags = { numbers, series: Uint32Array.from(series) }
      await engine.write([{ table, rows: series.length, columns, op: 'put', tags }], never)
      return unknown
    }
    t.equal((await put(['a', 'b', '-'], [0, 1, 1, 2], 1n)).join(), '0,1,2', 'all are new')
    t.equal((await put(['b', 'c'], [1, 0], 11n)).join(), '1', 'one is')
    const columns = engine.catalog.table('public', 'wide')!.columns.slice(0, 3)
    const found = await engine.query({ kind: 'scan', table, columns: columns.map(({ name }) => name) }, never)
    const lines: string[] = []
    for await (const { rows: count, columns } of found.batches()) {
      for (let row = 0; row < count; row++) lines.push(columns.map(column => String(column.values[row])).join(' '))
    }
    t.equal(lines.sort().join(', '), 'a 1 1, b 12 12, b 2 2, b 3 3, c 11 11, null 4 4', 'each row has its tags')
  }
}

const had: Case = {
  name: 'the series of a table are told apart by all their tags, of its own rows only, after a reopening, too',
  async run(t, trial) {
    for (const name of ['one', 'two']) await createMetric(trial.engine, name)
    await write(trial.engine, ['one a', 'two b', 'one '])
    const has = (name: string, labels: Readonly<Record<string, string>>) => {
      const { catalog } = trial.engine
      const list = Object.entries(labels).map(([name, text]) => ({ name, value: Buffer.from(text) }))
      return catalog.knowsSeries(catalog.table('public', name)!, list)
    }
    for (const reopened of [false, true]) {
      if (reopened) await trial.reopen()
      for (const [name, labels] of [
        ['one', { host: 'a' }],
        ['one', {}],
        ['two', { host: 'b' }]
      ] as const) {
        t.equal(has(name, labels), true, `${name} ${JSON.stringify(labels)} was written`)
      }
      for (const [name, labels] of [
        ['one', { host: 'b' }],
        ['two', {}],
        ['one', { host: 'a', other: 'x' }]
      ] as const) {
        t.equal(has(name, labels), false, `${name} ${JSON.stringify(labels)} was not`)
      }
    }
  }
}

export const seriesCases: readonly Case[] = [known, again, outdated, apart, rows, had]
