// Contract cases: changed types and defaults of columns, truncated tables, changed options, views.
import { linesOf, put, remove, tableNamed, wanted } from './rows.ts'
import { type Case, columns, createVisits, failure } from './trial.ts'

const retyped: Case = {
  name: 'a column of another type keeps its values, converted, wherever they are',
  async run(t, trial) {
    const { engine } = trial
    const table = await createVisits(engine, 'visits')
    await put(engine, table, { host: 'a', at: 1n, n: 1n, note: '10' })
    await trial.flush()
    await put(engine, table, { host: 'a', at: 2n, n: 2n, note: 'x' })
    const [text] = columns('field n String')
    await engine.catalog.changeTable(table, { kind: 'modify_column', name: 'n', definition: text! })
    const [number] = columns('field note Float64')
    const twice = await engine.catalog.changeTable(tableNamed(engine, 'visits'), {
      kind: 'modify_column',
      name: 'note',
      definition: number!
    })
    t.equal(twice.columns.map(({ name, type }) => `${name} ${type}`).join(), expectedTypes, 'its place stays')
    await put(engine, twice, { host: 'a', at: 3n, n: 'three', note: 0.5 })
    // What was resolved before the change still carries the old type.
    await put(engine, table, { host: 'a', at: 4n, n: 4n, note: '4' })
    const expected = wanted(['a', 1n, '1', 10], ['a', 2n, '2', null], ['a', 3n, 'three', 0.5], ['a', 4n, '4', 4])
    t.equal(await linesOf(engine, 'visits'), expected, 'at once')
    await trial.reopen()
    t.equal(await linesOf(trial.engine, 'visits'), expected, 'after a reopening')
    await trial.flush()
    await trial.engine.maintain({ kind: 'compact' }, new AbortController().signal)
    t.equal(await linesOf(trial.engine, 'visits'), expected, 'in files')
  }
}

const outdated: Case = {
  name: 'a query that knows a column by its former type sees no row written since, or is refused as outdated',
  async run(t, trial) {
    const { engine } = trial
    const { signal } = new AbortController()
    const table = await createVisits(engine, 'visits')
    await put(engine, table, { host: 'a', at: 1n, n: 1n, note: 'x' })
    const text = 'SELECT n FROM @'
    const relations = [{ start: text.length - 1, end: text.length, table, alias: 't' }]
    const query = { kind: 'sql', text, relations, timezone: 'UTC' } as const
    // It has begun before the change, and reads rows while and after the change happens.
    const begun = engine.query(query, signal)
    const [definition] = columns('field n String')
    await engine.catalog.changeTable(table, { kind: 'modify_column', name: 'n', definition: definition! })
    await put(engine, tableNamed(engine, 'visits'), { host: 'a', at: 2n, n: 'two', note: 'y' })
    const seen: string[] = []
    for await (const { columns, rows } of (await begun).batches()) {
      for (let i = 0; i < rows; i++) seen.push(String(columns[0]!.values[i]))
    }
    t.equal(seen.join(), '1', 'rows from before the change')
    const refused = await failure(() => engine.query(query, signal))
    t.equal(refused?.code, 'RequestOutdated', 'known by the former type')
  }
}

const jsonKept: Case = {
  name: 'a column that becomes JSON and keeps its values has texts as JSON strings, whatever they look like',
  async run(t, trial) {
    const { engine } = trial
    const table = await createVisits(engine, 'visits')
    await put(engine, table, { host: 'a', at: 1n, n: 1n, note: '10' })
    await trial.flush()
    await put(engine, table, { host: 'a', at: 2n, note: 'x' })
    for (const name of ['n', 'note']) {
      const [definition] = columns(`field ${name} Json`)
      const change = { kind: 'modify_column', name, definition: definition!, keepValues: true } as const
      await engine.catalog.changeTable(tableNamed(engine, 'visits'), change)
    }
    await put(engine, tableNamed(engine, 'visits'), { host: 'a', at: 3n, n: '[1]', note: '{}' })
    const expected = wanted(['a', 1n, '1', '"10"'], ['a', 2n, null, '"x"'], ['a', 3n, '[1]', '{}'])
    t.equal(await linesOf(engine, 'visits'), expected, 'at once')
    await trial.reopen()
    t.equal(await linesOf(trial.engine, 'visits'), expected, 'after a reopening')
    await trial.flush()
    await trial.engine.maintain({ kind: 'compact' }, new AbortController().signal)
    t.equal(await linesOf(trial.engine, 'visits'), expected, 'in files')
  }
}

const expectedTypes = 'host String,at TimestampMillisecond,n String,note Float64'

const crashed: Case = {
  name: 'rows in the log from before a change of type are converted, too',
  needs: 'folder',
  async run(t, trial) {
    const table = await createVisits(trial.engine, 'visits')
    await put(trial.engine, table, { host: 'a', at: 1n, n: 1n })
    const [text] = columns('field n String')
    await trial.engine.catalog.changeTable(table, { kind: 'modify_column', name: 'n', definition: text! })
    await put(trial.engine, tableNamed(trial.engine, 'visits'), { host: 'a', at: 2n, n: 'two' })
    await trial.crash()
    t.equal(await linesOf(trial.engine, 'visits'), wanted(['a', 1n, '1', null], ['a', 2n, 'two', null]), 'both')
  }
}

const initial: Case = {
  name: 'rows from before a column, and those that leave it out, hold its initial value',
  async run(t, trial) {
    for (const merge_mode of ['last_row', 'last_non_null'] as const) {
      const table = await createVisits(trial.engine, merge_mode, { merge_mode })
      await put(trial.engine, table, { host: 'a', at: 1n })
      await trial.flush()
      await put(trial.engine, table, { host: 'a', at: 2n })
      await linesOf(trial.engine, merge_mode)
      const [size, word] = columns('field size Int32', 'field word String')
      const added = [
        { ...size!, initial: '7' },
        { ...word!, initial: 'none' }
      ]
      const order = ['host', 'size', 'at', 'n', 'word', 'note']
      const wider = await trial.engine.catalog.changeTable(table, { kind: 'add_columns', columns: added, order })
      t.equal(wider.columns.map(({ name }) => name).join(), order.join(), 'in the order asked for')
      await put(trial.engine, wider, { host: 'a', at: 3n }, { host: 'a', at: 4n })
      await put(trial.engine, wider, { host: 'a', at: 4n, size: 1, word: 'given' })
      const expected = wanted(
        ['a', 7, 1n, null, 'none', null],
        ['a', 7, 2n, null, 'none', null],
        ['a', 7, 3n, null, 'none', null],
        ['a', 1, 4n, null, 'given', null]
      )
      t.equal(await linesOf(trial.engine, merge_mode), expected, `${merge_mode}: at once`)
      await trial.reopen()
      t.equal(await linesOf(trial.engine, merge_mode), expected, `${merge_mode}: after a reopening`)
      await trial.flush()
      t.equal(await linesOf(trial.engine, merge_mode), expected, `${merge_mode}: in files`)
    }
  }
}

const described: Case = {
  name: 'defaults, indexes and comments of a column change without its values',
  async run(t, trial) {
    const table = await createVisits(trial.engine, 'visits')
    await put(trial.engine, table, { host: 'a', at: 1n, n: 1n })
    const column = table.columns[2]!
    const index = { kind: 'skipping', options: { granularity: '10' } } as const
    const definition = { name: 'n', type: column.type, semantic: column.semantic, nullable: false, default: '3', index }
    await trial.engine.catalog.changeTable(table, { kind: 'modify_column', name: 'n', definition })
    await trial.reopen()
    const { default: value, index: kept, nullable } = tableNamed(trial.engine, 'visits').columns[2]!
    t.equal(JSON.stringify([value, kept, nullable]), JSON.stringify(['3', index, false]), 'kept')
    t.equal(await linesOf(trial.engine, 'visits'), wanted(['a', 1n, 1n, null]), 'its values')
  }
}

const truncated: Case = {
  name: 'a truncated table is empty and goes on, also after a crash',
  async run(t, trial) {
    const table = await createVisits(trial.engine, 'visits')
    await put(trial.engine, table, { host: 'a', at: 1n })
    await trial.flush()
    await put(trial.engine, table, { host: 'b', at: 2n })
    const empty = await trial.engine.catalog.changeTable(table, { kind: 'truncate' })
    t.equal(await linesOf(trial.engine, 'visits'), '', 'at once')
    await put(trial.engine, empty, { host: 'b', at: 2n, n: 2n }, { host: 'c', at: 3n })
    await remove(trial.engine, empty, { host: 'c', at: 3n })
    await trial.reopen()
    t.equal(await linesOf(trial.engine, 'visits'), wanted(['b', 2n, 2n, null]), 'after a reopening')
  }
}

const shared: Case = {
  name: 'one logical table is truncated, the others keep their rows',
  async run(t, trial) {
    const one = await createVisits(trial.engine, 'one', { physical_table: 'all' })
    const two = await createVisits(trial.engine, 'two', { physical_table: 'all' })
    await put(trial.engine, one, { host: 'a', at: 1n, n: 1n })
    await put(trial.engine, two, { host: 'a', at: 1n, n: 2n })
    await trial.engine.catalog.changeTable(one, { kind: 'truncate' })
    await put(trial.engine, tableNamed(trial.engine, 'one'), { host: 'a', at: 5n })
    await trial.reopen()
    t.equal(await linesOf(trial.engine, 'one'), wanted(['a', 5n, null, null]), 'the one')
    t.equal(await linesOf(trial.engine, 'two'), wanted(['a', 1n, 2n, null]), 'the other')
    const host = tableNamed(trial.engine, 'all')
    const error = await failure(() => trial.engine.catalog.changeTable(host, { kind: 'truncate' }))
    t.ok(error?.message.includes('holds 2 logical tables'), 'not the physical one')
  }
}

const options: Case = {
  name: 'options of tables and databases are set and unset; a time to live acts on the tables that are there',
  async run(t, trial) {
    const { catalog } = trial.engine
    const table = await createVisits(trial.engine, 'visits', { ttl: 'forever', comment: 'x' })
    await put(trial.engine, table, { host: 'old', at: 1n }, { host: 'new', at: BigInt(Date.now()) })
    const set = { kind: 'set_options', options: { comment: 'y' }, unset: ['ttl'] } as const
    const changed = await catalog.changeTable(table, set)
    t.equal(JSON.stringify(changed.options), '{"comment":"y"}', 'of the table')
    t.equal((await linesOf(trial.engine, 'visits')).split('\n').length, 2, 'both rows')
    await catalog.changeDatabase('public', { ttl: '1day' })
    t.equal((await linesOf(trial.engine, 'visits')).split('\n').length, 1, 'the old row is past its time')
    await trial.reopen()
    t.equal(trial.engine.catalog.database('public')?.options.ttl, '1day', 'of the database')
    await trial.engine.catalog.changeDatabase('public', {})
    t.equal((await linesOf(trial.engine, 'visits')).split('\n').length, 2, 'nothing is lost before a compaction')
  }
}

const views: Case = {
  name: 'views are kept, replaced and dropped, and go with their database',
  async run(t, trial) {
    const { catalog } = trial.engine
    await catalog.createDatabase('shop', {})
    const view = {
      database: 'shop',
      name: 'v',
      query: 'SELECT 1',
      columns: [{ name: '1', type: 'Int32' }],
      createdAt: 1
    }
    await catalog.putView(view)
    await catalog.putView({ ...view, database: 'public' })
    await catalog.putView({ ...view, query: 'SELECT 2', createdAt: 2 })
    const again = (await trial.reopen()).catalog
    t.equal(
      JSON.stringify(again.view('shop', 'v')),
      JSON.stringify({ ...view, query: 'SELECT 2', createdAt: 2 }),
      'the last'
    )
    t.equal(again.views('shop').length, 1, 'one of a name')
    await again.dropDatabase('shop')
    t.equal(again.views('shop').length, 0, 'gone with the database')
    await again.dropView(again.view('public', 'v')!)
    t.equal((await trial.reopen()).catalog.views('public').length, 0, 'dropped')
  }
}

export const alterCases: readonly Case[] = [
  retyped,
  outdated,
  jsonKept,
  crashed,
  initial,
  described,
  truncated,
  shared,
  options,
  views
]
