// How many series are read at once.
import t from 'tap'
import { usualLimits } from '../../../../core/storage/embedded/read/limits.ts'
import { createTable, never, openEngine, put, temporaryFolder } from '../fixtures.ts'

t.test('a batch is as large as the rows of its series let expect, not those of others', async t => {
  const limits = { ...usualLimits, samples: 1_000 }
  const engine = await openEngine(t, temporaryFolder(t), { sync: 'none', limits })
  const table = await createTable(engine, 'loads', {})
  const rows = Array.from({ length: 5_000 }, (_, i) => ({ host: `h${i % 500}`, at: Math.floor(i / 500), n: i }))
  await put(engine, table, rows)
  await engine.maintain({ kind: 'flush' }, never)
  /** Sizes of the batches, in samples: one for each question to a reading thread. Neighbours belong to the same thread. */
  const ask = async (pattern: string) => {
    const matches = [{ column: 'host', test: (value: string) => new RegExp(`^(?:${pattern})$`).test(value) }]
    const result = await engine.query({ kind: 'series', table, matches, values: ['n'] }, never)
    const sizes: number[] = []
    for await (const { rows } of result.batches()) if (rows > 0) sizes.push(rows)
    return sizes
  }
  t.same(await ask('h1.'), [100], 'ten neighbours of 500 series in one question')
  const all = await ask('h.*')
  t.equal(
    all.reduce((sum, size) => sum + size, 0),
    5_000
  )
  t.ok(all.length >= 5, `none of many more samples than a batch may have: ${all}`)
  t.ok(Math.max(...all) <= 2_000, `${all}`)
})
