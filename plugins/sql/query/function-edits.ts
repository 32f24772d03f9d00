// Functions users know by another name, or with other types of arguments, than the engine's.
import { argumentsOf, callEnd, closing } from '../text/brackets.ts'
import type { Canonical } from '../text/canonical.ts'
import { isToken, quoteText } from '../text/token.ts'
import { type Edit, span } from './edit.ts'
import { translatePattern } from './time-pattern.ts'

/** Aggregates of the engine that have the names only as functions of a window. */
const aggregates: Readonly<Record<string, string>> = { first_value: 'first', last_value: 'last' }

/** Their share must be a float of 32 bits, which no constant is by itself. */
const quantiles = ['approx_quantile', 'approx_percentile_cont']

/** Throws DbError for what they cannot take. */
export function functionEdits(sql: string, statement: Canonical): Edit[] {
  const { tokens, starts } = statement
  return tokens.flatMap((token, i) => {
    if (token.kind !== 'word' || !isToken(tokens[i + 1], '(') || isToken(tokens[i - 1], '.')) return []
    const name = token.value.toLowerCase()
    const rename = (text: string): Edit => ({ ...span(statement, i), text })
    const close = closing(tokens, i + 1) ?? tokens.length - 1
    if (Object.hasOwn(aggregates, name)) {
      const isWindow = tokens.slice(close + 1, callEnd(tokens, i) + 1).some(behind => isToken(behind, 'over'))
      return isWindow ? [] : [rename(aggregates[name]!)]
    }
    if (name === 'to_char') {
      const form = argumentsOf(tokens, i + 1)[1]?.[0]
      // With a percent sign it is one of strftime; `close` ends the call, so that nothing else stands beside the constant.
      if (form?.kind !== 'string' || form !== tokens[close - 1] || form.value.includes('%')) return []
      return [rename('strftime'), { ...span(statement, close - 1), text: quoteText(translatePattern(sql, form)) }]
    }
    if (!quantiles.includes(name)) return []
    const [, share] = argumentsOf(tokens, i + 1)
    if (share === undefined) return isToken(tokens[close + 1], 'within') ? [rename('percentile_cont')] : []
    const cast = isToken(share[0], '[') ? '::FLOAT[]' : '::FLOAT'
    return [rename('approx_quantile'), { start: starts[close]!, end: starts[close]!, text: cast }]
  })
}

/** `f(x) IGNORE NULLS OVER (…)`: the engine has the words inside of the parentheses. */
export function nullsEdits(statement: Canonical): Edit[] {
  const { tokens, starts } = statement
  return tokens.flatMap((token, i) => {
    const isNulls = isToken(tokens[i + 1], 'nulls') && (isToken(token, 'ignore') || isToken(token, 'respect'))
    if (!isNulls || !isToken(tokens[i - 1], ')')) return []
    const { end } = span(statement, i + 1)
    return [{ start: starts[i - 1]!, end, text: ` ${token.value} NULLS)` }]
  })
}
