// Parses texts by the first matching grok rule, with matchers, filters and nested fields.
import { maxGrokDepth, maxPatternLength } from '../../bounds.ts'
import type { Context } from '../../context.ts'
import { type Call, type FunctionSpec, fail } from '../../function.ts'
import { kinds } from '../../kind.ts'
import { getPath, setPath } from '../../path.ts'
import { Regex } from '../../regex.ts'
import { isArray, isObject, isText, lossy, type Text, type Value } from '../../value.ts'
import { compileDate } from './grok-date.ts'
import { compileFilter, type Filter } from './grok-filter.ts'
import { grokPatterns, literalPattern } from './grok-patterns.ts'
import { type Reference, type RuleCall, readRule } from './grok-rule.ts'

export const groksParser: FunctionSpec = {
  name: 'parse_groks',
  summary: 'Reads a text by the first grok rule that matches all of it.',
  params: [
    { name: 'value', kind: kinds.string },
    { name: 'patterns', kind: kinds.array, constant: true },
    { name: 'aliases', kind: kinds.object, default: new Map(), constant: true },
    { name: 'alias_sources', kind: kinds.array, default: [], constant: true }
  ],
  returns: kinds.object,
  fallible: true,
  prepare: call => {
    const rules = compileRules(call)
    return (value: Text) => {
      const text = lossy(value)
      for (const rule of rules) {
        const found = rule(call.context, text)
        if (found !== undefined) return found
      }
      throw fail('unable to parse grok: value does not match any rule')
    }
  },
  examples: [
    {
      title: 'Two rules',
      source:
        'parse_groks!("ann 17", patterns: ["%{integer:id}", "%{word:user.name:uppercase} %{count}"], aliases: { "count": "%{integer:n}" })',
      result: '{"n":17,"user":{"name":"ANN"}}'
    },
    { title: 'No match', source: 'parse_groks!("x", ["%{integer:n}"])', raises: 'value does not match any rule' }
  ]
}

function compileRules(call: Call): readonly Rule[] {
  if ((call.constant('alias_sources') as readonly Value[]).length > 0)
    throw call.invalid('alias_sources', 'aliases are not read from the disk of the server: give them in "aliases"')
  const aliases = new Map<string, string>()
  for (const [name, text] of call.constant('aliases') as ReadonlyMap<string, Value>) {
    if (!isText(text)) throw call.invalid('aliases', `the alias "${name}" must be a text`)
    aliases.set(name, lossy(text))
  }
  return (call.constant('patterns') as readonly Value[]).map(text => {
    if (!isText(text)) throw call.invalid('patterns', 'patterns must be texts')
    try {
      return compileRule(lossy(text), aliases)
    } catch (error) {
      throw call.invalid('patterns', error instanceof Error ? error.message : String(error))
    }
  })
}

/** The object made of a text; undefined when the text does not match. */
type Rule = (context: Context, text: string) => Value | undefined

interface Field {
  readonly path: readonly string[]
  readonly filters: readonly Filter[]
}

interface Compilation {
  readonly aliases: ReadonlyMap<string, string>
  readonly fields: Map<string, Field>
  length: number
}

function compileRule(source: string, aliases: ReadonlyMap<string, string>): Rule {
  const state: Compilation = { aliases, fields: new Map(), length: 0 }
  const regex = new Regex(`(?s)\\A(?:${expand(state, source, 0)})\\z`)
  return (context, text) => {
    const match = regex.exec(text)
    if (match === undefined) return undefined
    let result: Value = new Map<string, Value>()
    for (const [group, index] of regex.names) {
      const part = match.groups[index]
      if (part !== undefined)
        result = putField(context, result, state.fields.get(group) ?? { path: [group], filters: [] }, part)
    }
    return result
  }
}

function expand(state: Compilation, source: string, depth: number): string {
  if (depth > maxGrokDepth) throw new Error('Circular dependency found in the alias')
  let pattern = ''
  for (const part of readRule(source)) {
    pattern += typeof part === 'string' ? part : expandReference(state, part, depth)
    if (pattern.length > maxPatternLength)
      throw new Error(`the rule is longer than ${maxPatternLength} characters when expanded`)
  }
  return pattern
}

function expandReference(state: Compilation, { matcher, field, filters }: Reference, depth: number): string {
  const group = field === undefined ? undefined : `grok${state.fields.size}`
  // Numbered before the groups inside of it.
  if (group !== undefined) state.fields.set(group, { path: field!, filters: [] })
  const { pattern, filter } = compileMatcher(state, matcher, depth)
  if (group === undefined) return `(?:${pattern})`
  const all = [...(filter === undefined ? [] : [filter]), ...filters.map(compileFilter)]
  state.fields.set(group, { path: field!, filters: all })
  return `(?P<${group}>${pattern})`
}

interface Matcher {
  readonly pattern: string
  readonly filter?: Filter | undefined
}

const integer = '[+-]?\\d+'
const decimal = '[+-]?(?:\\d+(?:\\.\\d*)?|\\.\\d+)'
const exponent = '(?:[eE][+-]?\\d+)?'

/** Matchers without arguments: a pattern, optionally with a filter. */
const matchers: Readonly<Record<string, string | readonly [pattern: string, filter: string]>> = {
  integer: [integer, 'integer'],
  integerExt: [`${integer}${exponent}`, 'integerExt'],
  number: [decimal, 'number'],
  numberExt: [`${decimal}${exponent}`, 'numberExt'],
  integerStr: integer,
  integerExtStr: `${integer}${exponent}`,
  numberStr: decimal,
  numberExtStr: `${decimal}${exponent}`,
  word: '\\b\\w+\\b',
  notSpace: '\\S+',
  data: '.*?',
  doubleQuotedString: '"(?:\\\\.|[^"\\\\])*"',
  singleQuotedString: "'(?:\\\\.|[^'\\\\])*'",
  quotedString: '"(?:\\\\.|[^"\\\\])*"|\'(?:\\\\.|[^\'\\\\])*\'',
  uuid: '%{UUID}',
  mac: '%{MAC}',
  ip: '%{IP}',
  ipv4: '%{IPV4}',
  ipv6: '%{IPV6}',
  hostname: '%{HOSTNAME}',
  ipOrHost: '%{IPORHOST}',
  port: '%{POSINT}'
}

function compileMatcher(state: Compilation, { name, args }: RuleCall, depth: number): Matcher {
  const alias = state.aliases.get(name)
  if (alias !== undefined) return { pattern: expand(state, alias, depth + 1) }
  const made = compileCall(name, args ?? [])
  if (made !== undefined) return made
  const known = Object.hasOwn(matchers, name) ? matchers[name] : grokPatterns[name]
  if (known === undefined) throw new Error(`"${name}" is neither a matcher nor an alias nor a pattern`)
  if (typeof known === 'string') return { pattern: expand(state, known, depth + 1) }
  return { pattern: known[0], filter: compileFilter({ name: known[1], args: undefined }) }
}

/** Matchers that take arguments. */
function compileCall(name: string, args: RuleCall['args'] & {}): Matcher | undefined {
  const [first, second] = args
  switch (name) {
    case 'regex':
      if (typeof first !== 'string') throw new Error('the matcher "regex" takes a text')
      return { pattern: first }
    case 'boolean': {
      const words = [String(first ?? 'true'), String(second ?? 'false')]
      const pattern = words.map(literalPattern).join('|')
      return { pattern: `(?i:${pattern})`, filter: compileFilter({ name, args: words }) }
    }
    case 'date': {
      if (typeof first !== 'string') throw new Error('the matcher "date" takes a format')
      const { pattern, read } = compileDate(first, typeof second === 'string' ? second : undefined)
      return { pattern, filter: (_, text) => asInteger(read(lossy(text as Text))) }
    }
    default:
      return undefined
  }
}

function asInteger(milliseconds: number | undefined): Value | undefined {
  return milliseconds === undefined ? undefined : BigInt(milliseconds)
}

/** A field that exists already becomes an array; an object without a field is merged into the root. */
function putField(context: Context, result: Value, { path, filters }: Field, text: string): Value {
  let value: Value | undefined = text
  for (const filter of filters) if (value !== undefined && value !== null) value = filter(context, value)
  if (value === undefined || value === null) return result
  if (path.length === 0)
    return isObject(value) && isObject(result) ? new Map<string, Value>([...result, ...value]) : result
  const before = getPath(result, path)
  const now = before === undefined ? value : isArray(before) ? [...before, value] : [before, value]
  return setPath(result, path, now)
}
