// The filter of grok rules for keys and values.
import { type Context, step } from '../../context.ts'
import { Regex } from '../../regex.ts'
import type { Value } from '../../value.ts'
import { literalPattern } from './grok-patterns.ts'
import type { RuleArgument } from './grok-rule.ts'

/** Arguments: separator of key and value, further characters of values, quotes, separator of pairs. */
export function compileKeyValue(args: readonly RuleArgument[]): (context: Context, text: string) => Value {
  const [separator = '=', allowed = '', quotes = '', delimiter = ''] = args.map(arg =>
    arg === null ? '' : String(arg)
  )
  const before = delimiter === '' ? '^|[\\s,;(\\[{]' : `^|${literalPattern(delimiter)}\\s*`
  const behind = new Regex(delimiter === '' ? '^[\\s,;)\\]}]' : `^\\s*${literalPattern(delimiter)}`)
  const word = `[\\w.@${literalPattern(allowed)}-]+`
  const key = `"[^"]+"|'[^']+'|<[^>]+>|[\\w.@-]+`
  const value = [...quotedForms(quotes), word].join('|')
  const pair = new Regex(`(?:${before})\\s*(${key})${literalPattern(separator)}(${value})`)
  const open = quotes === '' ? `"'<` : [...quotes][0]!
  return (context, text) => {
    const found = new Map<string, Value>()
    const lists = new Map<string, Value[]>()
    for (const match of pair.matches(text)) {
      step(context)
      const rest = text.slice(match.end, match.end + 64)
      if (rest !== '' && !behind.test(rest)) continue
      const [, name, part] = match.groups as readonly string[]
      put(found, lists, unquote(name!, `"'<`), pairValue(part!, open))
    }
    return found
  }
}

function quotedForms(quotes: string): string[] {
  if (quotes === '') return ['"(?:\\\\.|[^"\\\\])*"', "'[^']*'", '<[^>]*>']
  const [open = '', close = open] = [...quotes]
  return [`${literalPattern(open)}[^${literalPattern(close)}]*${literalPattern(close)}`]
}

function unquote(text: string, open: string): string {
  return text.length > 1 && open.includes(text[0]!) ? text.slice(1, -1) : text
}

/** Unquoted numbers, booleans and null become such values; a quoted value is a text. */
function pairValue(text: string, open: string): Value {
  if (text.length > 1 && open.includes(text[0]!)) return text.slice(1, -1)
  if (text === 'true' || text === 'false') return text === 'true'
  if (text === 'null') return null
  if (/^-?(?:0|[1-9]\d{0,17})$/.test(text)) return BigInt(text)
  return /^-?\d+\.\d+(?:[eE][+-]?\d+)?$/.test(text) ? Number(text) : text
}

function put(found: Map<string, Value>, lists: Map<string, Value[]>, key: string, value: Value): void {
  if (value === null || value === '') return
  const list = lists.get(key)
  if (list !== undefined) list.push(value)
  else if (found.has(key)) {
    const both = [found.get(key)!, value]
    lists.set(key, both)
    found.set(key, both)
  } else found.set(key, value)
}
