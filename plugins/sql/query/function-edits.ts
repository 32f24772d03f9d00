// Functions users know by another name, or with other types of arguments, than the engine's.
import type { Canonical } from '../text/canonical.ts'
import { isToken, type Token, tokenText } from '../text/token.ts'
import type { Edit } from './confine.ts'

/** Aggregates of the engine that have the names only as functions of a window. */
const aggregates: Readonly<Record<string, string>> = { first_value: 'first', last_value: 'last' }

/** Its share must be a float of 32 bits, which no constant is by itself. */
const quantiles: Readonly<Record<string, string>> = {
  approx_quantile: 'approx_quantile',
  approx_percentile_cont: 'approx_quantile'
}

export function functionEdits({ tokens, starts }: Canonical): Edit[] {
  return tokens.flatMap((token, i) => {
    if (token.kind !== 'word' || !isToken(tokens[i + 1], '(') || isToken(tokens[i - 1], '.')) return []
    const name = token.value.toLowerCase()
    const rename = (text: string): Edit => ({ start: starts[i]!, end: starts[i]! + tokenText(token).length, text })
    const [second, close] = callOf(tokens, i + 1)
    if (Object.hasOwn(aggregates, name)) return isWindow(tokens, close) ? [] : [rename(aggregates[name]!)]
    if (!Object.hasOwn(quantiles, name) || second === undefined) return []
    const cast = isToken(tokens[second], '[') ? '::FLOAT[]' : '::FLOAT'
    return [rename(quantiles[name]!), { start: starts[close]!, end: starts[close]!, text: cast }]
  })
}

/** Where the second argument of a call begins, and its closing parenthesis. */
function callOf(tokens: readonly Token[], open: number): readonly [second: number | undefined, close: number] {
  let second: number | undefined
  for (let at = open, depth = 0; at < tokens.length; at++) {
    if (isToken(tokens[at], '(') || isToken(tokens[at], '[')) depth++
    if (depth === 1 && second === undefined && isToken(tokens[at], ',')) second = at + 1
    if ((isToken(tokens[at], ')') || isToken(tokens[at], ']')) && --depth === 0) return [second, at]
  }
  return [second, tokens.length - 1]
}

/** Whether `OVER` follows a call, perhaps behind `FILTER (…)` or `IGNORE NULLS`. */
function isWindow(tokens: readonly Token[], close: number): boolean {
  let at = close + 1
  if (isToken(tokens[at], 'ignore') || isToken(tokens[at], 'respect')) at += 2
  if (isToken(tokens[at], 'filter') && isToken(tokens[at + 1], '(')) at = callOf(tokens, at + 1)[1] + 1
  return isToken(tokens[at], 'over')
}
