// Contract cases: tables and columns are created, changed and dropped.
import type { Table } from '../../../core/model/table.ts'
import { linesOf, never, put, tableNamed, wanted } from './rows.ts'
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

const together: Case = {
  name: 'tables that are made and changed together are all made and changed, or none',
  async run(t, trial) {
    const { catalog } = trial.engine
    const visits = await createVisits(trial.engine, 'visits')
    const gone = await createVisits(trial.engine, 'gone')
    await catalog.dropTable(gone)
    const create = (name: string) => {
      const definition = { database: 'public', name, columns: columns('time at TimestampMillisecond'), options: {} }
      return { kind: 'create', definition } as const
    }
    const widen = (table: Table) => {
      const change = { kind: 'add_columns', columns: columns('field load Float64') } as const
      return { kind: 'change', table, change } as const
    }
    const names = () => trial.engine.catalog.tables('public').map(table => `${table.name} ${table.columns.length}`)
    const error = await failure(() => catalog.changeTables([create('one'), widen(visits), widen(gone)]))
    t.equal(error?.code, 'TableNotFound', 'one that is gone')
    t.equal(names().join(), 'visits 4', 'nothing has changed')
    const tables = await catalog.changeTables([create('one'), widen(visits), create('two')])
    t.equal(tables.map(({ name }) => name).join(), 'one,visits,two', 'one table a step')
    t.equal(tables[1]?.columns.length, 5, 'as it is now')
    t.equal(names().sort().join(), 'one 1,two 1,visits 5', 'all at once')
    await put(trial.engine, tables[2]!, { at: 1n })
    await trial.reopen()
    t.equal(names().sort().join(), 'one 1,two 1,visits 5', 'and after a reopening')
    t.equal(await linesOf(trial.engine, 'two'), wanted([1n]), 'with its rows')
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

export const tableCases: readonly Case[] = [widening, firstTag, dropped, recreated, renamed, logical, together, unknown]
