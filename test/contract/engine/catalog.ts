// Contract cases: databases, tables and columns in the catalog, and their names.
import { linesOf, put, type Row, tableNamed, wanted } from './rows.ts'
import { type Case, columns, createVisits } from './trial.ts'

const databases: Case = {
  name: 'databases keep tables of the same name apart and go with all of them',
  async run(t, trial) {
    const first = trial.engine.catalog
    for (const name of ['public', 'svc_private']) t.ok(first.database(name), `${name} is there from the start`)
    const shop = await first.createDatabase('shop', { ttl: '7days' })
    t.equal(shop.name, 'shop', 'it has its name')
    await put(trial.engine, await createVisits(trial.engine, 'visits'), { at: 1n })
    const definition = { database: 'shop', name: 'visits', columns: columns('time at TimestampSecond'), options: {} }
    await put(trial.engine, await first.createTable(definition), { at: 5n })
    const { catalog } = await trial.reopen()
    t.equal(catalog.database('shop')?.options.ttl, '7days', 'options are kept')
    t.equal(
      catalog
        .tables('shop')
        .map(({ name }) => name)
        .join(),
      'visits',
      'its tables'
    )
    await catalog.dropDatabase('shop')
    t.equal(catalog.database('shop'), undefined, 'it is gone')
    t.equal(await linesOf(trial.engine, 'visits'), wanted([null, 1n, null, null]), 'the other one stays')
    await catalog.createDatabase('shop', {})
    t.equal(catalog.tables('shop').length, 0, 'a new one is empty')
  }
}

const names = [
  '../x',
  'a/b',
  '.',
  'é'.repeat(127),
  'x'.repeat(255),
  'Host',
  'host',
  'HOST',
  'with "quotes"',
  "it's",
  'a;b--',
  ' ',
  '%41',
  'A',
  '😀',
  '__seq',
  'SELECT'
]

const anyName: Case = {
  name: 'names of any kind are told apart: databases, tables, tags and fields',
  async run(t, trial) {
    const { catalog } = trial.engine
    const row: Row = { at: 1n, ...Object.fromEntries(names.map((name, i) => [name, i % 2 ? BigInt(i) : `tag ${i}`])) }
    const definitions = columns('time at TimestampMillisecond').concat(
      names.map((name, i) =>
        i % 2
          ? { name, type: 'Int64', semantic: 'field', nullable: true }
          : { name, type: 'String', semantic: 'tag', nullable: true }
      )
    )
    for (const name of names) {
      await catalog.createDatabase(name, {})
      const table = await catalog.createTable({ database: 'public', name, columns: definitions, options: {} })
      await put(trial.engine, table, { ...row, at: BigInt(names.indexOf(name)) })
    }
    const check = async (when: string) => {
      for (const [at, name] of names.entries()) {
        const expected = wanted([BigInt(at), ...names.map(column => row[column]!)])
        t.equal(await linesOf(trial.engine, name), expected, `${name.slice(0, 20)} ${when}`)
      }
    }
    await check('at once')
    await trial.flush()
    await trial.reopen()
    await check('after a reopening')
    const known = trial.engine.catalog.databases().map(({ name }) => name)
    t.equal(names.filter(name => !known.includes(name)).join(), '', 'the databases are known')
    for (const name of names) await trial.engine.catalog.dropTable(tableNamed(trial.engine, name))
    t.equal(trial.engine.catalog.tables('public').length, 0, 'all can be dropped')
  }
}

const describedWhole: Case = {
  name: 'the catalog keeps everything a definition says, in its order',
  async run(t, trial) {
    const definition = {
      database: 'public',
      name: 'described',
      columns: [
        { name: 'n', type: 'Decimal(20, 3)', semantic: 'field', nullable: false, default: '1.5', comment: 'how many' },
        { name: 'at', type: 'TimestampNanosecond', semantic: 'timestamp', nullable: false, default: 'now()' },
        {
          name: 'host',
          type: 'String',
          semantic: 'tag',
          nullable: true,
          index: { kind: 'skipping', options: { granularity: '10240', type: 'BLOOM' } }
        }
      ],
      options: { append_mode: true, ttl: '1day', comment: 'all of it' }
    } as const
    const created = await trial.engine.catalog.createTable(definition)
    const described = () => {
      const table = tableNamed(trial.engine, 'described')
      const plain = table.columns.map(({ id: _, physical: __, ...column }) => column)
      return JSON.stringify([
        sorted(plain),
        sorted(table.options),
        table.timeIndex.name,
        table.tags.map(tag => tag.name)
      ])
    }
    const expected = JSON.stringify([sorted(definition.columns), sorted(definition.options), 'at', ['host']])
    t.equal(described(), expected, 'at once')
    await trial.engine.catalog.changeTable(created, { kind: 'set_options', options: { comment: 'changed' } })
    await trial.reopen()
    t.equal(described(), expected.replace('all of it', 'changed'), 'after a change and a reopening')
    const known = trial.engine.catalog.tables('public')
    t.equal(known.length, 1, 'nothing else is there')
    t.equal(known[0]!.createdAt, created.createdAt, 'its birth is kept')
  }
}

/** The same value with the keys of its objects in order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]))
}

export const catalogCases: readonly Case[] = [databases, anyName, describedWhole]
