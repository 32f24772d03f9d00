// Contract cases: databases, tables and columns come, change and go.
import { linesOf, never, put, type Row, tableNamed, wanted } from './rows.ts'
import { type Case, columns, createVisits, failure } from './trial.ts'

const widening: Case = {
  name: 'columns added later, tags too, are null in older rows wherever those are',
  async run(t, trial) {
    const { engine } = trial
    const table = await createVisits(engine, 'visits')
    await put(engine, table, { host: 'a', at: 1n, n: 1n })
    await trial.flush()
    await put(engine, table, { host: 'a', at: 2n, n: 2n })
    const added = columns('field load Float64', 'tag zone String', 'field Note String')
    const wider = await engine.catalog.changeTable(table, { kind: 'add_columns', columns: added })
    t.ok(wider.version > table.version, 'the version grows')
    t.equal(wider.columns.map(({ name }) => name).join(), 'host,at,n,note,load,zone,Note', 'they follow the others')
    t.equal(wider.tags.map(({ name }) => name).join(), 'host,zone', 'the tag joins the key')
    await put(engine, wider, { host: 'a', at: 2n, zone: 'z', load: 0.5, Note: 'N', note: 'n' })
    await put(engine, wider, { host: 'a', at: 1n, n: 3n })
    const expected = wanted(
      ['a', 1n, 3n, null, null, null, null],
      ['a', 2n, 2n, null, null, null, null],
      ['a', 2n, null, 'n', 0.5, 'z', 'N']
    )
    t.equal(await linesOf(engine, 'visits'), expected, 'at once')
    await trial.reopen()
    t.equal(await linesOf(trial.engine, 'visits'), expected, 'after a reopening')
  }
}

const firstTag: Case = {
  name: 'the first tag of a table without tags keeps the rows it has',
  async run(t, trial) {
    const { engine } = trial
    const definition = {
      database: 'public',
      name: 'plain',
      columns: columns('time at TimestampMillisecond', 'field n Int64')
    }
    const table = await engine.catalog.createTable({ ...definition, options: {} })
    await put(engine, table, { at: 1n, n: 1n }, { at: 2n, n: 1n })
    await trial.flush()
    await put(engine, table, { at: 2n, n: 2n }, { at: 3n, n: 2n })
    const wider = await engine.catalog.changeTable(table, { kind: 'add_columns', columns: columns('tag host String') })
    await put(engine, wider, { at: 3n, n: 3n }, { at: 3n, n: 4n, host: 'a' })
    const expected = wanted([1n, 1n, null], [2n, 2n, null], [3n, 3n, null], [3n, 4n, 'a'])
    t.equal(await linesOf(engine, 'plain'), expected, 'at once')
    await trial.flush()
    t.equal(await linesOf(engine, 'plain'), expected, 'after a flush')
  }
}

const dropped: Case = {
  name: 'a dropped column is gone and does not come back with another of its name',
  async run(t, trial) {
    const { engine } = trial
    const table = await createVisits(engine, 'visits')
    await put(engine, table, { host: 'a', at: 1n, n: 1n, note: 'x' })
    await trial.flush()
    await put(engine, table, { host: 'a', at: 2n, n: 2n, note: 'y' })
    const narrow = await engine.catalog.changeTable(table, { kind: 'drop_column', name: 'n' })
    t.equal(await linesOf(engine, 'visits'), wanted(['a', 1n, 'x'], ['a', 2n, 'y']), 'without it')
    await engine.catalog.changeTable(narrow, { kind: 'add_columns', columns: columns('field n String') })
    await put(engine, tableNamed(engine, 'visits'), { host: 'a', at: 3n, n: 'new' })
    const expected = wanted(['a', 1n, 'x', null], ['a', 2n, 'y', null], ['a', 3n, null, 'new'])
    t.equal(await linesOf(engine, 'visits'), expected, 'with another of its name')
    await trial.reopen()
    t.equal(await linesOf(trial.engine, 'visits'), expected, 'after a reopening')
  }
}

const recreated: Case = {
  name: 'a table dropped and made again is empty, also after a reopening',
  async run(t, trial) {
    const { engine } = trial
    const table = await createVisits(engine, 'visits')
    await put(engine, table, { host: 'a', at: 1n })
    await trial.flush()
    await put(engine, table, { host: 'a', at: 2n })
    await engine.catalog.dropTable(table)
    t.equal(engine.catalog.table('public', 'visits'), undefined, 'it is gone')
    const fresh = await createVisits(engine, 'visits')
    t.ok(fresh.id !== table.id, 'the new one has an id of its own')
    t.equal(await linesOf(engine, 'visits'), '', 'at once')
    await put(engine, fresh, { host: 'b', at: 3n })
    await trial.reopen()
    t.equal(await linesOf(trial.engine, 'visits'), wanted(['b', 3n, null, null]), 'after a reopening')
  }
}

const renamed: Case = {
  name: 'a renamed table keeps its rows and takes more, and its old name is free',
  async run(t, trial) {
    const { engine } = trial
    const table = await createVisits(engine, 'visits')
    await put(engine, table, { host: 'a', at: 1n })
    const changed = await engine.catalog.changeTable(table, { kind: 'rename', name: 'calls' })
    t.equal(engine.catalog.table('public', 'visits'), undefined, 'the old name')
    await put(engine, changed, { host: 'a', at: 2n })
    await createVisits(engine, 'visits')
    const expected = wanted(['a', 1n, null, null], ['a', 2n, null, null])
    t.equal(await linesOf(engine, 'calls'), expected, 'at once')
    await trial.reopen()
    t.equal(await linesOf(trial.engine, 'calls'), expected, 'after a reopening')
    t.equal(await linesOf(trial.engine, 'visits'), '', 'the new table of the old name')
  }
}

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

const logical: Case = {
  name: 'tables that share a physical one behave like tables of their own',
  async run(t, trial) {
    const { engine } = trial
    const create = (name: string, ...more: readonly string[]) => {
      const options = { physical_table: 'shared' }
      const definitions = columns('time at TimestampMillisecond', ...more)
      return engine.catalog.createTable({ database: 'public', name, columns: definitions, options })
    }
    const one = await create('one', 'tag host String', 'field value Float64')
    const two = await create('two', 'field value Float64', 'tag host String', 'tag zone String')
    const three = await create('three', 'field count Int64')
    await put(engine, one, { host: 'a', at: 1n, value: 1 }, { at: 1n, value: 2 })
    await put(engine, two, { host: 'a', at: 1n, value: 3 }, { host: 'a', zone: 'z', at: 1n, value: 4 })
    await trial.flush(one)
    await put(engine, three, { at: 1n, count: 5n }, { at: 2n, count: 6n })
    await put(engine, one, { host: 'a', at: 1n, value: 7 })
    const added = columns('field Value String')
    await put(engine, await engine.catalog.changeTable(two, { kind: 'add_columns', columns: added }), {
      at: 2n,
      Value: 'new'
    })
    await engine.catalog.changeTable(three, { kind: 'drop_column', name: 'count' })
    await engine.catalog.changeTable(tableNamed(engine, 'three'), {
      kind: 'add_columns',
      columns: columns('field count Int64')
    })
    t.equal(await linesOf(engine, 'three'), wanted([1n, null], [2n, null]), 'a dropped column does not come back')
    await engine.catalog.dropTable(tableNamed(engine, 'three'))
    await create('three', 'field count Int64')
    const rows = {
      one: wanted([1n, 'a', 7], [1n, null, 2]),
      two: wanted([1n, 3, 'a', null, null], [1n, 4, 'a', 'z', null], [2n, null, null, null, 'new']),
      three: ''
    }
    const check = async (when: string) => {
      for (const [name, lines] of Object.entries(rows))
        t.equal(await linesOf(trial.engine, name), lines, `${name} ${when}`)
    }
    await check('at once')
    await trial.flush()
    await engine.maintain({ kind: 'compact' }, never)
    await check('from files')
    await trial.reopen()
    await check('after a reopening')
  }
}

const unknown: Case = {
  name: 'a table that is gone cannot be changed or dropped again',
  async run(t, { engine }) {
    const table = await createVisits(engine, 'visits')
    await engine.catalog.dropTable(table)
    const error = await failure(() => engine.catalog.changeTable(table, { kind: 'rename', name: 'x' }))
    t.equal(error?.code, 'TableNotFound', 'an error says so')
    t.ok(await engine.maintain({ kind: 'flush' }, never), 'a flush passes it by')
  }
}

/** The same value with the keys of its objects in order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]))
}

export const tableCases: readonly Case[] = [
  widening,
  firstTag,
  dropped,
  recreated,
  renamed,
  databases,
  anyName,
  describedWhole,
  logical,
  unknown
]
