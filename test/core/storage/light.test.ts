import t from 'tap'
import { openLight } from '../../../core/storage/embedded/duckdb/light.ts'
import type { RowSource } from '../../../core/storage/embedded/duckdb/rows.ts'
import type { QueryResult } from '../../../core/storage/engine.ts'
import { never } from './fixtures.ts'

const rows = 5_000
const source: RowSource = {
  columns: [{ name: 'n', type: 'Float64' }],
  batches: [{ rows, columns: [{ kind: 'fixed', values: Float64Array.from({ length: rows }, (_, i) => i) }] }],
  expected: rows
}

async function count(result: QueryResult): Promise<number> {
  let sum = 0
  for await (const batch of result.batches()) sum += batch.rows
  return sum
}

t.test('statements run over rows in memory, one after the other and at once', async t => {
  const light = openLight(1 << 30)
  t.teardown(() => light.close(false))
  const ask = (sql: (rows: string) => string, parameters: readonly number[] = []) =>
    light.withRows(source, async rows => count(await light.whole({ sql: sql(rows), parameters }, never, () => {})))
  t.equal(await ask(rows => `SELECT * FROM ${rows}`), rows)
  t.same(
    await Promise.all([10, 20, 30].map(most => ask(rows => `SELECT n FROM ${rows} WHERE n < $1`, [most]))),
    [10, 20, 30]
  )
  const zoned = await light.whole(
    { sql: "SELECT current_setting('TimeZone')", timezone: 'Asia/Tokyo' },
    never,
    () => {}
  )
  for await (const { columns } of zoned.batches()) t.equal(columns[0]!.values[0], 'Asia/Tokyo')
})

t.test('it reads no file, and what takes too much memory says so', async t => {
  const light = openLight(1 << 28)
  t.teardown(() => light.close(false))
  t.equal(light.memoryLimit, 1 << 25)
  let released = 0
  const fails = (sql: string) => light.whole({ sql }, never, () => released++)
  await t.rejects(fails("SELECT * FROM read_text('/etc/passwd')"), { code: 'PermissionDenied' })
  await t.rejects(fails('SELECT list(i) FROM range(100000000) r(i)'), { code: 'RuntimeResourcesExhausted' })
  await t.rejects(fails('SELECT * FROM nothing'), { code: 'PlanQuery' })
  t.equal(released, 3, 'each lets go what it holds')
})

t.test('a statement ends with its signal, and with the instance', async t => {
  const light = openLight(1 << 30)
  const endless = 'SELECT sum(a.i * b.i) FROM range(100000) a(i), range(10000000) b(i)'
  const controller = new AbortController()
  const cancelled = light.whole({ sql: endless }, controller.signal, () => {})
  setTimeout(() => controller.abort(), 100)
  await t.rejects(cancelled, { code: 'Cancelled' })
  const closed = t.rejects(light.whole({ sql: endless }, never, () => {}))
  await new Promise(resolve => setTimeout(resolve, 100))
  await light.close(false)
  await closed
})
