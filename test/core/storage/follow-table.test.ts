import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import type { TableWrite } from '../../../core/model/batch.ts'
import { followTable } from '../../../core/storage/follow-table.ts'
import type { Store } from '../../../core/storage/store.ts'
import { request as ctx, openEngine, storeOf, temporaryFolder, text, times } from './fixtures.ts'

let time = 0

function lines(table: string, ...values: readonly string[]): TableWrite {
  const at = values.map(() => ++time)
  return {
    table,
    rows: values.length,
    columns: [times('ts', at), text('line', values)],
    options: { append_mode: true }
  }
}

/** Follows a table; `next` gives so many lines once they are there, and no more of their batch than these. */
function follow(t: Test, store: Store, table: string, options: { limit?: number; user?: typeof ctx.user } = {}) {
  const end = new AbortController()
  const { user = ctx.user, ...rest } = options
  const rows = followTable(store, { ...ctx, user, signal: end.signal }, { table, interval: 5, ...rest })
  const found: string[] = []
  const state = { lost: 0, ended: false }
  const reading = (async () => {
    for await (const { columns, batch, lost } of rows) {
      const at = columns.findIndex(({ name }) => name === 'line')
      for (let row = 0; row < batch.rows; row++) found.push(String(batch.columns[at]!.values[row]))
      state.lost = lost
    }
    state.ended = true
  })()
  t.teardown(async () => {
    end.abort()
    await reading
  })
  return {
    state,
    end: () => end.abort(),
    reading,
    async next(count: number): Promise<readonly string[]> {
      while (found.length < count) await sleep(2)
      return found.splice(0, count)
    },
    /** After so many looks. */
    async more(): Promise<readonly string[]> {
      await sleep(50)
      return found.splice(0)
    }
  }
}

/** A store that writes rows to each new table before those who wait for the table are notified; with `flush` it also flushes them. */
function early(store: Store, flush: boolean): Store {
  return {
    ...store,
    seenBy: user => ({
      ...store.seenBy(user),
      tableMade: async (database, name, signal) => {
        const table = await store.tableMade(database, name, signal)
        await store.write(ctx, [lines(name, 'early')])
        if (flush) await store.maintain(ctx, { kind: 'flush' })
        await store.write(ctx, [lines(name, 'second')])
        return table
      }
    })
  }
}

t.test('rows of a table that is there are those written from now on', async t => {
  const store = storeOf(await openEngine(t, temporaryFolder(t)))
  await store.write(ctx, [lines('log', 'before')])
  const rows = follow(t, store, 'log')
  await sleep(50)
  await store.write(ctx, [lines('log', 'a', 'b')])
  await store.write(ctx, [lines('log', 'c')])
  t.same(await rows.next(3), ['a', 'b', 'c'])
  t.same(await rows.more(), [])
})

t.test('of a table that is not there yet all rows are given, the first ones, too', async t => {
  const store = storeOf(await openEngine(t, temporaryFolder(t)))
  const rows = follow(t, store, 'log')
  await sleep(20)
  await store.write(ctx, [lines('other', 'x')])
  await store.write(ctx, [lines('log', 'a')])
  for (const line of ['b', 'c', 'd']) await store.write(ctx, [lines('log', line)])
  t.same(await rows.next(4), ['a', 'b', 'c', 'd'])
  t.same(await rows.more(), [], 'each once')
})

for (const flush of [false, true]) {
  const where = flush ? 'in files' : 'in memory'
  t.test(`rows that are ${where} before a new table could be followed are given, too, each once`, async t => {
    const store = storeOf(await openEngine(t, temporaryFolder(t)))
    const rows = follow(t, early(store, flush), 'log')
    await sleep(20)
    await store.write(ctx, [lines('log', 'first')])
    t.same((await rows.next(3)).toSorted(), ['early', 'first', 'second'])
    await store.write(ctx, [lines('log', 'later')])
    t.same(await rows.next(1), ['later'])
    t.same(await rows.more(), [])
  })
}

t.test('a table that is dropped and made again is followed again, from its first row on', async t => {
  const store = storeOf(await openEngine(t, temporaryFolder(t)))
  await store.write(ctx, [lines('log', 'before')])
  const rows = follow(t, store, 'log')
  await sleep(50)
  for (const round of ['1', '2', '3']) {
    await store.write(ctx, [lines('log', `a${round}`)])
    t.same(await rows.next(1), [`a${round}`])
    await store.dropTable(ctx, store.table('public', 'log')!)
    // At once, and after the drop of the table was noticed.
    if (round === '2') await sleep(50)
    await store.write(ctx, [lines('log', `b${round}`)])
    t.same(await rows.next(1), [`b${round}`])
  }
  t.same(await rows.more(), [])
})

t.test('a table that takes the name is followed, and a user meets no table of a database that is not hers', async t => {
  const store = storeOf(await openEngine(t, temporaryFolder(t)))
  const rows = follow(t, store, 'log')
  const limited = { name: 'eve', mode: 'rw', databases: new Map([['other', 'rw']]) } as unknown as typeof ctx.user
  const none = follow(t, store, 'log', { user: limited })
  await store.write(ctx, [lines('draft', 'a')])
  await store.changeTable(ctx, store.table('public', 'draft')!, { kind: 'rename', name: 'log' })
  t.same(await rows.next(1), ['a'])
  t.same(await none.more(), [])
})

t.test('it ends with its signal while it waits for a table, and while it follows one', async t => {
  const store = storeOf(await openEngine(t, temporaryFolder(t)))
  const waiting = follow(t, store, 'log')
  waiting.end()
  await waiting.reading
  t.ok(waiting.state.ended)
  const rows = follow(t, store, 'log')
  await store.write(ctx, [lines('log', 'a')])
  await rows.next(1)
  rows.end()
  await rows.reading
  t.ok(rows.state.ended)
})

t.test('rows from before the end come still, and then the loop ends', async t => {
  const store = storeOf(await openEngine(t, temporaryFolder(t)))
  for (const wait of [0, 1, 3, 10]) {
    const until = new AbortController()
    const table = `drained${wait}`
    const rows = followTable(store, ctx, { table, interval: 5, until: until.signal })
    const first = rows.next()
    await sleep(10)
    await store.write(ctx, [lines(table, 'a')])
    await first
    await store.write(ctx, [lines(table, 'b')])
    await sleep(wait)
    await store.write(ctx, [lines(table, 'c'), lines(table, 'd')])
    until.abort()
    const lengths: number[] = []
    for await (const { batch } of rows) lengths.push(batch.rows)
    t.equal(
      lengths.reduce((sum, each) => sum + each, 0),
      3,
      `${lengths}`
    )
  }
  const until = new AbortController()
  const none = followTable(store, ctx, { table: 'never', until: until.signal }).next()
  until.abort()
  t.strictSame(await none, { done: true, value: undefined }, 'a table that was never made')
})

t.test('rows that wait beyond the limit are left out and counted, from one table to the next', async t => {
  const store = storeOf(await openEngine(t, temporaryFolder(t)))
  const end = new AbortController()
  t.teardown(() => end.abort())
  const rows = followTable(store, { ...ctx, signal: end.signal }, { table: 'log', interval: 5, limit: 1 })
  const first = rows.next()
  await store.write(ctx, [lines('log', 'a')])
  await first
  for (const line of ['b', 'c', 'd']) await store.write(ctx, [lines('log', line)])
  const second = (await rows.next()).value
  t.match(second, { batch: { rows: 1 }, lost: 2 }, 'while nobody asks, one write finds room')
  await store.dropTable(ctx, store.table('public', 'log')!)
  const third = rows.next()
  await sleep(20)
  await store.write(ctx, [lines('log', 'e')])
  t.match((await third).value, { lost: 2 })
  await rows.return(undefined)
})
