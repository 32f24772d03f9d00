// The filters of grok rules, which convert the matched text.
import type { Context } from '../../context.ts'
import { Failure } from '../../failure.ts'
import { readJsonValue } from '../../json.ts'
import { isText, lossy, type Value } from '../../value.ts'
import { parseFloatText } from '../coerce.ts'
import { compileKeyValue } from './grok-pair.ts'
import type { RuleArgument, RuleCall } from './grok-rule.ts'
import { readRubyHash } from './ruby-hash.ts'
import { readQuery } from './url.ts'
import { documentValue } from './xml.ts'

/** Returns undefined for a value it cannot convert; the field is then left out. */
export type Filter = (context: Context, value: Value) => Value | undefined

const onText =
  (filter: (text: string, context: Context) => Value | undefined): Filter =>
  (context, value) =>
    isText(value) ? filter(lossy(value), context) : undefined

/** Throws an Error for a filter that is unknown or has the wrong arguments. */
export function compileFilter({ name, args = [] }: RuleCall): Filter {
  const make = Object.hasOwn(filters, name) ? filters[name] : undefined
  if (make === undefined) throw new Error(`the filter "${name}" is unknown`)
  const filter = make(args)
  return (context, value) => {
    try {
      return filter(context, value)
    } catch (error) {
      if (error instanceof Failure && error.final === undefined) return undefined
      throw error
    }
  }
}

const filters: Readonly<Record<string, (args: readonly RuleArgument[]) => Filter>> = {
  integer: () => toInteger,
  integerExt: () => toInteger,
  number: () => toNumber,
  numberExt: () => toNumber,
  scale: args => {
    const [factor] = args
    if (typeof factor !== 'number') throw new Error('the filter "scale" takes a number')
    return (context, value) => {
      const number = toNumber(context, value)
      return typeof number === 'number' ? number * factor : undefined
    }
  },
  boolean: args => {
    const [yes, no] = args
    return onText(text => {
      if (text.toLowerCase() === String(yes ?? 'true').toLowerCase()) return true
      return no === undefined || text.toLowerCase() === String(no).toLowerCase() ? false : undefined
    })
  },
  lowercase: () => onText(text => text.toLowerCase()),
  uppercase: () => onText(text => text.toUpperCase()),
  nullIf: args => {
    const [nothing] = args
    if (typeof nothing !== 'string') throw new Error('the filter "nullIf" takes a text')
    return onText(text => (text === nothing ? null : text))
  },
  json: () => onText(text => readJsonValue(text)),
  rubyhash: () => onText((text, context) => readRubyHash(context, text)),
  querystring: () => onText(text => readQuery(text)),
  decodeuricomponent: () => onText(text => decodeText(text)),
  xml: () => onText((text, context) => documentValue(context, text)),
  array: args => compileArray(args),
  keyvalue: args => {
    const read = compileKeyValue(args)
    return onText((text, context) => read(context, text))
  }
}

function toInteger(_: Context, value: Value): Value | undefined {
  if (typeof value === 'bigint') return value
  if (!isText(value)) return undefined
  const text = lossy(value)
  if (/^[+-]?\d{1,19}$/.test(text)) {
    const integer = BigInt(text.replace('+', ''))
    if (integer === BigInt.asIntN(64, integer)) return integer
  }
  const number = parseFloatText(text)
  return Number.isSafeInteger(number) ? BigInt(number) : undefined
}

function toNumber(_: Context, value: Value): Value | undefined {
  if (typeof value === 'number') return value
  if (typeof value === 'bigint') return Number(value)
  return isText(value) ? parseFloatText(lossy(value)) : undefined
}

/** Decodes percent encoding; malformed sequences stay. */
function decodeText(text: string): string {
  return text.replaceAll(/(?:%[\da-fA-F]{2})+/g, run => Buffer.from(run.replaceAll('%', ''), 'hex').toString())
}

function compileArray(args: readonly RuleArgument[]): Filter {
  const texts = args.filter(arg => typeof arg === 'string')
  const call = args.find((arg): arg is RuleCall => typeof arg === 'object' && arg !== null)
  // A single text is the brackets if it has two characters, else the separator.
  const [brackets, separator] =
    texts.length > 1 ? texts : texts[0]?.length === 2 ? [texts[0], ','] : ['[]', texts[0] ?? ',']
  const filter = call === undefined ? undefined : compileFilter(call)
  const cut = (separator ?? ',').replaceAll('\\n', '\n').replaceAll('\\t', '\t')
  return (context, value) => {
    if (!isText(value)) return undefined
    const inner = withoutBrackets(lossy(value), brackets ?? '')
    if (inner === undefined) return undefined
    const items = inner === '' ? [] : cut === '' ? [inner] : inner.split(cut)
    return items
      .map(item => item.trim().replace(/^"(.*)"$|^'(.*)'$/s, '$1$2'))
      .map(item => filter?.(context, item) ?? item)
  }
}

function withoutBrackets(text: string, brackets: string): string | undefined {
  if (brackets === '') return text
  const open = brackets[0]!
  const close = brackets.at(-1)!
  return text.startsWith(open) && text.endsWith(close) && text.length > 1 ? text.slice(1, -1) : undefined
}
