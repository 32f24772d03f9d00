// Long chains of operators beside and inside of what has no brackets: CASE, lambdas, names of arguments and of members.
import t from 'tap'

import { startSql, visits } from './fixtures.ts'

const chain = (operator: string, terms: number, term: (i: number) => string) =>
  Array.from({ length: terms }, (_, i) => term(i)).join(` ${operator} `)
/** False for every row but that of the last term. */
const any = (name = 'n') => chain('OR', 45, i => `${name} = ${i === 44 ? 42 : 100 + i}`)
/** True for every row but that of the last term. */
const all = (name = 'n') => chain('AND', 45, i => `${name} <> ${i === 44 ? 42 : 100 + i}`)
const sum = (name = 'n') => chain('+', 45, () => name)

/** Conditions that hold for 42 and not for 7. */
const conditions: Readonly<Record<string, string>> = {
  'OR in ELSE and behind END': `CASE WHEN n = 1 THEN true ELSE ${any()} END OR ${any()}`,
  'OR in WHEN': `${any()} OR CASE WHEN ${any()} THEN true ELSE false END OR ${any()}`,
  'OR in THEN': `CASE WHEN n > 0 THEN ${any()} END OR ${any()}`,
  'OR in a value of CASE': `CASE ${any()} WHEN true THEN true ELSE false END`,
  'AND in ELSE and behind END': `NOT (CASE WHEN n = 1 THEN true ELSE ${all()} END AND ${all()})`,
  'CASE in CASE': `CASE WHEN CASE WHEN ${any()} THEN 1 ELSE 2 END = 1 THEN ${any()} ELSE ${any()} END OR ${any()}`,
  'CASE beside CASE': chain(
    'OR',
    45,
    i => `CASE WHEN n = ${i + 20} OR n = ${i + 17} THEN true ELSE n = 8 OR n = 9 END`
  ),
  'sums in ELSE and behind END': `CASE WHEN n = 1 THEN 2 ELSE ${sum()} END + ${sum()} = 90 * 42`,
  'BETWEEN and CASE': `n BETWEEN CASE WHEN ${all()} AND true THEN 100 ELSE 1 END AND 50 AND ${chain('AND', 45, i => `n <> ${i + 43}`)}`,
  lambda: `len(list_filter([n], x -> ${any('x')})) = 1`,
  'lambda with its word': `len(list_filter([n], lambda x: ${any('x')})) = 1`,
  member: `{'a': ${any()}}.a`,
  'named argument': `struct_pack(a := ${any()}).a`,
  distinct: `(SELECT DISTINCT ${any()})`,
  'distinct argument': `(SELECT bool_or(DISTINCT ${any()}) FROM (SELECT n))`,
  'IS DISTINCT FROM': chain('AND', 150, i => `n IS DISTINCT FROM ${i === 149 ? 7 : 100 + i}`),
  'names like the words': `(SELECT "end" FROM (SELECT ${any()} AS "end"))`
}

t.test('long chains mean what they say wherever they stand', async t => {
  const { ask } = await startSql(t)
  t.equal((await ask(visits)).status, 200)
  for (const [name, condition] of Object.entries(conditions)) {
    const reply = await ask(`SELECT n FROM visits WHERE ${condition}`)
    t.strictSame(reply.rows, [[42]], `${name} ${reply.body.error ?? ''}`)
  }
})

/** More ANDs than the engine gets in one chain. The term `at` tells the rows apart. */
const long = (special: string, at: number, other = (i: number) => `n <> ${i + 100}`) =>
  chain('AND', 700, i => (i === at ? special : other(i)))

/** True for 42, false for 7, null for null. */
const longConditions: Readonly<Record<string, string>> = {
  'in the first part': long('n > 10', 3),
  'in a later part': long('n > 10', 640),
  last: long('n > 10', 699),
  BETWEEN: long('n BETWEEN 20 AND 50', 333),
  'NOT, IN and CASE': long('NOT n < 20', 400, i =>
    i % 2 === 0 ? `NOT n IN (${i + 100}, 99)` : `CASE WHEN n > 0 AND n < 99 THEN true ELSE n > 0 END`
  ),
  'OR in parentheses': long('(n > 50 OR n > 20 AND n < 50)', 333),
  'behind OR': `n > 50 OR ${long('n > 10', 640)}`,
  casts: long('n::INT > 10 AND CAST(n AS DOUBLE) > 10', 640, i => `n::DOUBLE <> ${i + 100}`),
  times: long('n > 10', 640, i => `at <> ${i} AND at <> '2024-01-01 00:00:00'`),
  'a chain in a chain': long(`(${long('n > 10', 640)})`, 640),
  'an argument': `coalesce(n, NULL) > 0 AND (${long('n > 10', 640)})`
}

t.test('a chain that the engine gets in parts means the same', async t => {
  const { ask } = await startSql(t)
  t.equal((await ask('CREATE TABLE v (k STRING PRIMARY KEY, at TIMESTAMP TIME INDEX, n BIGINT)')).status, 200)
  t.equal((await ask("INSERT INTO v VALUES ('a', 1000000, 42), ('b', 1000000, 7), ('c', 1000000, NULL)")).status, 200)
  for (const [name, condition] of Object.entries(longConditions)) {
    const values = await ask(`SELECT k, (${condition}) AS c FROM v ORDER BY k`)
    const expected = [
      ['a', true],
      ['b', false],
      ['c', null]
    ]
    t.strictSame(values.rows, expected, `${name}: values ${values.body.error ?? ''}`)
    const rows = await ask(`SELECT k FROM v WHERE ${condition}`)
    t.strictSame(rows.rows, [['a']], `${name}: rows ${rows.body.error ?? ''}`)
  }
  const wrong = await ask(`SELECT k FROM v WHERE\n${long('m > 10', 640)}`)
  t.match(wrong.body.error, /No field named m at line 2, column \d+/, 'errors have their place')
})

t.test('a chain of AND as long as the server reads is answered', async t => {
  const { ask } = await startSql(t)
  t.equal((await ask(visits)).status, 200)
  const condition = chain('AND', 4_900, i => `n <> ${i + 100}`)
  const began = performance.now()
  const reply = await ask(`SELECT count(*) FROM visits WHERE ${condition}`)
  t.strictSame(reply.rows, [[2]], reply.body.error ?? '')
  t.comment(`took ${(performance.now() - began).toFixed(0)} ms`)
  const short = await ask(`SELECT count(*) FROM visits WHERE ${chain('AND', 12_000, () => 'true')}`)
  t.strictSame(short.rows, [[2]], short.body.error ?? '')
})
