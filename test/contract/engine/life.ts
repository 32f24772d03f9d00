// Contract cases: closing, reopening and crashing; reports of maintenance.
import { linesOf, never, put, remove, rowsWrite, tableNamed, wanted } from './rows.ts'
import { type Case, columns, createVisits, failure } from './trial.ts'

const closed: Case = {
  name: 'an engine closes twice without complaint and refuses everything after',
  async run(t, { engine }) {
    const table = await createVisits(engine, 'visits')
    const write = rowsWrite(table, [{ at: 1n }])
    await Promise.all([engine.close(), engine.close()])
    await engine.close()
    const refused = [
      () => engine.write([write], never),
      () => engine.query({ kind: 'scan', table, columns: ['at'] }, never),
      () => engine.maintain({ kind: 'flush' }, never)
    ]
    for (const work of refused) t.equal((await failure(work))?.code, 'StorageUnavailable', 'refused')
  }
}

const whileClosing: Case = {
  name: 'a write that meets the close is answered and kept, or refused',
  needs: 'durable',
  async run(t, trial) {
    const table = await createVisits(trial.engine, 'visits', { append_mode: true })
    const answers = Array.from({ length: 50 }, (_, i) =>
      put(trial.engine, table, { at: BigInt(i) }).then(
        () => BigInt(i),
        () => undefined
      )
    )
    const close = trial.engine.close()
    const kept = (await Promise.all(answers)).filter(at => at !== undefined)
    await close
    await trial.open()
    const found = (await linesOf(trial.engine, 'visits')).split('\n')
    const missing = kept.filter(at => !found.includes(`null | ${at} | null | null`))
    t.equal(missing.join(), '', 'nothing answered is missing')
    t.equal(new Set(found).size, found.length, 'nothing is there twice')
  }
}

const reopened: Case = {
  name: 'reopening returns the same, again and again, and goes on from there',
  needs: 'durable',
  async run(t, trial) {
    await createVisits(trial.engine, 'visits')
    const expected: (string | bigint | null)[][] = []
    for (let i = 1n; i <= 4n; i++) {
      const table = tableNamed(trial.engine, 'visits')
      await put(trial.engine, table, { host: `h${i}`, at: i, n: 0n }, { host: 'same', at: 0n, n: i })
      expected.push([`h${i}`, i, 0n, null])
      if (i % 2n === 0n) await trial.flush()
      await trial.reopen()
      const now = wanted(...expected, ['same', 0n, i, null])
      t.equal(await linesOf(trial.engine, 'visits'), now, `opening ${i}`)
    }
  }
}

const crashed: Case = {
  name: 'what was answered is there after a crash, once, with its tables and their changes',
  needs: 'folder',
  async run(t, trial) {
    const { engine } = trial
    const kept = await createVisits(engine, 'kept', { append_mode: true })
    const newest = await createVisits(engine, 'newest')
    await engine.write(
      [rowsWrite(kept, [{ host: 'a', at: 1n }]), rowsWrite(newest, [{ host: 'a', at: 1n, n: 1n }])],
      never
    )
    await trial.flush(kept)
    await engine.write(
      [rowsWrite(kept, [{ host: 'b', at: 2n }]), rowsWrite(newest, [{ host: 'b', at: 2n, n: 2n }])],
      never
    )
    const added = columns('field load Float64', 'tag zone String')
    const wider = await engine.catalog.changeTable(newest, { kind: 'add_columns', columns: added })
    await put(engine, wider, { host: 'a', at: 1n, n: 3n }, { host: 'a', at: 1n, zone: 'z', load: 1.5 })
    await remove(engine, wider, { host: 'b', at: 2n })
    await engine.catalog.dropTable(await createVisits(engine, 'gone'))
    const rows = {
      kept: wanted(['a', 1n, null, null], ['b', 2n, null, null]),
      newest: wanted(['a', 1n, 3n, null, null, null], ['a', 1n, null, null, 1.5, 'z'])
    }
    for (const time of ['first', 'second']) {
      const after = await trial.crash()
      t.equal(await linesOf(after, 'kept'), rows.kept, `appended rows after the ${time} crash`)
      t.equal(await linesOf(after, 'newest'), rows.newest, `newest rows after the ${time} crash`)
      t.equal(after.catalog.table('public', 'gone'), undefined, `the dropped table after the ${time} crash`)
    }
  }
}

const unfinished: Case = {
  name: 'a crash of a busy engine keeps every answered write whole, and no part of another',
  needs: 'folder',
  async run(t, trial) {
    const { engine } = trial
    const tables = [
      await createVisits(engine, 'one', { append_mode: true }),
      await createVisits(engine, 'two', { append_mode: true })
    ]
    const answered: bigint[] = []
    const write = async (n: bigint) => {
      await engine.write(
        tables.map(table =>
          rowsWrite(table, [
            { at: n, host: 'a' },
            { at: n, host: 'b' }
          ])
        ),
        never
      )
      answered.push(n)
    }
    const busy = Array.from({ length: 100 }, (_, n) => write(BigInt(n)))
    await busy[0]
    const before = [...answered]
    const after = await trial.crash()
    await Promise.all(busy)
    const [one, two] = [await linesOf(after, 'one'), await linesOf(after, 'two')]
    t.equal(one, two, 'both tables hold the same')
    const found = one.split('\n')
    const missing = before.filter(n => !['a', 'b'].every(host => found.includes(`"${host}" | ${n} | null | null`)))
    t.equal(missing.join(), '', 'nothing answered is missing')
    t.equal(new Set(found).size, found.length, 'nothing is there twice')
    t.equal(found.length % 2, 0, 'nothing is there by half')
  }
}

const withoutLog: Case = {
  name: 'rows of a table with skip_wal are visible at once and kept by a close',
  async run(t, trial) {
    const table = await createVisits(trial.engine, 'loose', { skip_wal: true })
    const logged = await createVisits(trial.engine, 'logged')
    const both = [rowsWrite(table, [{ host: 'a', at: 1n }]), rowsWrite(logged, [{ host: 'a', at: 1n }])]
    t.equal(await trial.engine.write(both, never), 2, 'they are counted')
    const expected = wanted(['a', 1n, null, null])
    t.equal(await linesOf(trial.engine, 'loose'), expected, 'at once')
    await trial.reopen()
    t.equal(await linesOf(trial.engine, 'loose'), expected, 'after a reopening')
    t.equal(await linesOf(trial.engine, 'logged'), expected, 'the logged rows of the same write, too')
  }
}

const flushed: Case = {
  name: 'a flush reports what it wrote, of one table or of all',
  needs: 'folder',
  async run(t, { engine }) {
    const one = await createVisits(engine, 'one')
    const two = await createVisits(engine, 'two', { append_mode: true })
    await put(engine, one, { at: 1n }, { at: 2n })
    await put(engine, two, { at: 1n })
    t.equal((await engine.maintain({ kind: 'flush', table: one }, never)).rows, 2, 'one table')
    t.equal((await engine.maintain({ kind: 'flush' }, never)).rows, 1, 'the rest')
    t.equal((await engine.maintain({ kind: 'flush' }, never)).rows, 0, 'nothing is left')
  }
}

const kept: Case = {
  name: 'a flush changes no answer, and heeds a signal that has fired',
  async run(t, { engine }) {
    const one = await createVisits(engine, 'one')
    await put(engine, one, { at: 1n }, { at: 2n })
    await engine.maintain({ kind: 'flush', table: one }, never)
    const error = await failure(() => engine.maintain({ kind: 'flush' }, AbortSignal.abort()))
    t.ok(error, 'a signal that has fired is heeded')
    t.equal(engine.catalog.statistics(one).rows, 2, 'statistics know the rows')
    t.equal(await linesOf(engine, 'one'), wanted([null, 1n, null, null], [null, 2n, null, null]), 'rows are the same')
  }
}

const held: Case = {
  name: 'a folder in use is refused to a second engine',
  needs: 'folder',
  async run(t, trial) {
    await createVisits(trial.engine, 'visits')
    const first = trial.engine
    const error = await failure(() => trial.open())
    t.equal(error?.code, 'StorageUnavailable', 'an error says so')
    t.equal(await linesOf(first, 'visits'), '', 'the first goes on')
  }
}

export const lifeCases: readonly Case[] = [
  closed,
  whileClosing,
  reopened,
  crashed,
  unfinished,
  withoutLog,
  flushed,
  kept,
  held
]
