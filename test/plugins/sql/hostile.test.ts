// Short texts that would become long statements, or deep ones: each ends with an answer, and none with the server.
import t from 'tap'
import { startSql } from './fixtures.ts'

const hostile: Readonly<Record<string, readonly [sql: string, error: RegExp]>> = {
  comprehensions: [`SELECT ${'[x FOR x IN '.repeat(4000)}[1]${']'.repeat(4000)}`, /nests more than/],
  'range queries': [
    Array(2000).fill("SELECT at, max(n) RANGE '1m' FROM visits ALIGN '1m'").join(' UNION ALL '),
    /more than 100 ALIGN in one statement/
  ],
  gaps: [
    Array(2000)
      .fill("SELECT date_bin_gapfill('1m', at) AS t FROM visits WHERE at > 0 AND at < 9 GROUP BY t")
      .join(' UNION ALL '),
    /more than 100 date_bin_gapfill in one statement/
  ],
  pivots: [
    Array(2000).fill('SELECT * FROM (UNPIVOT visits ON n)').join(' UNION ALL '),
    /more than 100 PIVOT in one statement/
  ],
  'nested pivots': [`${'UNPIVOT ('.repeat(8000)}visits ON n${') ON n'.repeat(8000)}`, /nests more than/],
  'columns of a pivot': [
    `PIVOT visits ON n IN (${Array.from({ length: 900 }, (_, i) => i)}) USING ${Array(100).fill('max(n), min(n)').join(', ')}`,
    /900 columns of such length/
  ],
  'nulls in nulls': [`SELECT ${'f('.repeat(5000)}x${' IGNORE NULLS)'.repeat(5000)}`, /nests more than/],
  'nulls beside nulls': [
    `SELECT ${'max('.repeat(90)}${Array(9000).fill('n').join(', ')}${') IGNORE NULLS'.repeat(90)} FROM visits`,
    /nests more than|NULLS/
  ],
  sums: [`SELECT ${'1 + '.repeat(500)}1`, /nests more than 400 levels deep: write concat\(a, b, …\) .* list_sum/],
  'joined texts': [`SELECT ${"'a' || ".repeat(500)}'a'`, /nests more than 400 levels deep: write concat\(a, b, …\)/],
  brackets: [`SELECT ${'('.repeat(24_000)}1${')'.repeat(24_000)}`, /nests more than/]
}

t.test('hostile statements are refused and cost little', async t => {
  const { ask } = await startSql(t)
  await ask('CREATE TABLE visits (at TIMESTAMP(3) TIME INDEX, n BIGINT)')
  for (const [name, [sql, error]] of Object.entries(hostile)) {
    const before = process.cpuUsage()
    const reply = await ask(sql)
    const { user, system } = process.cpuUsage(before)
    t.equal(reply.status, 400, name)
    t.match(reply.body.error, error, name)
    t.ok(user + system < 3_000_000, `${name}: ${Math.round((user + system) / 1000)} ms`)
  }
  t.equal((await ask('SELECT 1')).status, 200)
})
