// Statements read the same rows whether the engine is told what they ask for or not.
import fc from 'fast-check'
import t from 'tap'
import type { Column } from '../../../core/model/batch.ts'
import type { MergeMode, Table } from '../../../core/model/table.ts'
import { elementsPerRow, fixedArray, isBytesType } from '../../../core/model/types.ts'
import type { Condition, Engine, Relation } from '../../../core/storage/engine.ts'
import { isLong } from '../../long.ts'
import { cases } from '../../property.ts'
import { everyType } from './column-data.ts'
import {
  createTable,
  ForcedPaths,
  fixed,
  never,
  openEngine,
  put,
  type TestRow,
  temporaryFolder,
  text,
  times
} from './fixtures.ts'

const flush = { kind: 'flush' } as const

/** Rows of `SELECT columns FROM table WHERE where`, sorted, with what the engine may know of the statement. */
async function ask(
  engine: Engine,
  table: Table,
  columns: string,
  where: string,
  known: Pick<Relation, 'where' | 'columns'> = {}
): Promise<string[]> {
  const sql = `SELECT ${columns} FROM @ WHERE ${where}`
  const start = sql.indexOf('@')
  const relations = [{ start, end: start + 1, table, alias: 't', ...known }]
  const result = await engine.query({ kind: 'sql', text: sql, relations, timezone: 'UTC' }, never)
  const rows: string[] = []
  for await (const batch of result.batches()) {
    for (let i = 0; i < batch.rows; i++) {
      const cells = batch.columns.map(({ values, valid }) =>
        valid === undefined || (valid[i >> 3]! & (1 << (i & 7))) !== 0 ? String(values[i]) : 'null'
      )
      rows.push(cells.join(' '))
    }
  }
  return rows.sort()
}

const equals = (value: string, column = 'host'): Condition => ({ kind: 'equals', column, value })

const row = fc.record({
  host: fc.constantFrom(undefined, '', 'a', 'b', 'c'),
  at: fc.integer({ min: 0, max: 6 }),
  n: fc.option(fc.integer({ min: 0, max: 99 }), { nil: undefined })
})
const step = fc.oneof(
  fc.record({ do: fc.constant('put' as const), rows: fc.array(row, { minLength: 1, maxLength: 5 }) }),
  fc.record({ do: fc.constant('delete' as const), rows: fc.array(row, { minLength: 1, maxLength: 1 }) }),
  fc.record({ do: fc.constantFrom('flush' as const, 'compact' as const, 'ask' as const), rows: fc.constant([]) })
)

const questions: readonly (readonly [string, Condition])[] = [
  ["host = 'a'", equals('a')],
  ["host = ''", equals('')],
  [
    "host IN ('a', 'b') AND at >= 2 AND at < 5",
    { kind: 'all', of: [anyOf('a', 'b'), { kind: 'time', from: 2n, to: 5n }] }
  ],
  ["host = 'a' OR host = 'nobody'", anyOf('a', 'nobody')],
  ["host = 'a' AND host = 'b'", { kind: 'all', of: [equals('a'), equals('b')] }]
]

function anyOf(...hosts: readonly string[]): Condition {
  return { kind: 'any', of: hosts.map(host => equals(host)) }
}

const modes: readonly (readonly [string, { append_mode?: boolean; merge_mode?: MergeMode }])[] = [
  ['append', { append_mode: true }],
  ['last row', {}],
  ['last non-null', { merge_mode: 'last_non_null' }]
]

for (const [name, options] of modes) {
  t.test(`${name}: what is known of a statement changes none of its rows`, async t => {
    const paths = new ForcedPaths()
    const engine = await openEngine(t, temporaryFolder(t), { sync: 'none', limits: paths.limits })
    let tables = 0
    const property = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async steps => {
      const table = await createTable(engine, `t${tables++}`, options)
      for (const { do: action, rows } of [
        ...steps,
        { do: 'flush' as const, rows: [] },
        { do: 'ask' as const, rows: [] }
      ]) {
        if (action === 'put') await put(engine, table, rows as TestRow[])
        else if (action === 'delete' && !options.append_mode) await put(engine, table, rows as TestRow[], 'delete')
        else if (action === 'flush' || action === 'compact') await engine.maintain({ kind: action, table }, never)
        else if (action === 'ask') for (const _ of paths.each()) await compare(engine, table)
      }
      await engine.catalog.dropTable(table)
    })
    await fc.assert(property, cases(isLong ? 4 : 2))
  })
}

async function compare(engine: Engine, table: Table): Promise<void> {
  for (const [names, where] of [
    ['host, max(epoch_ms(t.at))', 'true GROUP BY host'],
    ['host, epoch_ms(t.at), n', 'true QUALIFY rank() OVER (PARTITION BY host ORDER BY t.at DESC) = 1']
  ] as const) {
    const plain = await ask(engine, table, names, where)
    const told = await ask(engine, table, names, where, { where: { kind: 'latest' }, columns: ['host', 'at', 'n'] })
    if (plain.join() !== told.join()) throw new Error(`newest: ${told} instead of ${plain}`)
  }
  for (const rows of [1, 3, 10]) {
    const latest = ['epoch_ms(t.at)', `true ORDER BY t.at DESC LIMIT ${rows}`] as const
    const plain = await ask(engine, table, ...latest)
    const told = await ask(engine, table, ...latest, { where: { kind: 'last', rows } })
    if (plain.join() !== told.join()) throw new Error(`last ${rows}: ${told} instead of ${plain}`)
  }
  for (const [where, condition] of questions) {
    const sql = where.replace(/at (>=|<) (\d)/g, 'epoch_ms(t.at) $1 $2')
    for (const columns of [['host', 'at', 'n'], ['at', 'n'], undefined]) {
      const names = columns?.includes('host') ? 'host, epoch_ms(t.at), n' : 'epoch_ms(t.at), n'
      const plain = await ask(engine, table, names, sql)
      const all = columns && [...new Set(['host', ...columns])]
      const told = await ask(engine, table, names, sql, { where: condition, ...(all && { columns: all }) })
      if (plain.join() !== told.join()) throw new Error(`${where}: ${told} instead of ${plain}`)
    }
  }
}

t.test('values of every fixed type come from rows in memory as from files', async t => {
  const engine = await openEngine(t, temporaryFolder(t))
  const types = everyType.filter(type => !isBytesType(type) && elementsPerRow(type) === 1)
  const table = await engine.catalog.createTable({
    database: 'public',
    name: 'all',
    columns: [
      { name: 'host', type: 'String', semantic: 'tag', nullable: true },
      { name: 'zone', type: 'String', semantic: 'tag', nullable: true },
      { name: 'at', type: 'TimestampNanosecond', semantic: 'timestamp', nullable: false },
      ...types.map(type => ({ name: type, type, semantic: 'field', nullable: true }) as const)
    ],
    options: {}
  })
  const write = (from: number, left: readonly string[]) => {
    const fields: Column[] = types.map(type => {
      const values = new (fixedArray(type))(4)
      for (let k = 0; k < 4; k++)
        values[k] = (typeof values[0] === 'bigint' ? BigInt(k + from) : (k + from) % 2) as never
      const column = fixed(type, type, values)
      return { ...column, data: { ...column.data, valid: Uint8Array.of(0b1101) } } as Column
    })
    const at = fixed(
      'at',
      'TimestampNanosecond',
      BigInt64Array.from([0, 1, 2, 3], k => 1_700_000_000_000_000_000n + BigInt(from + k)),
      'timestamp'
    )
    const tags = [
      text('host', ['a', 'b', 'a', undefined], 'tag'),
      text('zone', ['long enough for a heap', undefined, undefined, 'x'], 'tag')
    ]
    const columns = [...tags, at, ...fields].filter(({ name }) => !left.includes(name))
    return engine.write([{ table, rows: 4, columns, op: 'put' }], never)
  }
  for (const [from, left] of [
    [0, []],
    [10, ['Int8', 'Float64']],
    [20, ['zone']]
  ] as const) {
    await write(from, left)
    await engine.maintain(flush, never)
  }
  const bound =
    "host = 'a' AND t.at >= make_timestamp_ns(1700000000000000002) AND t.at < make_timestamp_ns(1700000000000000021)"
  const time = { kind: 'time', from: 1_700_000_000_000_000_002n, to: 1_700_000_000_000_000_021n } as const
  for (const where of [{ kind: 'all', of: [equals('a'), time] }, equals('a')] as const) {
    const sql = where.kind === 'equals' ? "host = 'a'" : bound
    const plain = await ask(engine, table, '*', sql)
    t.same(await ask(engine, table, '*', sql, { where }), plain)
    t.ok(plain.length > 2)
  }
})

t.test('a table that lives in another, rows past their time, columns that were added', async t => {
  const engine = await openEngine(t, temporaryFolder(t))
  const now = Date.now()
  const make = (name: string) =>
    engine.catalog.createTable({
      database: 'public',
      name,
      columns: [
        { name: 'host', type: 'String', semantic: 'tag', nullable: true },
        { name: 'ts', type: 'TimestampMillisecond', semantic: 'timestamp', nullable: false },
        { name: 'value', type: 'Float64', semantic: 'field', nullable: true }
      ],
      options: { physical_table: 'metrics', ttl: '1h' }
    })
  const [up, load] = [await make('up'), await make('load')]
  for (const [i, table] of [up, load].entries()) {
    const columns = [
      text('host', ['a', 'b', 'a'], 'tag'),
      times('ts', [now - 7_200_000, now, now]),
      fixed('value', 'Float64', Float64Array.of(i, i + 1, i + 2))
    ]
    await engine.write([{ table, rows: 3, columns, op: 'put' }], never)
  }
  await engine.maintain(flush, never)
  t.same(await ask(engine, up, 'host, value', "host = 'a'", { where: equals('a') }), ['a 2'])
  t.same(await ask(engine, load, 'value', "host = 'a'", { where: equals('a'), columns: ['host', 'ts', 'value'] }), [
    '3'
  ])
  const table = await createTable(engine, 'plain')
  await put(engine, table, [{ host: 'a', at: 1, n: 1 }])
  await engine.maintain(flush, never)
  const wider = await engine.catalog.changeTable(table, {
    kind: 'add_columns',
    columns: [{ name: 'm', type: 'Int32', semantic: 'field', nullable: true }]
  })
  t.same(await ask(engine, wider, 'n, m', "host = 'a'", { where: equals('a'), columns: ['host', 'at', 'n', 'm'] }), [
    '1 null'
  ])
})

t.test('the last of many rows in memory and in files, written in any order', async t => {
  const engine = await openEngine(t, temporaryFolder(t))
  const table = await createTable(engine, 'many', { append_mode: true })
  const write = (from: number, step: number) =>
    put(
      engine,
      table,
      Array.from({ length: 5000 }, (_, i) => ({ host: 'a', at: from + i * step, n: i }))
    )
  const compareLast = async (rows: number) => {
    const latest = ['epoch_ms(t.at), n', `true ORDER BY t.at DESC LIMIT ${rows}`] as const
    const told = await ask(engine, table, ...latest, { where: { kind: 'last', rows } })
    t.same(told, await ask(engine, table, ...latest), `${rows} rows`)
  }
  await write(1, 2)
  await engine.maintain(flush, never)
  for (const [from, step] of [
    [20_001, 2],
    [50_000, -2],
    [2, 4]
  ] as const) {
    await write(from, step)
    for (const rows of [1, 100, 6000, 12_000]) await compareLast(rows)
  }
  const plan = await readingOf(engine, table, { kind: 'last', rows: 100 })
  t.same(plan, ['skip', 'latest'], 'the file is not read')
  t.same(await readingOf(engine, table, { kind: 'time', from: 60_000n }), ['skip', 'skip'])
})

async function readingOf(engine: Engine, table: Table, where: Condition): Promise<string[]> {
  const relations = [{ start: 14, end: 15, table, alias: 't', where }]
  const result = await engine.query({ kind: 'sql', text: 'SELECT * FROM @', relations, timezone: 'UTC' }, never)
  result.close()
  return result.reading!().map(({ path }) => path)
}

const units = ['TimestampSecond', 'TimestampMillisecond', 'TimestampMicrosecond', 'TimestampNanosecond'] as const

for (const type of units) {
  t.test(`${type}: rows at other times than those asked for are left out, whatever the bounds`, async t => {
    const engine = await openEngine(t, temporaryFolder(t))
    const table = await engine.catalog.createTable({
      database: 'public',
      name: 'notes',
      columns: [{ name: 'at', type, semantic: 'timestamp', nullable: false }],
      options: { append_mode: true }
    })
    const write = (from: number) => {
      const columns = [
        fixed(
          'at',
          type,
          BigInt64Array.from({ length: 100 }, (_, i) => BigInt(from + i)),
          'timestamp'
        )
      ]
      return engine.write([{ table, rows: 100, columns, op: 'put' }], never)
    }
    await write(-50)
    await engine.maintain(flush, never)
    await write(0)
    const [lowest, highest] = [-(2n ** 63n), 2n ** 63n - 1n]
    for (const [from, to, rows] of [
      [40n, 45n, 10],
      [-10n, 0n, 10],
      [0n, undefined, 150],
      [undefined, -49n, 1],
      [lowest, highest, 200],
      [highest, undefined, 0],
      [undefined, lowest, 0]
    ] as const) {
      const where: Condition = { kind: 'time', ...(from !== undefined && { from }), ...(to !== undefined && { to }) }
      t.equal((await ask(engine, table, 'true', 'true', { where })).length, rows, `${from} to ${to}`)
      const all: Condition = { kind: 'all', of: [where, { kind: 'time', to: 41n }] }
      const both = (await ask(engine, table, 'true', 'true', { where: all })).length
      t.ok(both <= rows, `${from} to ${to}, before 41`)
    }
  })
}

t.test('columns a statement cannot mean are not there', async t => {
  const engine = await openEngine(t, temporaryFolder(t))
  const table = await createTable(engine, 'narrow')
  await put(engine, table, [{ host: 'a', at: 1, n: 1, note: 'x' }])
  for (const _ of ['memory', 'file']) {
    t.same(await ask(engine, table, '*', 'true', { columns: ['at', 'n'] }), ['1 1'])
    await engine.maintain(flush, never)
  }
})
