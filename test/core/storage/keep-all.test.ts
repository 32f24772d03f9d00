import t from 'tap'
import type { Engine } from '../../../core/storage/engine.ts'
import { createTable, never, openEngine, put, select, temporaryFolder } from './fixtures.ts'

const keepAll = { kind: 'set_options', options: { append_mode: true } } as const
const shown = (engine: Engine) =>
  select(engine, engine.catalog.table('public', 'visits')!, 'SELECT host, epoch_ms("at"), n FROM @ ORDER BY "at", n')

t.test('a table that keeps every row from now on shows none that was overwritten or deleted before', async t => {
  const dir = temporaryFolder(t)
  const engine = await openEngine(t, dir)
  const table = await createTable(engine, 'visits')
  await put(engine, table, [
    { host: 'a', at: 1, n: 1 },
    { host: 'a', at: 2, n: 2 },
    { host: 'a', at: 3, n: 3 }
  ])
  await engine.maintain({ kind: 'flush' }, never)
  await put(engine, table, [{ host: 'a', at: 2, n: 20 }])
  await engine.maintain({ kind: 'flush' }, never)
  await put(engine, table, [{ host: 'a', at: 3 }], 'delete')
  const before = [
    ['a', 1, 1],
    ['a', 2, 20]
  ]
  t.same(await shown(engine), before)
  const changed = await engine.catalog.changeTable(table, keepAll)
  t.same(await shown(engine), before)
  await put(engine, changed, [{ host: 'a', at: 1, n: 10 }])
  const after = [
    ['a', 1, 1],
    ['a', 1, 10],
    ['a', 2, 20]
  ]
  t.same(await shown(engine), after, 'later rows are kept beside it')
  await engine.maintain({ kind: 'flush' }, never)
  await engine.maintain({ kind: 'compact' }, never)
  t.same(await shown(engine), after, 'in files')
  await engine.close()
  t.same(await shown(await openEngine(t, dir)), after, 'and after a start')
})

t.test('the option cannot be taken back', async t => {
  const engine = await openEngine(t, temporaryFolder(t))
  const table = await createTable(engine, 'visits', { append_mode: true })
  await t.rejects(engine.catalog.changeTable(table, { kind: 'set_options', options: { append_mode: false } }), {
    message: /append_mode cannot be taken back/
  })
})

t.test('rows written meanwhile are all there, whatever the change finds', async t => {
  const engine = await openEngine(t, temporaryFolder(t))
  const table = await createTable(engine, 'visits')
  let writing = true
  let written = 0
  const writer = async () => {
    for (let i = 0; writing; i++) {
      await put(engine, table, [{ host: `h${i}`, at: i % 7, n: i }])
      written++
    }
  }
  const done = [writer()]
  const outcome = await engine.catalog.changeTable(table, keepAll).then(
    changed => changed.options.append_mode,
    error => error.code
  )
  writing = false
  await Promise.all(done)
  t.ok(outcome === true || outcome === 'StorageUnavailable', `${outcome}`)
  t.same(await select(engine, engine.catalog.table('public', 'visits')!, 'SELECT count(*) FROM @'), [[written]])
})
