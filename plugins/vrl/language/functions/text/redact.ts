// Redacts secrets in texts, at any depth of a value.
import { createHash } from 'node:crypto'
import { type Context, checkOutput, step } from '../../context.ts'
import type { Call, FunctionSpec } from '../../function.ts'
import { arrayOf, bit, kinds, only, union } from '../../kind.ts'
import { isArray, isObject, isText, lossy, type ObjectValue, Regex, type Value } from '../../value.ts'
import { hashVariants } from '../crypto/hash.ts'

/** Finds the parts to redact. */
type Filter = Regex | string
/** The replacement of a text. */
type Redactor = (found: string) => string

/** A US social security number: area, group and serial number. None is all zeros; the areas 666 and 900 to 999 do not exist. */
const socialSecurity = new Regex(
  '(?:00[1-9]|0[1-9][0-9]|[1-578][0-9]{2}|6[0-57-9][0-9]|66[0-57-9])-(?:0[1-9]|[1-9][0-9])-' +
    '(?:000[1-9]|00[1-9][0-9]|0[1-9][0-9]{2}|[1-9][0-9]{3})'
)

const full: Redactor = () => '[REDACTED]'

export const redactions: readonly FunctionSpec[] = [
  {
    name: 'redact',
    summary:
      'Replaces in all texts of a value what some filters find. A filter is a regular expression, `"us_social_security_number"`, or ' +
      '`{"type": "pattern", "patterns": […]}`; the redactor `"full"`, `"sha2"`, `"sha3"`, `{"type": "text", "replacement": …}`, or ' +
      '`{"type": "sha2", "variant": …, "encoding": …}`.',
    params: [
      { name: 'value', kind: union(kinds.string, kinds.object, kinds.array) },
      { name: 'filters', kind: kinds.array, constant: true },
      { name: 'redactor', kind: union(kinds.string, kinds.object), optional: true, constant: true }
    ],
    returns: call => resultKind(call),
    prepare: call => {
      const filters = readFilters(call)
      const redactor = readRedactor(call)
      return (value: Value) => redact(call.context, value, filters, redactor)
    },
    examples: [
      {
        title: 'A pattern',
        source: 'redact({"m": "id 123", "n": 123}, filters: [r\'\\d+\'])',
        result: '{"m":"id [REDACTED]","n":123}'
      },
      {
        title: 'A text instead',
        source:
          'redact("123-45-6789", filters: ["us_social_security_number"], redactor: {"type": "text", "replacement": "***"})',
        result: '"***"'
      }
    ]
  }
]

function resultKind(call: Call) {
  const kind = call.kind('value')
  const found = union(
    only(kind, bit.string),
    kind.array ? arrayOf(kinds.any) : kinds.never,
    kind.object ? kinds.object : kinds.never
  )
  return found.bits === 0 ? union(kinds.string, kinds.object, kinds.array) : found
}

function redact(context: Context, value: Value, filters: readonly Filter[], redactor: Redactor): Value {
  step(context)
  if (isText(value))
    return filters.reduce<string>((text, filter) => redactText(context, text, filter, redactor), lossy(value))
  if (isArray(value)) return value.map(item => redact(context, item, filters, redactor))
  if (!isObject(value)) return value
  return new Map(Array.from(value, ([key, item]) => [key, redact(context, item, filters, redactor)]))
}

function redactText(context: Context, text: string, filter: Filter, redactor: Redactor): string {
  let out = ''
  let at = 0
  for (const { start, end } of findAll(text, filter)) {
    step(context)
    out += text.slice(at, start) + redactor(text.slice(start, end))
    checkOutput(context, out.length)
    at = end
  }
  return at === 0 && out === '' ? text : out + text.slice(at)
}

function* findAll(text: string, filter: Filter): Iterable<{ readonly start: number; readonly end: number }> {
  if (typeof filter !== 'string') yield* filter.matches(text)
  else if (filter !== '')
    for (let at = text.indexOf(filter); at >= 0; at = text.indexOf(filter, at + filter.length))
      yield { start: at, end: at + filter.length }
}

function readFilters(call: Call): readonly Filter[] {
  const filters = call.constant('filters')
  return (isArray(filters) ? filters : []).flatMap(filter => {
    if (filter instanceof Regex) return [filter]
    if (isText(filter)) return [namedFilter(call, lossy(filter))]
    if (!isObject(filter)) throw call.invalid('filters', 'a filter must be a regular expression, a name or an object')
    const type = textField(call, 'filters', filter, 'type')
    return type === 'pattern' ? readPatterns(call, filter) : [namedFilter(call, type)]
  })
}

function namedFilter(call: Call, name: string | undefined): Filter {
  if (name === 'us_social_security_number') return socialSecurity
  if (name === 'pattern') throw call.invalid('filters', 'a filter of type "pattern" must be an object with patterns')
  throw call.invalid('filters', `a filter must be "pattern" or "us_social_security_number", not "${name}"`)
}

function readPatterns(call: Call, filter: ObjectValue): readonly Filter[] {
  const patterns = filter.get('patterns')
  if (!isArray(patterns)) throw call.invalid('filters', 'patterns must be an array')
  return patterns.map(pattern => {
    if (pattern instanceof Regex) return pattern
    if (isText(pattern)) return lossy(pattern)
    throw call.invalid('filters', 'patterns must be regular expressions or texts')
  })
}

function readRedactor(call: Call): Redactor {
  const redactor = call.constant('redactor')
  if (redactor === undefined) return full
  const options: ObjectValue = isObject(redactor) ? redactor : new Map([['type', redactor]])
  const type = textField(call, 'redactor', options, 'type')
  if (type === 'full') return full
  if (type === 'text') {
    const replacement = textField(call, 'redactor', options, 'replacement')
    if (replacement === undefined) throw call.invalid('redactor', 'a redactor of type "text" needs a replacement')
    return () => replacement
  }
  if (type === 'sha2' || type === 'sha3') return hashing(call, options, type)
  throw call.invalid('redactor', 'a redactor must be "full", "text", "sha2" or "sha3"')
}

function hashing(call: Call, options: ObjectValue, type: 'sha2' | 'sha3'): Redactor {
  const known: Readonly<Record<string, string>> = hashVariants[type]
  const variant = textField(call, 'redactor', options, 'variant') ?? Object.keys(known)[0]!
  const algorithm = Object.hasOwn(known, variant) ? known[variant] : undefined
  if (algorithm === undefined)
    throw call.invalid('redactor', `a variant of ${type} must be one of ${Object.keys(known).join(', ')}`)
  const encoding = textField(call, 'redactor', options, 'encoding') ?? 'base64'
  if (encoding !== 'base64' && encoding !== 'base16')
    throw call.invalid('redactor', 'an encoding must be base64 or base16')
  const digest = encoding === 'base64' ? 'base64' : 'hex'
  return found => createHash(algorithm).update(found).digest(digest)
}

function textField(call: Call, parameter: string, options: ObjectValue, name: string): string | undefined {
  const value = options.get(name)
  if (value === undefined) return undefined
  if (isText(value)) return lossy(value)
  throw call.invalid(parameter, `${name} must be a string`)
}
