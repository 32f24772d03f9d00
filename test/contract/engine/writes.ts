// Contract cases: what an acknowledged write guarantees, alone and with concurrent writes.

import { linesOf, never, put, type Row, remove, rowsWrite, tableNamed, wanted } from './rows.ts'
import { type Case, createVisits, failure } from './trial.ts'

const visible: Case = {
  name: 'a write is visible to the next query, and its affected rows are counted',
  async run(t, { engine }) {
    const table = await createVisits(engine, 'visits')
    t.equal(await engine.write([rowsWrite(table, [])], never), 0, 'no rows')
    for (let i = 1n; i <= 5n; i++) {
      t.equal(await put(engine, table, { host: 'a', at: i, n: i }, { host: 'b', at: i }), 2, 'two rows')
      const found = (await linesOf(engine, 'visits')).split('\n').length
      t.equal(found, Number(i) * 2, `all rows after write ${i}`)
    }
    t.equal(engine.catalog.statistics(table).rows, 10, 'statistics count them')
  }
}

const partial: Case = {
  name: 'columns come in any order, and those left out are null',
  async run(t, { engine }) {
    const table = await createVisits(engine, 'visits', { append_mode: true })
    const { columns, ...rest } = rowsWrite(table, [{ note: 'x', at: 1n, host: 'a' }])
    await engine.write([{ ...rest, columns: columns.toReversed() }], never)
    await put(engine, table, { at: 2n })
    t.equal(await linesOf(engine, 'visits'), wanted(['a', 1n, null, 'x'], [null, 2n, null, null]), 'both rows')
  }
}

const acrossTables: Case = {
  name: 'a write of several tables is one: all of it or nothing',
  async run(t, trial) {
    const { engine } = trial
    const one = await createVisits(engine, 'one', { append_mode: true })
    const two = await createVisits(engine, 'two', { append_mode: true })
    const both = (n: bigint, ...more: readonly Row[]) => [
      rowsWrite(one, [{ host: 'a', at: n, n }, ...more]),
      rowsWrite(two, [{ host: 'b', at: n, n }])
    ]
    t.equal(await engine.write(both(1n, { at: 9n }), never), 3, 'rows of both are counted')
    const error = await failure(() => engine.write(both(2n), AbortSignal.abort()))
    t.ok(error, 'a write whose signal has fired is refused')
    await engine.write([...both(3n), ...both(4n)], never)
    const expected = {
      one: wanted(['a', 1n, 1n, null], [null, 9n, null, null], ['a', 3n, 3n, null], ['a', 4n, 4n, null]),
      two: wanted(['b', 1n, 1n, null], ['b', 3n, 3n, null], ['b', 4n, 4n, null])
    }
    t.equal(await linesOf(engine, 'one'), expected.one, 'one')
    t.equal(await linesOf(engine, 'two'), expected.two, 'two')
    await trial.reopen()
    t.equal(await linesOf(trial.engine, 'one'), expected.one, 'one, reopened')
    t.equal(await linesOf(trial.engine, 'two'), expected.two, 'two, reopened')
  }
}

const orderWithin: Case = {
  name: 'within one write the later counts, puts and deletes alike',
  async run(t, { engine }) {
    const table = await createVisits(engine, 'visits')
    const key = (host: string) => ({ host, at: 1n })
    await engine.write(
      [
        rowsWrite(table, [
          { ...key('a'), n: 1n },
          { ...key('b'), n: 1n },
          { ...key('a'), n: 2n }
        ]),
        rowsWrite(table, [key('a'), key('b')], 'delete'),
        rowsWrite(table, [{ ...key('b'), n: 3n }])
      ],
      never
    )
    t.equal(await linesOf(engine, 'visits'), wanted(['b', 1n, 3n, null]), 'what was put last')
  }
}

const concurrent: Case = {
  name: 'concurrent writers lose nothing and double nothing, while others read and flush',
  async run(t, trial) {
    const { engine } = trial
    const names = ['one', 'two']
    for (const name of names) await createVisits(engine, name, { append_mode: true })
    const writer = async (host: string) => {
      for (let n = 0n; n < 20n; n++) {
        const rows = [{ host, at: n, n, note: `${host} ${n}` }]
        await engine.write(
          names.map(name => rowsWrite(tableNamed(engine, name), rows)),
          never
        )
      }
    }
    const hosts = Array.from({ length: 8 }, (_, i) => `host ${i}`)
    const others = [trial.flush(), linesOf(engine, 'one'), trial.flush(tableNamed(engine, 'two'))]
    await Promise.all([...hosts.map(writer), ...others])
    const every = hosts.flatMap(host =>
      Array.from({ length: 20 }, (_, n) => [host, BigInt(n), BigInt(n), `${host} ${n}`])
    )
    for (const name of names) t.equal(await linesOf(engine, name), wanted(...every), name)
    await trial.reopen()
    for (const name of names) t.equal(await linesOf(trial.engine, name), wanted(...every), `${name}, reopened`)
  }
}

const stale: Case = {
  name: 'a write prepared before its table changed is taken as the table is now',
  async run(t, { engine }) {
    const table = await createVisits(engine, 'visits')
    const prepared = rowsWrite(table, [{ host: 'a', at: 1n, n: 1n, note: 'x' }])
    await engine.catalog.changeTable(table, { kind: 'drop_column', name: 'note' })
    await engine.write([prepared], never)
    t.equal(await linesOf(engine, 'visits'), wanted(['a', 1n, 1n]), 'without the dropped column')
    await engine.catalog.dropTable(tableNamed(engine, 'visits'))
    const error = await failure(() => engine.write([prepared], never))
    t.equal(error?.code, 'TableNotFound', 'a dropped table is an error')
    await createVisits(engine, 'visits')
    const again = await failure(() => remove(engine, table, { host: 'a', at: 1n }))
    t.equal(again?.code, 'TableNotFound', 'another table of the same name is another table')
  }
}

export const writeCases: readonly Case[] = [visible, partial, acrossTables, orderWithin, concurrent, stale]
