// Rows that come after a query was planned and before it reads.
import { randomBytes } from 'node:crypto'
import t from 'tap'
import type { Engine } from '../../../../core/storage/engine.ts'
import { createTable, makeEngine, never, openEngine, put, temporaryFolder } from '../fixtures.ts'

/** Times of the rows that a query of series gives. */
async function timesOf(engine: Engine, values: readonly string[]): Promise<readonly number[]> {
  const table = engine.catalog.table('public', 'notes')!
  const result = await engine.query({ kind: 'series', table, matches: [], values }, never)
  const times: number[] = []
  for await (const { columns } of result.batches()) times.push(...(columns[1]!.values as Float64Array))
  return times.sort((a, b) => a - b)
}

for (const values of [['n'], ['note'], ['n', 'note']])
  for (const merge_mode of ['last_row', 'last_non_null'] as const)
    t.test(`no row comes twice while it is written again and again: ${values.join(', ')}, ${merge_mode}`, async t => {
      const dir = temporaryFolder(t)
      const first = makeEngine(dir, { sync: 'none' })
      await first.open()
      const table = await createTable(first, 'notes', { merge_mode })
      const note = randomBytes(300_000).toString('latin1')
      for (let at = 0; at < 4; at++) {
        await put(first, table, [{ host: 'a', at: at * 1000, n: at, note }])
        await first.maintain({ kind: 'flush' }, never)
      }
      await first.close()
      for (let round = 0; round < 3; round++) {
        // Files are read against their checksums by the first query that needs them: it waits for that.
        const engine = await openEngine(t, dir, { sync: 'none' })
        const known = engine.catalog.table('public', 'notes')!
        const written = 10_000 + round
        await put(engine, known, [{ host: 'a', at: written, n: 0, note: 'first' }])
        const asked = timesOf(engine, values)
        let isAnswered = false
        void asked.then(() => {
          isAnswered = true
        })
        for (let n = 1; !isAnswered; n++) await put(engine, known, [{ host: 'a', at: written, n, note: `${n}` }])
        const earlier = Array.from({ length: round }, (_, i) => 10_000 + i)
        t.same(await asked, [0, 1000, 2000, 3000, ...earlier, written])
        await engine.close()
      }
    })
