// Contract cases: compaction changes no answer, and rows beyond their time to live disappear.
import type { TableOptions } from '../../../core/model/table.ts'
import type { Engine } from '../../../core/storage/engine.ts'
import { linesOf, never, put, type Row, remove, rowsWrite, tableNamed, wanted } from './rows.ts'
import { type Case, columns, createVisits, failure } from './trial.ts'

const modes: readonly TableOptions[] = [
  { append_mode: true },
  { merge_mode: 'last_row' },
  { merge_mode: 'last_non_null' }
]

const compacted: Case = {
  name: 'a compaction changes no answer, for whom it runs beside either, and leaves fewer files',
  async run(t, trial) {
    const { engine } = trial
    for (const options of modes) {
      const name = Object.entries(options).join()
      const table = await createVisits(engine, name, options)
      for (let i = 0n; i < 6n; i++) {
        await put(
          engine,
          table,
          { host: 'a', at: i % 3n, n: i },
          { host: `h${i}`, at: 1n },
          { at: i % 2n, note: `${i}` }
        )
        if (i === 3n && !options.append_mode) await remove(engine, table, { host: 'a', at: 0n }, { host: 'h1', at: 1n })
        await trial.flush(table)
      }
      await put(engine, table, { host: 'a', at: 1n, note: 'newest' })
      const before = await linesOf(engine, name)
      const files = engine.catalog.statistics(table).files
      const compact = engine.maintain({ kind: 'compact', table }, never)
      t.equal(await linesOf(engine, name), before, `${name}, meanwhile`)
      await compact
      t.equal(await linesOf(engine, name), before, `${name}, afterwards`)
      t.ok(engine.catalog.statistics(table).files <= files, `${name}: files do not grow`)
    }
    const before = await Promise.all(modes.map(options => linesOf(engine, Object.entries(options).join())))
    await engine.maintain({ kind: 'compact' }, never)
    await trial.reopen()
    for (const [i, options] of modes.entries()) {
      const name = Object.entries(options).join()
      t.equal(await linesOf(trial.engine, name), before[i], `${name}, reopened`)
    }
    const error = await failure(() => trial.engine.maintain({ kind: 'compact' }, AbortSignal.abort()))
    t.ok(error, 'a signal that has fired is heeded')
  }
}

const compactedAcross: Case = {
  name: 'a compaction takes files from before and after a change of the columns',
  async run(t, trial) {
    const { engine } = trial
    const table = await createVisits(engine, 'visits', { merge_mode: 'last_non_null' })
    const write = async (...rows: readonly Row[]) => {
      await put(engine, tableNamed(engine, 'visits'), ...rows)
      await trial.flush()
    }
    await write({ host: 'a', at: 1n, n: 1n, note: 'kept' })
    await engine.catalog.changeTable(table, {
      kind: 'add_columns',
      columns: columns('tag zone String', 'field load Float64')
    })
    await write({ host: 'a', at: 1n, n: 2n, load: 0.5 }, { host: 'a', at: 1n, zone: 'z', load: 1.5 })
    await engine.catalog.changeTable(tableNamed(engine, 'visits'), { kind: 'drop_column', name: 'n' })
    await write({ host: 'a', at: 1n, zone: 'z', note: 'z' })
    await engine.catalog.changeTable(tableNamed(engine, 'visits'), {
      kind: 'add_columns',
      columns: columns('field n String')
    })
    await write({ host: 'b', at: 1n, n: 'new' })
    const expected = wanted(
      ['a', 1n, 'kept', null, 0.5, null],
      ['a', 1n, 'z', 'z', 1.5, null],
      ['b', 1n, null, null, null, 'new']
    )
    t.equal(await linesOf(engine, 'visits'), expected, 'before')
    await engine.maintain({ kind: 'compact' }, never)
    t.equal(await linesOf(engine, 'visits'), expected, 'after')
    await trial.reopen()
    t.equal(await linesOf(trial.engine, 'visits'), expected, 'reopened')
  }
}

const day = 86_400_000n

const expired: Case = {
  name: 'rows past their time to live are invisible at once and gone after a compaction',
  async run(t, trial) {
    const { engine } = trial
    const table = await createVisits(engine, 'visits', { ttl: '2days' })
    const now = BigInt(Date.now())
    await put(engine, table, { host: 'old', at: now - 3n * day }, { host: 'new', at: now - day })
    const left = wanted(['new', now - day, null, null])
    t.equal(await linesOf(engine, 'visits'), left, 'in memory')
    await trial.flush()
    await put(engine, table, { host: 'old', at: now - 4n * day })
    await trial.flush()
    t.equal(await linesOf(engine, 'visits'), left, 'in files')
    await engine.maintain({ kind: 'compact' }, never)
    t.equal(await linesOf(engine, 'visits'), left, 'after a compaction')
    t.ok((engine.catalog.statistics(table).rows ?? 0) <= 2, 'what is wholly past is kept no longer')
    await put(engine, table, { host: 'new', at: now + day })
    await engine.catalog.changeTable(table, { kind: 'set_options', options: { ttl: '12h' } })
    const future = wanted(['new', now + day, null, null])
    t.equal(await linesOf(engine, 'visits'), future, 'a shorter time counts at once')
    await trial.reopen()
    t.equal(await linesOf(trial.engine, 'visits'), future, 'and after a reopening')
  }
}

const inherited: Case = {
  name: "a table without a time to live has its database's, one with forever has none",
  async run(t, { engine }) {
    await engine.catalog.createDatabase('short', { ttl: '1day' })
    const at = BigInt(Date.now()) - 2n * day
    const count = async (name: string, options: TableOptions) => {
      const definition = { database: 'short', name, columns: columns('time at TimestampMillisecond'), options }
      const table = await engine.catalog.createTable(definition)
      await engine.write([rowsWrite(table, [{ at }])], never)
      return rowsIn(engine, table)
    }
    t.equal(await count('own', { ttl: '3days' }), 1, 'its own')
    t.equal(await count('forever', { ttl: 'forever' }), 1, 'for ever')
    t.equal(await count('none', {}), 0, "its database's")
  }
}

async function rowsIn(engine: Engine, table: Parameters<typeof rowsWrite>[0]): Promise<number> {
  const result = await engine.query({ kind: 'scan', table, columns: ['at'] }, never)
  let rows = 0
  for await (const batch of result.batches()) rows += batch.rows
  return rows
}

export const upkeepCases: readonly Case[] = [compacted, compactedAcross, expired, inherited]
