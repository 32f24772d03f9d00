// `IGNORE NULLS` as the engine knows it: in the parentheses of a function over a window. Of an aggregate it is a FILTER.
import { endBehind, findWord, isNullTreatment, pairs } from '../text/brackets.ts'
import { isToken, type Token, tokensAt } from '../text/token.ts'

export function plainNulls(written: readonly Token[]): readonly Token[] {
  if (!written.some(token => isToken(token, 'nulls'))) return written
  const tokens = [...written]
  for (let i = 0; i < tokens.length; i++) {
    if (!isNullTreatment(tokens, i) || !isToken(tokens[i + 2], ')')) continue
    tokens.splice(i, 3, tokens[i + 2]!, { ...tokens[i]!, spaced: true }, tokens[i + 1]!)
    i += 2
  }
  const plain: Token[] = []
  const opened = pairs(tokens)
  let lastIgnore = -1
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i]!
    const open = isNullTreatment(tokens, i) && isToken(tokens[i - 1], ')') ? opened[i - 1]! : 0
    const isWindow = open > 0 && tokens.slice(i, endBehind(tokens, i - 1) + 1).some(behind => isToken(behind, 'over'))
    const isNested = lastIgnore > open
    if (isToken(token, 'ignore')) lastIgnore = i
    if (open === 0) {
      plain.push(token)
      continue
    }
    i++
    if (isWindow) {
      plain.splice(-1, 0, { ...token, spaced: true }, tokens[i]!)
      continue
    }
    if (isToken(token, 'respect')) continue
    // An aggregate in an aggregate is nothing the engine runs, and to write each again in the other would make much of little.
    if (isNested) plain.push(token)
    else {
      const given = tokens.slice(open + 1, i - 2)
      const order = findWord(given, 'order')
      plain.push(...tokensAt(token, ['FILTER (WHERE', order < 0 ? given : given.slice(0, order), 'IS NOT NULL)']))
    }
  }
  return plain
}
