import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { isDbError, runAtOnce } from '../../../core/index.ts'
import { parseStatements } from '../../../plugins/sql/statement/parse.ts'
import { fillParameters, parametersOf } from '../../../plugins/sql/text/parameters.ts'
import { stepTokens, tokenize } from '../../../plugins/sql/text/token.ts'

const words =
  `select insert into values create table database drop show tables describe explain set use admin delete from where with
  time index primary key string timestamp default comment engine ttl if exists not null ( ) , ; . = * ' " \` 'a' "b" 1 1.5 -- /* */ $$ x'0`.split(
    /\s+/
  )
const text = fc.array(fc.oneof(fc.constantFrom(...words), fc.string({ unit: 'binary', maxLength: 3 })), {
  maxLength: 14
})

t.test('any text sent as SQL is read or refused as the sender’s mistake', async () => {
  const starts = fc.constantFrom('', 'create table t (', 'insert into t values (', 'show ', 'set ', 'drop ', 'admin f(')
  fc.assert(
    fc.property(starts, text, (start, parts) => {
      try {
        runAtOnce(parseStatements(start + parts.join(' ')))
      } catch (error) {
        assert.ok(isDbError(error) && error.status === 400, String(error))
      }
    }),
    { numRuns: 3000 }
  )
})

t.test('a text of many words and parameters is read in steps', async t => {
  const count = 12_000
  const values = Array.from({ length: count }, (_, i) => i)
  const given = parametersOf(values)
  const sql = `SELECT ${values.map(() => '?').join()}; USE a`
  const steps = parseStatements(sql, 25_000, tokens => fillParameters(sql, tokens, given))
  let yields = 0
  let step = steps.next()
  for (; !step.done; step = steps.next()) yields++
  t.same(
    step.value.map(({ statement }) => statement.kind),
    ['query', 'use']
  )
  const tokens = 2 * count + 3
  // For the words, for the values, and after each statement.
  t.equal(yields, 2 * Math.floor(tokens / stepTokens) + 2)
})

t.test('an error of a long text tells line and column', async t => {
  const sql = `SELECT 1,\n${'-- \u{1f600}\n'.repeat(1000)}'\u{1f600}' §`
  t.throws(() => tokenize(sql), { message: 'unexpected character "§" at line 1002, column 5' })
})

t.test('quotes and escapes of texts mean what they say', async t => {
  const texts: Readonly<Record<string, string>> = {
    "'it''s'''": "it's'",
    "''''": "'",
    "E'it''s'''": "it's'",
    "E'\\'a\\\\'": "'a\\",
    "E'\\n\\x41\\u00e9\\U0001f600\\q\\xg\\u12'": '\nAé\u{1f600}qxgu12',
    '"a""b"': 'a"b'
  }
  for (const [text, value] of Object.entries(texts)) t.equal(tokenize(text)[0]?.value, value, text)
})

t.test('what one token can be made of is bounded, because it is read in one go', async t => {
  const long = 1 << 21
  const refused: Readonly<Record<string, RegExp>> = {
    [`/*${'x'.repeat(long)}*/ 1`]: /white space, of comments or of one word at line 1, column 1/,
    [`1 ${'/**/'.repeat(long / 4)}`]: /white space, of comments/,
    [`1 ${'--\n'.repeat(long / 3)}`]: /white space, of comments/,
    [`1 --${'x'.repeat(long)}`]: /white space, of comments/,
    [`1 ${' '.repeat(long)}`]: /white space, of comments/,
    [`1 ${'\u2003'.repeat(long)}`]: /white space, of comments/,
    ['a'.repeat(long)]: /one word/,
    ['é'.repeat(long)]: /one word/,
    ['1_'.repeat(long / 2)]: /one word/,
    [`'${"''".repeat(300_000)}'`]: /more than 250000 doubled quotes or escapes/,
    [`E'${'\\n'.repeat(300_000)}'`]: /more than 250000 doubled quotes or escapes/
  }
  for (const [text, message] of Object.entries(refused)) t.throws(() => tokenize(text), { message }, text.slice(0, 9))
  t.equal(tokenize(`'${"x''".repeat(200_000)}'`)[0]?.value.length, 400_000)
  t.equal(tokenize(`'${'x'.repeat(long)}'`)[0]?.value.length, long)
})
