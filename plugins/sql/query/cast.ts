// Types in queries as the server means them: `CAST(x AS TIMESTAMP)` and `x::FLOAT64` name types of columns, not the engine's.
import { isDbError } from '../../../core/index.ts'
import { readType } from '../statement/column-type.ts'
import type { Canonical } from '../text/canonical.ts'
import { isToken, type Token, tokenText } from '../text/token.ts'
import type { Edit } from './confine.ts'
import { engineType } from './engine-type.ts'

/** A type that is no column's stays as it is: the engine has intervals, lists and more. */
export function castEdits(statement: Canonical): Edit[] {
  const { tokens } = statement
  return tokens.flatMap((token, i) => {
    if (isToken(token, ':') && isToken(tokens[i - 1], ':') && !tokens[i]!.spaced) return typeEdit(statement, i + 1)
    const cast = ['cast', 'try_cast'].some(word => isToken(token, word)) && isToken(tokens[i + 1], '(')
    const as = cast ? castType(tokens, i + 2) : undefined
    return as === undefined ? [] : typeEdit(statement, as)
  })
}

/** Where the type begins: behind the `AS` of this cast, not of one inside it. */
function castType(tokens: readonly Token[], from: number): number | undefined {
  let depth = 0
  for (let at = from; at < tokens.length; at++) {
    if (isToken(tokens[at], '(')) depth++
    if (isToken(tokens[at], ')') && --depth < 0) return undefined
    if (depth === 0 && isToken(tokens[at], 'as')) return at + 1
  }
  return undefined
}

function typeEdit({ tokens, starts }: Canonical, first: number): Edit[] {
  const cursor = { sql: '', tokens, at: first }
  if (tokens[first]?.kind !== 'word') return []
  try {
    const type = engineType(readType(cursor))
    const last = cursor.at - 1
    // `TIMESTAMP WITH TIME ZONE` is another type.
    if (isToken(tokens[cursor.at], 'with') || isToken(tokens[cursor.at], 'without')) return []
    return [{ start: starts[first]!, end: starts[last]! + tokenText(tokens[last]!).length, text: type }]
  } catch (error) {
    if (isDbError(error)) return []
    throw error
  }
}
