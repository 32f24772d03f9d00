// `FROM t WHERE …` without a SELECT, which DuckDB takes for `SELECT * FROM t WHERE …`: the grammar does not read it.
import { bracketStep, opening } from '../text/brackets.ts'
import { isToken, type Token, tokensAt } from '../text/token.ts'

const sets = ['union', 'except', 'intersect']
const behindSets = ['all', 'distinct', 'by', 'name']

/** With `SELECT *` before each FROM that begins a query and has no SELECT behind it. */
export function plainFroms(written: readonly Token[]): readonly Token[] {
  const isPlain = (at: number) => isToken(written[at], 'from') && beginsQuery(written, at) && !hasSelect(written, at)
  return written.flatMap((token, at) => (isPlain(at) ? [...tokensAt(token, ['SELECT *']), token] : [token]))
}

function beginsQuery(tokens: readonly Token[], from: number): boolean {
  let before = from - 1
  if (before < 0 || isToken(tokens[before], '(')) return true
  if (isToken(tokens[before], ')')) {
    // The end of a common table.
    const named = tokens[opening(tokens, before) - 1]
    return isToken(named, 'as') || isToken(named, 'materialized')
  }
  while (behindSets.some(word => isToken(tokens[before], word))) before--
  return sets.some(word => isToken(tokens[before], word))
}

/** Whether a SELECT stands behind a FROM, before its query ends. */
function hasSelect(tokens: readonly Token[], from: number): boolean {
  for (let at = from + 1, depth = 0; at < tokens.length && depth >= 0; at++) {
    depth += bracketStep(tokens[at])
    if (depth === 0 && isToken(tokens[at], 'select')) return true
    if (depth === 0 && sets.some(word => isToken(tokens[at], word))) return false
  }
  return false
}
