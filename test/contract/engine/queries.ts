// Contract cases: scans and SQL queries, their limits and their cancellation.

import type { Table } from '../../../core/model/table.ts'
import type { TimestampType } from '../../../core/model/types.ts'
import type { Condition, Relation, SqlValue } from '../../../core/storage/engine.ts'
import { lines, linesOf, never, put, wanted } from './rows.ts'
import { type Case, columns, createVisits, failure, type Trial } from './trial.ts'

const units: readonly (readonly [TimestampType, bigint])[] = [
  ['TimestampSecond', 1n],
  ['TimestampMillisecond', 1_000n],
  ['TimestampMicrosecond', 1_000_000n],
  ['TimestampNanosecond', 1_000_000_000n]
]

const bounds: Case = {
  name: 'a scan takes times from its start to before its end, in every unit, before 1970 too',
  async run(t, trial) {
    for (const [type, perSecond] of units) {
      const definition = { database: 'public', name: type, columns: columns(`time at ${type}`), options: {} }
      const table = await trial.engine.catalog.createTable(definition)
      const far = 4_000_000_000n * perSecond + 1n
      const times = [-far, -2n, -1n, 0n, 1n, 2n, far]
      await put(trial.engine, table, ...times.slice(0, 4).map(at => ({ at })))
      await trial.flush()
      await put(trial.engine, table, ...times.slice(4).map(at => ({ at })))
      const scan = async (from?: bigint, to?: bigint) => {
        const expected = times.filter(at => (from === undefined || at >= from) && (to === undefined || at < to))
        const limits = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) }
        const found = await linesOf(trial.engine, type, limits)
        t.equal(found, wanted(...expected.map(at => [at])), `${type}: from ${from} to ${to}`)
      }
      await scan()
      await scan(-1n)
      await scan(undefined, 1n)
      await scan(-2n, 2n)
      await scan(-far, far)
      await scan(far, far + 1n)
      await scan(1n, 1n)
    }
  }
}

const chosen: Case = {
  name: 'a scan gives the columns asked for, in that order, over more rows than one batch holds',
  async run(t, trial) {
    const table = await createVisits(trial.engine, 'visits', { append_mode: true })
    const rows = Array.from({ length: 10_000 }, (_, i) => ({ host: `h${i % 7}`, at: BigInt(i), n: BigInt(i) }))
    await put(trial.engine, table, ...rows)
    const result = await trial.engine.query({ kind: 'scan', table, columns: ['n', 'host'] }, never)
    t.equal(result.columns.map(({ name, type }) => `${name} ${type}`).join(), 'n Int64,host String', 'names and types')
    t.equal(await lines(result), wanted(...rows.map(({ n, host }) => [n, host])), 'rows')
  }
}

const left: Case = {
  name: 'a query may be left early, and keeps the rows it started with while they are flushed, overwritten and dropped',
  async run(t, trial) {
    const { engine } = trial
    const table = await createVisits(engine, 'visits')
    const rows = Array.from({ length: 20_000 }, (_, i) => ({ host: 'a', at: BigInt(i), n: 1n }))
    await put(engine, table, ...rows)
    const scan = () => engine.query({ kind: 'scan', table, columns: ['n'] }, never)
    const early = await scan()
    for await (const batch of early.batches()) {
      t.ok(batch.rows > 0, 'a first batch')
      break
    }
    const unread = await scan()
    unread.close()
    const before = await scan()
    await put(engine, table, ...rows.map(row => ({ ...row, n: 2n })))
    await trial.flush()
    const between = await scan()
    await engine.catalog.dropTable(table)
    t.equal(await lines(before), wanted(...rows.map(() => [1n])), 'rows in memory')
    t.equal(await lines(between), wanted(...rows.map(() => [2n])), 'rows in files')
  }
}

const cancelled: Case = {
  name: 'a query whose signal fires ends with the code Cancelled',
  async run(t, { engine }) {
    const table = await createVisits(engine, 'visits', { append_mode: true })
    const rows = Array.from({ length: 20_000 }, (_, i) => ({ host: 'a', at: BigInt(i) }))
    for (let i = 0; i < 5; i++) await put(engine, table, ...rows)
    const scan = (signal: AbortSignal) => engine.query({ kind: 'scan', table, columns: ['at'] }, signal)
    const before = await failure(() => scan(AbortSignal.abort()).then(lines))
    t.equal(before?.code, 'Cancelled', 'one that has fired before')
    const stop = new AbortController()
    const during = await failure(async () => {
      for await (const _ of (await scan(stop.signal)).batches()) stop.abort()
    })
    t.equal(during?.code, 'Cancelled', 'one that fires while rows are read')
    t.equal((await linesOf(engine, 'visits')).split('\n').length, 100_000, 'the engine goes on')
  }
}

async function sql(trial: Trial, text: string, tables: readonly Table[], timezone = 'UTC'): Promise<string> {
  let from = 0
  const relations = tables.map((table): Relation => {
    const start = text.indexOf('@', from)
    from = start + 1
    return { start, end: from, table, alias: table.name }
  })
  return lines(await trial.engine.query({ kind: 'sql', text, relations, timezone }, never))
}

const nineIsMidnight = "CAST('1970-01-02 09:00:00' AS TIMESTAMPTZ) = CAST('1970-01-02 00:00:00+00' AS TIMESTAMPTZ)"

const relations: Case = {
  name: 'SQL sees the rows of tables where it names them, in the time zone of the query',
  needs: 'sql',
  async run(t, trial) {
    const { engine } = trial
    const one = await createVisits(engine, 'one')
    const two = await createVisits(engine, 'Two')
    await put(engine, one, { host: 'a', at: 1n, n: 1n }, { host: 'b', at: 1n, n: 2n })
    await trial.flush()
    await put(engine, two, { host: 'b', at: 82_800_000n, n: 5n })
    await put(engine, one, { host: 'b', at: 2n, n: 3n })
    t.equal(await sql(trial, 'SELECT count(*), sum(n) FROM @', [one]), wanted([3n, 6n]), 'one table')
    const cross = 'SELECT one.n, "Two".n FROM @, @ WHERE one.host = "Two".host AND \'@\' = \'@\''
    t.equal(await sql(trial, cross, [one, two]), wanted([2n, 5n], [3n, 5n]), 'two tables')
    const here = `SELECT count(*) FROM @ WHERE ${trial.contract.nineIsMidnight ?? nineIsMidnight}`
    t.equal(await sql(trial, here, [two], 'Asia/Tokyo'), wanted([1n]), 'nine in Tokyo')
    t.equal(await sql(trial, here, [two], 'UTC'), wanted([0n]), 'is not nine in UTC')
    const error = await failure(() => sql(trial, 'SELECT nothing FROM @', [one]))
    t.equal(error?.code, 'PlanQuery', 'an unknown column is an error of planning')
  }
}

const narrowed: Case = {
  name: 'the condition of a relation leaves out no row that meets it, and shows none that a newer one hides',
  needs: 'sql',
  async run(t, trial) {
    const { engine } = trial
    const table = await createVisits(engine, 'visits')
    const text = 'SELECT host, "at", n FROM @ WHERE n = 1'
    const start = text.indexOf('@')
    const ask = async (where: Condition) => {
      const relations = [{ start, end: start + 1, table, alias: 'visits', where }]
      return lines(await engine.query({ kind: 'sql', text, relations, timezone: 'UTC' }, never))
    }
    await put(engine, table, { host: 'a', at: 1n, n: 1n }, { host: 'b', at: 1n, n: 1n }, { host: 'c', at: 9n, n: 1n })
    await trial.flush()
    await put(engine, table, { host: 'b', at: 1n, n: 2n })
    await trial.flush()
    const one: Condition = { kind: 'equals', column: 'n', value: '1' }
    t.equal(await ask(one), wanted(['a', 1n, 1n], ['c', 9n, 1n]), 'a value')
    const early: Condition = { kind: 'all', of: [one, { kind: 'time', from: 0n, to: 5n }] }
    const near = (await ask(early)).split('\n').filter(line => !line.includes('c'))
    t.equal(near.join('\n'), wanted(['a', 1n, 1n]), 'a value and a time')
    const host = (value: string): Condition => ({ kind: 'equals', column: 'host', value })
    const both = await ask({ kind: 'any', of: [host('a'), host('c')] })
    t.equal(both, wanted(['a', 1n, 1n], ['c', 9n, 1n]), 'one of two values')
  }
}

const parameters: Case = {
  name: 'SQL takes values as parameters, whatever is in them',
  needs: 'sql',
  async run(t, trial) {
    const { engine } = trial
    const table = await createVisits(engine, 'visits')
    await put(engine, table, { host: "a' OR ''='", at: 1n, n: 2n ** 53n + 1n }, { host: '$1', at: 2n, n: -3n })
    const ask = async (where: string, ...parameters: SqlValue[]) => {
      const text = `SELECT host, n FROM @ WHERE ${where}`
      const start = text.indexOf('@')
      const relations = [{ start, end: start + 1, table, alias: 'visits' }]
      return lines(await engine.query({ kind: 'sql', text, relations, timezone: 'UTC', parameters }, never))
    }
    t.equal(await ask('host = $1', "a' OR ''='"), wanted(["a' OR ''='", 2n ** 53n + 1n]), 'a text')
    t.equal(await ask('n = $1 AND $2', 2n ** 53n + 1n, true), wanted(["a' OR ''='", 2n ** 53n + 1n]), 'whole numbers')
    t.equal(await ask('n < $1 AND host = $2', -2.5, '$1'), wanted(['$1', -3n]), 'a float, and a text like a place')
  }
}

const failing: Case = {
  name: 'a query that fails after its first rows fails, instead of ending early',
  needs: 'sql',
  async run(t, trial) {
    const table = await createVisits(trial.engine, 'visits', { append_mode: true })
    const rows = Array.from({ length: 50_000 }, (_, i) => ({ at: BigInt(i), n: i === 40_000 ? 300n : 1n }))
    for (let i = 0; i < 4; i++) await put(trial.engine, table, ...rows)
    const error = await failure(() =>
      sql(trial, `SELECT ${trial.contract.narrow ?? 'CAST(n AS TINYINT)'} FROM @`, [table])
    )
    t.ok(error?.code, 'a number that does not fit is an error, wherever it is')
  }
}

export const queryCases: readonly Case[] = [bounds, chosen, left, cancelled, relations, narrowed, parameters, failing]
