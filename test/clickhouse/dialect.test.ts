// Every SQL dialect gives the same meaning to each of its expressions: one table of cases, run on each engine.
import t from 'tap'
import { internalContext } from '../../core/core.ts'
import { runAtOnce, SqlParameters, type Store } from '../../core/index.ts'
import type { Dialect } from '../../core/storage/dialect/dialect.ts'
import { startServer } from '../helpers.ts'
import { needingClickHouse, startClickHouse } from './server.ts'

t.setTimeout(120_000)

type Value = string | number | null
type Write = (dialect: Dialect, constant: (text: string) => string) => string

/** A moment of 2026, in microseconds: Thursday, 13:47:12.345678. */
const moment = 1_767_880_032_345_678n
const at = (dialect: Dialect) => dialect.time('TimestampMicrosecond', moment, String)
const text = (value: string) => (dialect: Dialect) => dialect.cast(dialect.quoteText(value), 'String')
/** Rows of constants, put together at once. */
const rowsOf = (dialect: Dialect, ...[columns, cells]: Parameters<Dialect['rows']>) =>
  runAtOnce(dialect.rows(columns, cells))
const nothing = (dialect: Dialect) => dialect.cast('NULL', 'String')
const json = '{"user":{"id":7,"na.me":"mia"},"list":[1,"two"],"none":null}'

const table: readonly (readonly [what: string, write: Write, expected: Value])[] = [
  ['a text with quotes and backslashes', d => d.quoteText(`it's \\ "x" \n`), `it's \\ "x" \n`],
  ['bytes', d => d.base64(d.quoteBytes('00ff')), 'AP8='],
  ['a cast', d => d.cast("'7'", 'Int32'), 7],
  ['a cast that fails is null', d => d.tryCast(text('x')(d), 'Int64'), null],
  ['a whole number as text', d => d.text('42'), '42'],
  [
    'a wide integer compares',
    d => `CASE WHEN 1 < ${d.wideInteger(text('99999999999999999999')(d))} THEN 1 ELSE 0 END`,
    1
  ],
  ['ticks of a time', d => d.ticks('TimestampMicrosecond', at(d)), Number(moment)],
  ['ticks of seconds', d => d.ticks('TimestampSecond', d.time('TimestampSecond', -5n, String)), -5],
  ['ticks of milliseconds', d => d.ticks('TimestampMillisecond', d.time('TimestampMillisecond', 1500n, String)), 1500],
  ['ticks of nanoseconds', d => d.ticks('TimestampNanosecond', d.time('TimestampNanosecond', 1500n, String)), 1500],
  ['milliseconds', d => d.milliseconds(at(d)), 1_767_880_032_345],
  ['nanoseconds', d => d.nanoseconds(at(d)), Number(moment) * 1000],
  ['seconds', d => d.seconds('TimestampMicrosecond', at(d)), 1_767_880_032],
  ['seconds before 1970', d => d.seconds('TimestampMillisecond', d.time('TimestampMillisecond', -1n, String)), -1],
  [
    'the day',
    d => d.ticks('TimestampMicrosecond', d.truncate('TimestampMicrosecond', "'day'", at(d))),
    1_767_830_400_000_000
  ],
  [
    'the week',
    d => d.ticks('TimestampMicrosecond', d.truncate('TimestampMicrosecond', "'week'", at(d))),
    1_767_571_200_000_000
  ],
  [
    'a bucket',
    d => d.ticks('TimestampMicrosecond', d.bucket('TimestampMicrosecond', '7000000', at(d))),
    1_767_880_030_000_000
  ],
  [
    'a bucket before 1970',
    d =>
      d.ticks(
        'TimestampMillisecond',
        d.bucket('TimestampMillisecond', '10000000', d.time('TimestampMillisecond', -1n, String))
      ),
    -10_000
  ],
  ['lower case', d => d.lower(text('ÄB')(d)), 'äb'],
  ['upper case', d => d.upper(text('äb')(d)), 'ÄB'],
  ['characters', d => d.length(text('日本')(d)), 2],
  ['from behind', d => d.reverse(text('日本')(d)), '本日'],
  ['spaces of both ends', d => d.trim(text(' x ')(d)), 'x'],
  ['spaces of the left end', d => d.trim(text(' x ')(d), 'left'), 'x '],
  ['a hash', d => d.md5(text('x')(d)), '9dd4e461268c8034f5c8564e155c67a6'],
  ['the left part', d => d.left(text('日本語')(d), '2'), '日本'],
  ['all but the right part', d => d.left(text('日本語')(d), '-1'), '日本'],
  ['the right part', d => d.right(text('日本語')(d), '1'), '語'],
  ['a part', d => d.substring(text('日本語')(d), '2', '1'), '本'],
  ['a part from behind', d => d.substring(text('日本語')(d), '-2'), '本語'],
  ['a part between', d => d.splitPart(text('a,b,c')(d), "','", '2'), 'b'],
  ['a part that is none', d => d.splitPart(text('a,b,c')(d), "','", '9'), ''],
  ['a position', d => d.position(text('日本')(d), "'本'"), 2],
  ['texts joined', d => d.concat([text('a')(d), nothing(d), text('b')(d)]), 'ab'],
  ['contains', d => d.countIf(d.contains(text('a%b')(d), "'%'")), 1],
  ['starts with', d => d.countIf(d.startsWith(text('ab')(d), "'b'")), 0],
  ['ends with', d => d.countIf(d.endsWith(text('ab')(d), "'b'")), 1],
  ['a regular expression', d => d.countIf(d.matches(text('a1')(d), d.quoteText(d.pattern('^a\\d$')))), 1],
  ['a dot is no end of a line', d => d.countIf(d.matches(text('a\nb')(d), d.quoteText(d.pattern('a.b')))), 0],
  ['a group', d => d.extract(text('k=v')(d), d.quoteText(d.pattern('(\\w)=(\\w)')), '2'), 'v'],
  ['a group of nothing', d => d.extract(text('k')(d), d.quoteText(d.pattern('(\\w)=(\\w)')), '2'), null],
  ['places replaced', d => d.replaceAll(text('a1b22')(d), d.quoteText(d.pattern('\\d+')), "'#'"), 'a#b#'],
  ['a text as a pattern', d => d.countIf(d.matches(text('a+b')(d), d.escapeRegex(text('a+b')(d)))), 1],
  ['a text in JSON', (d, c) => d.jsonText(d.tryCast(text(json)(d), 'Json'), ['user', 'na.me'], c), 'mia'],
  ['a number in JSON', (d, c) => d.jsonText(d.tryCast(text(json)(d), 'Json'), ['user', 'id'], c), '7'],
  ['an element in JSON', (d, c) => d.jsonText(d.tryCast(text(json)(d), 'Json'), ['list', 1], c), 'two'],
  ['nothing in JSON', (d, c) => d.jsonText(d.tryCast(text(json)(d), 'Json'), ['user', 'x'], c), null],
  ['null in JSON', (d, c) => d.jsonText(d.tryCast(text(json)(d), 'Json'), ['none'], c), null],
  [
    'a list in JSON has it',
    (d, c) => d.countIf(d.jsonListHas(d.tryCast(text('[{"a":{"b.c":"x"}},{}]')(d), 'Json'), ['a', 'b.c'], "'x'", c)),
    1
  ],
  [
    'a list in JSON has it not',
    (d, c) => d.countIf(d.jsonListHas(d.tryCast(text('[{"a":1}]')(d), 'Json'), ['b'], "'1'", c)),
    0
  ],
  ['true', d => d.countIf(d.isTrue(d.cast('NULL', 'Boolean'))), 0],
  ['false', d => d.countIf(d.isFalse('false')), 1],
  ['a sum that is too much', d => d.calculate('9223372036854775807', '+', '1', true), null],
  ['a whole division', d => d.calculate('7', '/', '2', true), 3],
  ['by zero', d => d.calculate('7', '/', '0', true), null],
  ['a division', d => d.calculate('7', '/', '2', false), 3.5],
  ['a rest', d => d.calculate('-7', '%', '3', true), -1],
  ['rounded', d => d.round('2.345', '2'), 2.35],
  ['the least of nothing', d => `(SELECT ${d.min('v')} FROM (SELECT 1 AS v) AS one WHERE v > 1)`, null],
  ['the greatest', d => `(SELECT ${d.max('v')} FROM (SELECT 1 AS v UNION ALL SELECT 2) AS two)`, 2],
  ['the last', d => `(SELECT ${d.argMax('v', 'w')} FROM (SELECT 1 AS v, 9 AS w UNION ALL SELECT 2, 3) AS two)`, 1],
  ['the first', d => `(SELECT ${d.argMin('v', 'w')} FROM (SELECT 1 AS v, 9 AS w UNION ALL SELECT 2, 3) AS two)`, 2],
  ['any is true', d => `(SELECT ${d.anyTrue('v > 1')} FROM (SELECT 1 AS v UNION ALL SELECT 2) AS two)`, 1],
  ['the deviation of one value', d => d.standardDeviation('1', 'sample'), null],
  ['the variance', d => `(SELECT ${d.variance('v')} FROM (SELECT 1 AS v UNION ALL SELECT 3) AS two)`, 2],
  ['the median', d => `(SELECT ${d.median('v')} FROM (SELECT 1 AS v UNION ALL SELECT 2) AS two)`, 1.5],
  [
    'rows of constants',
    d =>
      `(SELECT sum(n) FROM ${rowsOf(
        d,
        [
          ['n', 'BIGINT'],
          ['s', 'VARCHAR']
        ],
        [
          ['1', '2', null],
          ["it's", '\\', null]
        ]
      )} AS few)`,
    3
  ],
  [
    'many rows, some columns of which are the same in all',
    d =>
      `(SELECT count(*) + sum(n) + sum(one) + count(none) FROM ${rowsOf(
        d,
        [
          ['n', 'BIGINT'],
          ['one', 'BIGINT'],
          ['none', 'VARCHAR']
        ],
        [Array.from({ length: 3000 }, (_, i) => String(i)), Array(3000).fill('1'), Array(3000).fill(null)]
      )} AS many WHERE one = 1)`,
    3000 + (2999 * 3000) / 2 + 3000
  ],
  ['no rows', d => `(SELECT count(*) FROM ${rowsOf(d, [['n', 'TIMESTAMP_MS']], [[]])} AS none)`, 0]
]

async function answers(store: Store, ctx: Parameters<Store['query']>[0]): Promise<readonly string[]> {
  const found: string[] = []
  for (const [what, write] of table) {
    const parameters = new SqlParameters()
    const sql = `SELECT ${write(store.dialect, value => parameters.add(value))} AS answer`
    const query = { kind: 'sql', text: sql, relations: [], timezone: 'UTC', parameters: parameters.values } as const
    try {
      const result = await store.query(ctx, query)
      for await (const { rows, columns } of result.batches()) {
        const [{ values, valid }] = columns as [(typeof columns)[0]]
        if (rows > 0) found.push(`${what}: ${valid !== undefined && (valid[0]! & 1) === 0 ? null : shown(values[0])}`)
      }
    } catch (error) {
      found.push(`${what}: ${(error as Error).message} in ${sql}`)
    }
  }
  return found
}

/** Truth is 1 or 0, whatever an engine has for it. */
function shown(value: unknown): unknown {
  return typeof value === 'boolean' ? Number(value) : (value ?? null)
}

const wanted = table.map(([what, , expected]) => `${what}: ${expected}`)

async function check(t: Parameters<typeof startServer>[0], toml = '') {
  const { core } = await startServer(t, toml)
  t.strictSame(await answers(core.store, internalContext(core, 'test')), wanted)
}

t.test('DuckDB', async t => check(t))

t.test('ClickHouse', needingClickHouse(), async t => {
  const { url } = await startClickHouse(t)
  await check(t, `[storage]\nengine = "clickhouse"\n[storage.clickhouse]\nurls = ["${url}"]\n`)
})
