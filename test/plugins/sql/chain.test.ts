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
