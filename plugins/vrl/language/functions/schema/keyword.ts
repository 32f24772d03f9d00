// The keywords of JSON schemas: each makes a check.

import { same } from '../../operator.ts'
import { Regex } from '../../regex.ts'
import { writeValue } from '../../text.ts'
import { equals, isArray, isObject, isText, lossy, type ObjectValue, type Value } from '../../value.ts'
import { type Check, type Compiler, type Location, problem } from './check.ts'
import { formats } from './format.ts'

type Keyword = (argument: Value, schema: ObjectValue, compiler: Compiler) => Check

const inside = (at: Location, name: string | number): Location => ({ path: `${at.path}/${name}`, depth: at.depth + 1 })
const deeper = (at: Location): Location => ({ path: at.path, depth: at.depth + 1 })

/** A check that also applies to values of other kinds. */
function simple(what: string, holds: (value: Value) => boolean): Check {
  return (_, value, at) => (holds(value) ? undefined : problem(value, what, at))
}

function number(argument: Value): number {
  if (typeof argument !== 'number' && typeof argument !== 'bigint') throw new Error('a limit must be a number')
  return Number(argument)
}

const isNumber = (value: Value): value is number | bigint => typeof value === 'number' || typeof value === 'bigint'

/** A limit of a number, a length or a count. */
function limit(
  what: string,
  size: (value: Value) => number | undefined,
  holds: (size: number, limit: number) => boolean
): Keyword {
  return argument => {
    const bound = number(argument)
    return simple(`${what} ${bound}`, value => {
      const found = size(value)
      return found === undefined || holds(found, bound)
    })
  }
}

const amount = (value: Value) => (isNumber(value) ? Number(value) : undefined)
const length = (value: Value) => (isText(value) ? [...lossy(value)].length : undefined)
const items = (value: Value) => (isArray(value) ? value.length : undefined)
const entries = (value: Value) => (isObject(value) ? value.size : undefined)
const isAtLeast = (size: number, bound: number) => size >= bound
const isAtMost = (size: number, bound: number) => size <= bound

const kindTests: Readonly<Record<string, (value: Value) => boolean>> = {
  object: isObject,
  array: isArray,
  string: isText,
  number: isNumber,
  integer: value => typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value)),
  boolean: value => typeof value === 'boolean',
  null: value => value === null
}

function list(argument: Value): readonly Value[] {
  if (!isArray(argument)) throw new Error('an array is missing')
  return argument
}

function texts(argument: Value): string[] {
  return list(argument).map(text => {
    if (!isText(text)) throw new Error('a list must hold texts')
    return lossy(text)
  })
}

function compileAll(argument: Value, { compile }: Compiler): Map<string, Check> {
  if (!isObject(argument)) throw new Error('an object of schemas is missing')
  return new Map([...argument].map(([name, schema]) => [name, compile(schema)]))
}

function regexOf(argument: Value): Regex {
  if (!isText(argument)) throw new Error('a pattern must be a text')
  return new Regex(lossy(argument))
}

/** The first problem among some parts. */
function first<T>(parts: Iterable<T>, check: (part: T) => string | undefined): string | undefined {
  for (const part of parts) {
    const found = check(part)
    if (found !== undefined) return found
  }
  return undefined
}

export const keywords: Readonly<Record<string, Keyword>> = {
  type: argument => {
    const names = isArray(argument) ? texts(argument) : texts([argument])
    const tests = names.map(name => {
      const test = kindTests[name]
      if (test === undefined) throw new Error(`there is no type "${name}"`)
      return test
    })
    return simple(`is not of type "${names.join('", "')}"`, value => tests.some(test => test(value)))
  },
  enum: argument => {
    const allowed = list(argument)
    return simple(`is not one of ${writeValue(argument).slice(0, 200)}`, value => allowed.some(one => same(one, value)))
  },
  const: argument => simple('is not the constant', value => same(argument, value)),
  minimum: limit('is less than', amount, isAtLeast),
  maximum: limit('is greater than', amount, isAtMost),
  exclusiveMinimum: limit('is not greater than', amount, (size, bound) => size > bound),
  exclusiveMaximum: limit('is not less than', amount, (size, bound) => size < bound),
  multipleOf: limit('is not a multiple of', amount, (size, bound) => Number.isInteger(size / bound)),
  minLength: limit('is shorter than', length, isAtLeast),
  maxLength: limit('is longer than', length, isAtMost),
  minItems: limit('has fewer items than', items, isAtLeast),
  maxItems: limit('has more items than', items, isAtMost),
  minProperties: limit('has fewer fields than', entries, isAtLeast),
  maxProperties: limit('has more fields than', entries, isAtMost),
  pattern: argument => {
    const regex = regexOf(argument)
    return simple(`does not match "${regex.source.slice(0, 100)}"`, value => !isText(value) || regex.test(lossy(value)))
  },
  format: (argument, _, { ignoreFormats }) => {
    const name = isText(argument) ? lossy(argument) : ''
    const test = Object.hasOwn(formats, name) ? formats[name]! : undefined
    if (test === undefined && !ignoreFormats)
      throw new Error(`Unknown format: '${name}'. Adjust configuration to ignore unrecognized formats`)
    return simple(`is not a "${name}"`, value => test === undefined || !isText(value) || test(lossy(value)))
  },
  uniqueItems: argument =>
    simple('has the same item twice', value => argument !== true || !isArray(value) || areUnique(value)),
  required: argument => {
    const names = texts(argument)
    return (_, value, at) =>
      isObject(value)
        ? first(names, name => (value.has(name) ? undefined : problem(value, `has no field "${name}"`, at)))
        : undefined
  },
  properties: (argument, _, compiler) => {
    const checks = compileAll(argument, compiler)
    return (context, value, at) =>
      isObject(value)
        ? first(checks, ([name, check]) => {
            const field = value.get(name)
            return field === undefined ? undefined : check(context, field, inside(at, name))
          })
        : undefined
  },
  patternProperties: (argument, _, compiler) => {
    const checks = [...compileAll(argument, compiler)].map(([pattern, check]) => ({ regex: new Regex(pattern), check }))
    return (context, value, at) =>
      isObject(value)
        ? first(value, ([name, field]) =>
            first(checks, ({ regex, check }) =>
              regex.test(name) ? check(context, field, inside(at, name)) : undefined
            )
          )
        : undefined
  },
  additionalProperties: (argument, schema, { compile }) => {
    const check = compile(argument)
    const known = schema.get('properties')
    const patterns = schema.get('patternProperties')
    const names = isObject(known) ? new Set(known.keys()) : new Set<string>()
    const regexes = isObject(patterns) ? [...patterns.keys()].map(pattern => new Regex(pattern)) : []
    const others = (name: string) => !names.has(name) && !regexes.some(regex => regex.test(name))
    return (context, value, at) =>
      isObject(value)
        ? first(value, ([name, field]) => (others(name) ? check(context, field, inside(at, name)) : undefined))
        : undefined
  },
  propertyNames: (argument, _, { compile }) => {
    const check = compile(argument)
    return (context, value, at) =>
      isObject(value) ? first(value.keys(), name => check(context, name, deeper(at))) : undefined
  },
  prefixItems: (argument, _, { compile }) => {
    const checks = list(argument).map(compile)
    return (context, value, at) =>
      isArray(value)
        ? first(value.slice(0, checks.length).entries(), ([i, item]) => checks[i]!(context, item, inside(at, i)))
        : undefined
  },
  items: (argument, schema, compiler) => {
    if (isArray(argument)) return keywords['prefixItems']!(argument, schema, compiler)
    const check = compiler.compile(argument)
    const prefix = schema.get('prefixItems')
    const from = isArray(prefix) ? prefix.length : 0
    return (context, value, at) =>
      isArray(value)
        ? first(value.slice(from).entries(), ([i, item]) => check(context, item, inside(at, from + i)))
        : undefined
  },
  contains: (argument, _, { compile }) => {
    const check = compile(argument)
    return (context, value, at) =>
      isArray(value) && !value.some((item, i) => check(context, item, inside(at, i)) === undefined)
        ? problem(value, 'has no item that is wanted', at)
        : undefined
  },
  allOf: (argument, _, { compile }) => {
    const checks = list(argument).map(compile)
    return (context, value, at) => first(checks, check => check(context, value, deeper(at)))
  },
  anyOf: (argument, _, { compile }) => {
    const checks = list(argument).map(compile)
    return (context, value, at) =>
      checks.some(check => check(context, value, deeper(at)) === undefined)
        ? undefined
        : problem(value, 'is valid under none of the schemas', at)
  },
  oneOf: (argument, _, { compile }) => {
    const checks = list(argument).map(compile)
    return (context, value, at) =>
      checks.filter(check => check(context, value, deeper(at)) === undefined).length === 1
        ? undefined
        : problem(value, 'is not valid under exactly one of the schemas', at)
  },
  not: (argument, _, { compile }) => {
    const check = compile(argument)
    return (context, value, at) =>
      check(context, value, deeper(at)) === undefined ? problem(value, 'is not allowed', at) : undefined
  },
  if: (argument, schema, { compile }) => {
    const check = compile(argument)
    const yes = compile(schema.get('then') ?? true)
    const no = compile(schema.get('else') ?? true)
    return (context, value, at) =>
      (check(context, value, deeper(at)) === undefined ? yes : no)(context, value, deeper(at))
  },
  dependentRequired: argument => {
    if (!isObject(argument)) throw new Error('an object of lists is missing')
    const needs = [...argument].map(([name, names]) => [name, texts(names)] as const)
    return (_, value, at) =>
      isObject(value)
        ? first(needs, ([name, names]) =>
            value.has(name) && !names.every(other => value.has(other))
              ? problem(value, `has "${name}" without what it needs`, at)
              : undefined
          )
        : undefined
  }
}

/** Many items are compared by their JSON, few pairwise. */
function areUnique(array: readonly Value[]): boolean {
  if (array.length <= 16) return array.every((item, i) => array.slice(0, i).every(other => !equals(other, item)))
  return new Set(array.map(item => writeValue(item))).size === array.length
}
