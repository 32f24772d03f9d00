// Short statements that would expand to long or deep ones: each gets an answer, and the server survives.
import t from 'tap'
import { processorTime } from '../../time.ts'
import { startSql } from './fixtures.ts'

/**
 * The longest that one round of the event loop works meanwhile, in milliseconds of processor time of this thread: what else the machine
 * does makes no difference. What is measured has run before: compiling the code that meets it first is not its fault.
 */
async function heldBy(work: () => Promise<unknown>): Promise<number> {
  let [longest, began, stopped] = [0, processorTime(), false]
  const round = () => {
    const now = processorTime()
    longest = Math.max(longest, now - began)
    began = now
    if (!stopped) setImmediate(round)
  }
  setImmediate(round)
  await work()
  round()
  stopped = true
  return longest
}

/** Milliseconds a statement may hold the event loop; those here have twice the words that are allowed by default. */
const maxHeld = 100

const longName = 'x'.repeat(900_000)

const hostile: Readonly<Record<string, readonly [sql: string, error: RegExp]>> = {
  'a long name of a table': [`SELECT * FROM ${longName}`, /Table not found/],
  'a long name of a column': [`SELECT ${longName} FROM visits`, /No field named x/],
  'a long name of a function': [`SELECT ${longName}(1)`, /there is no function x/],
  'a long first word': [`${longName} 1`, /not supported, keyword: X/],
  'a name like those of many tables': [`SELECT * FROM ${'like'.repeat(50)}_1e9`, /Table not found/],
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
  sums: [`SELECT ${'1 + '.repeat(2000)}1`, /has more than 500 operators in a row: write concat\(a, b, …\) .* list_sum/],
  'sums without spaces': [`SELECT ${'1+'.repeat(24_000)}1`, /has more than 500 operators in a row/],
  'joined texts': [
    `SELECT ${"'a' || ".repeat(2000)}'a'`,
    /has more than 500 operators in a row: write concat\(a, b, …\)/
  ],
  differences: [
    `SELECT ${'1 - '.repeat(500)}1`,
    /nests more than 400 levels deep: write concat\(a, b, …\) .* list_sum/
  ],
  'searches beside searches': [`SELECT ${"nothing @@ 'b', ".repeat(8000)}1 FROM visits`, /No field named nothing/],
  'new names': [`SELECT * RENAME (${Array(9000).fill('n AS m').join(', ')}) FROM visits`, /Duplicate entry/],
  'joined tables': [
    `SELECT 1 FROM visits ${Array.from({ length: 2500 }, (_, i) => `JOIN visits v${i} USING (n)`).join(' ')}`,
    /a FROM has more than 400 tables/
  ],
  'tables beside tables': [
    `SELECT ${Array(6000).fill('n').join(', ')} FROM ${Array.from({ length: 4000 }, (_, i) => `visits v${i}`).join(', ')}`,
    /a FROM has more than 400 tables/
  ],
  'a number without end': [`SELECT ${'1'.repeat(900_000)}`, /a number of the statement is too large/],
  'samples of nothing': [`SELECT 1 FROM visits USING SAMPLE ${'1 '.repeat(40_000)}`, /syntax error/],
  brackets: [`SELECT ${'('.repeat(24_000)}1${')'.repeat(24_000)}`, /nests more than/]
}

t.test('hostile statements are refused and cost little', async t => {
  // Raises the limit of tokens, so that statements are refused for what they do and not for their length.
  const { ask } = await startSql(t, '[plugins.sql]\nmax_sql_tokens = 50000\n')
  await ask('CREATE TABLE visits (at TIMESTAMP(3) TIME INDEX, n BIGINT)')
  for (let i = 0; i < 200; i++) await ask(`CREATE TABLE ${'like'.repeat(50)}_${i} (at TIMESTAMP(3) TIME INDEX)`)
  for (const [name, [sql, error]] of Object.entries(hostile)) {
    const before = process.cpuUsage()
    const reply = await ask(sql)
    const { user, system } = process.cpuUsage(before)
    const longest = await heldBy(() => ask(sql))
    t.ok(longest < maxHeld, `${name}: held the event loop for ${Math.round(longest)} ms`)
    t.equal(reply.status, 400, name)
    t.match(reply.body.error, error, name)
    t.ok(user + system < 3_000_000, `${name}: ${Math.round((user + system) / 1000)} ms`)
  }
  t.equal((await ask('SELECT 1')).status, 200)
})

const long: Readonly<Record<string, string>> = {
  unions: Array(4000).fill('SELECT n FROM visits').join(' UNION ALL '),
  subqueries: `SELECT ${Array(2000).fill('(SELECT max(n) FROM visits)').join(', ')}`,
  cases: `SELECT CASE ${Array(6000).fill('WHEN n = 1 THEN 2').join(' ')} END FROM visits`,
  conditions: `SELECT 1 FROM visits WHERE ${Array(10_000).fill('n = 1').join(' AND ')}`,
  'conditions beside gaps': `SELECT date_bin_gapfill('1h', at) AS t FROM visits WHERE ${'n = 1 AND '.repeat(10_000)} at > 0 AND at < 9 GROUP BY t`,
  times: `SELECT 1 FROM visits WHERE at IN (${Array(16_000).fill("'2024-01-01'").join(', ')})`,
  quantiles: `SELECT ${Array(6000).fill('approx_quantile(n, 0.5)').join(', ')} FROM visits`,
  'rows of JSON': `SELECT 1 FROM visits, ${Array(390).fill("json_object_keys('{}')").join(', ')}`,
  'keys of JSON': `SELECT ${Array(8000).fill("json_object_keys('{}')").join(', ')}`,
  'paths of JSON': `SELECT ${Array(6000).fill("s #>> '{a,b}'").join(', ')} FROM visits`
}

t.test('long statements end with an answer and let others have their turn', async t => {
  const { ask } = await startSql(t, '[plugins.sql]\nmax_sql_tokens = 50000\n')
  await ask('CREATE TABLE visits (at TIMESTAMP(3) TIME INDEX, n BIGINT, s STRING)')
  for (const [name, sql] of Object.entries(long)) {
    const reply = await ask(sql, {}, { 'x-svc-timeout': '10s' })
    const longest = await heldBy(() => ask(sql, {}, { 'x-svc-timeout': '10s' }))
    t.ok(longest < maxHeld, `${name}: held the event loop for ${Math.round(longest)} ms`)
    t.notMatch(reply.body.error ?? '', /Internal/, name)
  }
  t.equal((await ask('SELECT 1')).status, 200)
})

t.test('long chains of operators run', async t => {
  const { ask } = await startSql(t)
  await ask('CREATE TABLE visits (at TIMESTAMP(3) TIME INDEX, n BIGINT, s STRING)')
  await ask("INSERT INTO visits VALUES (1000, 2, 'b')")
  const chain = (operator: string, terms: number, term: (i: number) => string) =>
    Array.from({ length: terms }, (_, i) => term(i)).join(operator)
  const answers: Readonly<Record<string, readonly [sql: string, value: unknown]>> = {
    sum: [`SELECT ${chain(' + ', 450, () => 'n')} FROM visits`, 900],
    'without spaces': [`SELECT ${chain('+', 450, () => 'n')} AS total FROM visits`, 900],
    'differences and sums': [`SELECT ${chain(' + ', 300, () => 'n - 1')} FROM visits`, 300],
    'products in sums': [`SELECT ${chain('+', 150, () => 'n*n/n - n*1')} FROM visits`, 0],
    product: [`SELECT ${chain(' * ', 450, i => (i % 2 === 0 ? 'n' : '0.5'))} FROM visits`, 1],
    texts: [`SELECT length(${chain('||', 450, () => 's')}) FROM visits`, 450],
    'constants beside a time': [`SELECT at = ${chain(' + ', 500, () => '2')} FROM visits`, true],
    'texts beside a sum': [`SELECT count(*) FROM visits WHERE n < ${chain('+', 500, () => '1')} AND s = 'b'`, 1],
    intervals: [
      `SELECT (at + ${chain(' + ', 400, () => "INTERVAL '1 second'")}) = '1970-01-01 00:06:41' FROM visits`,
      true
    ]
  }
  for (const [name, [sql, value]] of Object.entries(answers)) {
    const reply = await ask(sql)
    t.equal(reply.status, 200, `${name} ${reply.body.error ?? ''}`)
    t.strictSame(reply.rows, [[value]], name)
  }
  const written = chain('+', 60, () => 'n')
  t.ok(JSON.stringify((await ask(`SELECT ${written} FROM visits`)).body).includes(`"name":"${written}"`))
})
