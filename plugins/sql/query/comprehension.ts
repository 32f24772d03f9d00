// `[x + 1 FOR x IN list IF x > 0]` as the calls that mean the same: the grammar lacks it.
import { closing, findWord } from '../text/brackets.ts'
import { isName, isToken, type Token, tokensAt } from '../text/token.ts'

export function plainComprehensions(tokens: readonly Token[]): readonly Token[] {
  if (!tokens.some(token => isToken(token, 'for'))) return tokens
  const plain: Token[] = []
  for (let at = 0; at < tokens.length; at++) {
    const end = isToken(tokens[at], '[') ? closing(tokens, at) : undefined
    const made = end === undefined ? undefined : comprehension(tokens.slice(at, end + 1))
    plain.push(...(made ?? [tokens[at]!]))
    if (made !== undefined) at = end!
  }
  return plain
}

/** Undefined where the brackets hold something else. */
function comprehension(tokens: readonly Token[]): Token[] | undefined {
  const inner = tokens.slice(1, -1)
  const at = findWord(inner, 'for')
  const name = inner[at + 1]
  if (at < 1 || !isName(name) || !isToken(inner[at + 2], 'in')) return undefined
  const condition = findWord(inner, 'if', at + 3)
  const call = (called: string, list: readonly Token[], value: readonly Token[]) =>
    tokensAt(tokens[0]!, [`${called}(`, plainComprehensions(list), ',', [name], '->', plainComprehensions(value), ')'])
  const list = inner.slice(at + 3, condition < 0 ? undefined : condition)
  const kept = condition < 0 ? list : call('list_filter', list, inner.slice(condition + 1))
  const [first, ...rest] = call('list_transform', kept, inner.slice(0, at))
  return [{ ...first!, spaced: tokens[0]!.spaced }, ...rest]
}
