// `IGNORE NULLS` as the grammar and the engine know it: behind the call of a function over a window. Of an aggregate it is a FILTER.
import { callEnd, findWord, opening } from '../text/brackets.ts'
import { isToken, placed, type Token } from '../text/token.ts'

export function plainNulls(written: readonly Token[]): readonly Token[] {
  if (!written.some(token => isToken(token, 'nulls'))) return written
  const tokens = [...written]
  for (let i = 0; i < tokens.length; i++) {
    if (!isTreatment(tokens, i) || !isToken(tokens[i + 2], ')')) continue
    tokens.splice(i, 3, tokens[i + 2]!, { ...tokens[i]!, spaced: true }, tokens[i + 1]!)
    i += 2
  }
  return tokens.flatMap((token, i) => {
    const at = isTreatment(tokens, i) ? i : i - 1
    const open = isTreatment(tokens, at) && isToken(tokens[at - 1], ')') ? opening(tokens, at - 1) : 0
    const isWindow = tokens.slice(at, callEnd(tokens, open - 1) + 1).some(behind => isToken(behind, 'over'))
    if (open === 0 || isWindow) return token
    if (at < i || isToken(token, 'respect')) return []
    const given = tokens.slice(open + 1, at - 1)
    // An aggregate in an aggregate is nothing the engine runs, and to write each again in the other would make much of little.
    if (given.some(inner => isToken(inner, 'ignore'))) return token
    const order = findWord(given, 'order')
    return placed(token, ['FILTER (WHERE', order < 0 ? given : given.slice(0, order), 'IS NOT NULL)'])
  })
}

function isTreatment(tokens: readonly Token[], at: number): boolean {
  return isToken(tokens[at + 1], 'nulls') && (isToken(tokens[at], 'ignore') || isToken(tokens[at], 'respect'))
}
