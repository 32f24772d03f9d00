// `FROM t WHERE …` without a SELECT, which DuckDB takes for `SELECT * FROM t WHERE …`: the grammar does not read it.
import { holdsWord, pairs } from '../text/brackets.ts'
import { isToken, type Token, tokensAt } from '../text/token.ts'

const sets = ['union', 'except', 'intersect']
const behindSets = ['all', 'distinct', 'by', 'name']

/** With `SELECT *` before each FROM that begins a query and has no SELECT behind it. */
export function plainFroms(written: readonly Token[]): readonly Token[] {
  const paired = pairs(written)
  const isPlain = (at: number) =>
    isToken(written[at], 'from') &&
    beginsQuery(written, paired, at) &&
    !holdsWord(written, paired, at, 'select', ...sets)
  return written.flatMap((token, at) => (isPlain(at) ? [...tokensAt(token, ['SELECT *']), token] : [token]))
}

function beginsQuery(tokens: readonly Token[], paired: Uint32Array, from: number): boolean {
  let before = from - 1
  if (before < 0 || isToken(tokens[before], '(')) return true
  if (isToken(tokens[before], ')')) {
    // The end of a common table.
    const named = tokens[paired[before]! - 1]
    return isToken(named, 'as') || isToken(named, 'materialized')
  }
  while (behindSets.some(word => isToken(tokens[before], word))) before--
  return sets.some(word => isToken(tokens[before], word))
}
