import t from 'tap'
import { isDbError } from '../../../core/index.ts'
import { createGrammar } from '../../../plugins/sql/grammar/grammar.ts'
import { createParser, type Tree } from '../../../plugins/sql/grammar/parser.ts'
import { asIdent } from '../../../plugins/sql/grammar/tree.ts'
import { canonical, label } from '../../../plugins/sql/text/canonical.ts'
import { locator } from '../../../plugins/sql/text/locate.ts'
import { tokenize } from '../../../plugins/sql/text/token.ts'
import { slowness } from '../../time.ts'

const parser = createParser()
const parse = async (sql: string) => parser.tree(sql, canonical(tokenize(sql)))

/** All names of a tree with their tokens. */
function names(tree: Tree): unknown[] {
  const name = asIdent(tree)
  if (name !== undefined) return [[name.value, name.at]]
  return typeof tree === 'object' && tree !== null ? Object.values(tree).flatMap(names) : []
}

t.teardown(() => parser.close())

t.test('hostile nesting is refused and leaves the grammar able to go on', async t => {
  const n = 20_000
  const hostile: Record<string, string> = {
    parentheses: `select ${'('.repeat(n)}1${')'.repeat(n)}`,
    brackets: `select ${'['.repeat(n)}1`,
    minus: `select ${'- '.repeat(n)}1`,
    sums: `select 1${'+1'.repeat(n)}`,
    conditions: `select 1 where a = 1${' or a = 1'.repeat(n)}`,
    casts: `select 1${'::int'.repeat(n)}`,
    tests: `select a${' is null'.repeat(n)}`,
    ranges: `select a${' between 1 and 2'.repeat(n)}`,
    zones: `select a${" at time zone 'x'".repeat(n)}`,
    unions: `select 1${' union select 1'.repeat(n)}`,
    unionsOfTables: `select 1 from t${' union select 1 from t'.repeat(n)}`,
    subscripts: `select a${'[1]'.repeat(n)}`,
    arrays: `select 1::int${'[]'.repeat(n)}`,
    types: `select 1::${'struct(a '.repeat(n)}`,
    pivots: `select 1 from t${' pivot (sum(b) for a in (1))'.repeat(n)}`,
    intervals: `select ${'interval '.repeat(n)}'1'`,
    // Takes all the time it may, and a longer text may take longer.
    cases: `select ${'case when 1 then '.repeat(n / 20)}1`,
    subqueries: `select ${'exists (select '.repeat(n)}1`,
    both: `select ${'('.repeat(40)}1${`${'+1'.repeat(300)})`.repeat(40)}`,
    calls: `select ${'f('.repeat(n)}1`,
    collations: `select a${' collate x'.repeat(n)}`,
    patterns: `select a${" like 'x'".repeat(n)}`,
    lambdas: `select ${'x -> '.repeat(n)}1`,
    fields: `select a${'.b'.repeat(n)}[1]${'.c[1]'.repeat(n)}`
  }
  for (const [name, sql] of Object.entries(hostile)) {
    await parse(sql).catch((error: { code: string }) => t.not(error.code, 'Internal', name))
    t.match(await parse('select 1'), { Query: {} }, `${name}: the next statement is read`)
  }
})

t.test('a thread that failed in another way than by the syntax is replaced', async t => {
  const grammar = createGrammar()
  t.teardown(() => grammar.close())
  for (const text of ['select (', "select 'open", 'selec', `select ${'('.repeat(300)}`])
    t.notOk(await grammar.run({ kind: 'parse', text }).catch(isDbError), text)
  const noStarts = null as unknown as readonly number[]
  const failing = grammar.run({ kind: 'bind', text: 'select 1', starts: noStarts })
  const behind = grammar.run({ kind: 'bind', text: 'select 1', starts: [0, 7] })
  await t.rejects(failing, { code: 'Internal', message: 'the SQL grammar failed' })
  t.match(await behind, [{ Query: {} }], 'the statement behind it is read by another one')
})

t.test('statements that differ in their literals share a tree of tokens', async t => {
  const shape = async (sql: string) => parser.sharedTree(sql, canonical(tokenize(sql)))
  const first = await shape("select a from t where a = 'x' and b > 1 limit 10")
  t.equal(await shape("select a from t where a = 'somewhat longer' and b > 1.5e3 limit 7"), first)
  t.strictSame(
    names(first),
    [
      ['a', 1],
      ['t', 3],
      ['a', 5],
      ['b', 9]
    ],
    'each name is a token'
  )
  for (const other of [
    'select a from t where a = 1 and b > 1 limit 10',
    "select b from t where a = 'x' and b > 1 limit 1"
  ])
    t.not(await shape(other), first, other)
  const long = `select '👍', 'a\nb', ${Array(5000).fill('1').join(', ')}, "b" from t`
  t.strictSame(names(await shape(long))[0], ['b', 10_005], 'a long one has tokens, too')
  await t.rejects(shape("select a 'abc' 'def'"), { message: /abc|def/ }, 'an error names what was written')
})

t.test('a statement that would take the grammar for ever is given up, and those behind it are answered', async t => {
  const endless = `select ${'a.b['.repeat(30)}a b c`
  await parse('select 1')
  const started = performance.now()
  const [first, second] = await Promise.allSettled([parse(endless), parse('select 1')])
  t.match(first, { status: 'rejected', reason: { code: 'InvalidArguments', message: /nested too deeply/ } })
  t.match(second, { status: 'fulfilled', value: { Query: {} } })
  t.ok(performance.now() - started < 20_000 * slowness())
})

t.test('long lists and honest conditions are read', async t => {
  for (const sql of [
    `select 1 where a in (1${',1'.repeat(90_000)})`,
    `select 1 where a = 1${' or a = 1'.repeat(300)}`,
    `select 1 where a = 1${' and a = 1'.repeat(5_000)}`,
    `select 1 where (a=1)${'and(a=1)'.repeat(100)} order by 1`,
    `select 1 where a between 1 and 2${' and a between 1 and 2 or b'.repeat(500)}`,
    `select 1${', a + b * c'.repeat(2000)}`,
    `select * from a${' join b using (c)'.repeat(200)}`,
    `select 1${' union all select 1'.repeat(1_000)}`,
    `with a as (select 1, 2) select 1, 2${' union all by name select 1, 2 from a'.repeat(6_000)} order by 1`,
    `select 1 where a in (select 1${' except select 2 union distinct values (1)'.repeat(3_000)})`
  ]) {
    t.match(await parse(sql), { Query: {} })
  }
})

t.test('the canonical text has one form of quoting and no comments', async t => {
  const text = (sql: string) => canonical(tokenize(sql)).text
  t.equal(
    text("select `a``b`, E'x\\ty', $t$a'b$t$, X'0aFF' /* c /* d */ */ -- e\n, 'f'"),
    `select "a\`b", 'x\ty', 'a''b', CAST('\\x0a\\xFF' AS BLOB) , 'f'`
  )
  t.equal(text("n'x'"), "n 'x'")
  t.equal(text("u&'x'"), "u& 'x'")
  t.equal(text('Größe'), '"größe"')
  t.equal(text('a\u00a0b'), 'a b')
  t.equal(label(tokenize('COUNT ( * )')), 'count (*)')
  for (const bad of ["'open", '"open', '/* open', '$$ open', "X'0'", '\\', "'a\0b'", '\u200b']) {
    t.throws(() => tokenize(bad), { code: 'InvalidSyntax', line: 1 }, bad)
  }
})

t.test('places are found behind wide characters and line breaks in strings', async t => {
  const text = `select '👍\nx', "é" from t`
  t.equal(locator(text)(2, 5), text.indexOf('"é"'))
  await t.rejects(parse("select 'a\n👍', (1 +"), /line 2, column 9/)
})
