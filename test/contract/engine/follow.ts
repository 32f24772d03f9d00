// Contract cases: queries that follow a table as rows are written.
import type { Table } from '../../../core/model/table.ts'
import type { Engine, Follow, QueryResult } from '../../../core/storage/engine.ts'
import { lines, never, put, remove, wanted } from './rows.ts'
import { type Case, createVisits, failure } from './trial.ts'

const fast: Follow = { interval: 5, limit: 1 << 20 }

function follow(engine: Engine, table: Table, follow = fast, signal = never): Promise<QueryResult> {
  const text = 'SELECT host, "at", n FROM @ WHERE n > $1'
  const start = text.indexOf('@')
  const relations = [{ start, end: start + 1, table, alias: 'visits' }]
  return engine.query({ kind: 'sql', text, relations, timezone: 'UTC', parameters: [0n], follow }, signal)
}

/** Reads on; `next` gives as many rows as were asked for, once they are there. */
function reader(result: QueryResult) {
  const batches = result.batches()[Symbol.asyncIterator]()
  return {
    async next(rows: number): Promise<string> {
      const found: string[] = []
      while (found.length < rows) {
        const { value, done } = await batches.next()
        if (done) break
        const one = {
          columns: result.columns,
          close() {},
          batches: async function* () {
            yield value
          }
        }
        found.push(...(await lines(one)).split('\n').filter(line => line !== ''))
      }
      return found.sort().join('\n')
    },
    /** Looks so many times, and gives what was found. */
    async look(times: number): Promise<string> {
      let rows = 0
      for (let i = 0; i < times; i++) rows += (await batches.next()).value?.rows ?? 0
      return `${rows} rows`
    },
    async ended(): Promise<boolean> {
      for (let i = 0; i < 100; i++) if ((await batches.next()).done) return true
      return false
    }
  }
}

const once: Case = {
  name: 'a query that follows gives every row written after it once, whatever its time and wherever it lies by now',
  needs: 'sql',
  async run(t, trial) {
    const { engine } = trial
    const table = await createVisits(engine, 'visits', { append_mode: true })
    await put(engine, table, { host: 'before', at: 1n, n: 1n })
    await engine.query({ kind: 'scan', table, columns: ['n'] }, never).then(result => lines(result))
    const result = await follow(engine, table)
    t.equal(
      result.columns.map(({ name, type }) => `${name} ${type}`).join(),
      'host String,at TimestampMillisecond,n Int64',
      'columns'
    )
    const rows = reader(result)
    t.equal(await rows.look(2), '0 rows', 'nothing before there is something')
    await put(engine, table, { host: 'a', at: 9n, n: 1n }, { host: 'b', at: 9n, n: 0n })
    t.equal(await rows.next(1), wanted(['a', 9n, 1n]), 'what meets the condition')
    await put(engine, table, { host: 'old', at: -5n, n: 2n })
    await trial.flush()
    await put(engine, table, { host: 'a', at: 9n, n: 3n }, { host: 'new', at: 10n, n: 4n })
    await trial.flush()
    await engine.maintain({ kind: 'compact' }, never)
    t.equal(await rows.next(3), wanted(['old', -5n, 2n], ['a', 9n, 3n], ['new', 10n, 4n]), 'old times, flushed, merged')
    for (let i = 0n; i < 50n; i++) await put(engine, table, { host: 'many', at: i, n: i + 1n })
    const many = Array.from({ length: 50 }, (_, i) => ['many', BigInt(i), BigInt(i + 1)] as const)
    t.equal(await rows.next(50), wanted(...many), 'many writes')
    t.equal(await rows.look(2), '0 rows', 'and nothing again')
    t.equal(result.lost?.(), 0, 'nothing was lost')
    result.close()
    t.ok(await rows.ended(), 'it ends when it is closed')
  }
}

const versions: Case = {
  name: 'a query that follows gives each version of a row as it was written, and no deletes',
  needs: 'sql',
  async run(t, trial) {
    const { engine } = trial
    const table = await createVisits(engine, 'visits')
    const rows = reader(await follow(engine, table))
    await put(engine, table, { host: 'a', at: 1n, n: 1n })
    await put(engine, table, { host: 'a', at: 1n, n: 2n })
    await remove(engine, table, { host: 'a', at: 1n })
    await put(engine, table, { host: 'a', at: 1n, n: 3n })
    t.equal(await rows.next(3), wanted(['a', 1n, 1n], ['a', 1n, 2n], ['a', 1n, 3n]), 'three versions')
    t.equal(await rows.look(2), '0 rows', 'no more')
  }
}

const bounded: Case = {
  name: 'a query that follows and is not read on leaves out rows beyond its limit, and counts them',
  needs: 'buffer',
  async run(t, trial) {
    const { engine } = trial
    const table = await createVisits(engine, 'visits', { append_mode: true })
    const result = await follow(engine, table, { interval: 5, limit: 1000 })
    for (let i = 0n; i < 100n; i++) await put(engine, table, { host: 'a', at: i, n: 1n })
    const rows = reader(result)
    const kept = Number.parseInt(await rows.look(3), 10)
    const lost = result.lost?.() ?? 0
    t.ok(kept > 0 && lost > 0, `${kept} rows kept, ${lost} lost`)
    t.equal(kept + lost, 100, 'each row is one or the other')
    await put(engine, table, { host: 'b', at: 0n, n: 1n })
    t.equal(await rows.next(1), wanted(['b', 0n, 1n]), 'it goes on afterwards')
  }
}

const ending: Case = {
  name: 'a query that follows ends with its table, fails with its signal, and takes columns that come later as they come',
  needs: 'sql',
  async run(t, trial) {
    const { engine } = trial
    const table = await createVisits(engine, 'visits', { append_mode: true })
    const rows = reader(await follow(engine, table))
    const abort = new AbortController()
    const other = reader(await follow(engine, table, fast, abort.signal))
    const extra = { name: 'extra', type: 'String', semantic: 'tag', nullable: true } as const
    const wider = await engine.catalog.changeTable(table, { kind: 'add_columns', columns: [extra] })
    await put(engine, wider, { host: 'a', at: 1n, n: 1n, extra: 'x' })
    t.equal(await rows.next(1), wanted(['a', 1n, 1n]), 'a row with one more tag')
    abort.abort()
    t.ok((await failure(() => other.ended()))?.code, 'the signal')
    await engine.catalog.dropTable(wider)
    t.ok(await rows.ended(), 'the table')
  }
}

const existing: Case = {
  name: 'a query that follows from the beginning gives each row that was there or comes once, wherever it lies',
  needs: 'sql',
  async run(t, trial) {
    const { engine } = trial
    const table = await createVisits(engine, 'visits')
    const numbers = (from: bigint, to: bigint) =>
      Array.from({ length: Number(to - from) }, (_, i) => ({ host: 'a', at: from + BigInt(i), n: 1n }))
    const wantedOf = (from: bigint, to: bigint) =>
      wanted(...numbers(from, to).map(({ host, at, n }) => [host, at, n] as const))
    await put(engine, table, ...numbers(0n, 3n), { host: 'gone', at: 1n, n: 1n })
    await trial.flush()
    await put(engine, table, ...numbers(2n, 5n))
    await remove(engine, table, { host: 'gone', at: 1n })
    // Those of the writes under way are there or come.
    const during = numbers(5n, 45n).map(row => put(engine, table, row))
    const rows = reader(await follow(engine, table, { ...fast, existing: true }))
    const later = numbers(45n, 60n).map(row => put(engine, table, row))
    t.equal(await rows.next(60), wantedOf(0n, 60n), 'all rows')
    await Promise.all([...during, ...later])
    t.equal(await rows.look(3), '0 rows', 'none twice')
    await trial.flush()
    await put(engine, table, ...numbers(60n, 61n))
    t.equal(await rows.next(1), wantedOf(60n, 61n), 'and it goes on')
    const none = await createVisits(engine, 'none')
    const empty = reader(await follow(engine, none, { ...fast, existing: true }))
    t.equal(await empty.look(2), '0 rows', 'a table without rows')
    await put(engine, none, ...numbers(0n, 1n))
    t.equal(await empty.next(1), wantedOf(0n, 1n), 'its first row')
  }
}

export const followCases: readonly Case[] = [once, versions, bounded, ending, existing]
