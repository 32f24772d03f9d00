// Calls that make a huge value of a few bytes: those whose constants ask for more than a limit are refused before anything runs. DuckDB counts
// what it sorts, groups and joins against its memory, but not one single value. Works on its syntax tree, where every way to write a call is
// the same: `x.repeat(3)`, `main.repeat(x, 3)`, one in a list comprehension, a macro's argument or a view.
import { formatSize } from '../../../config/units.ts'
import { DbError } from '../../../errors.ts'
import type { Limit } from '../../../model/limit.ts'
import type { Node, ReadStatement } from './counted.ts'

type Json = Node[string]

/** Constants that names of lambda parameters stand for: the largest of the list. */
type Known = ReadonlyMap<string, number>

type Size = (args: readonly Json[], known: Known) => number

/** Bytes of an element of a list of numbers. */
const elementBytes = 8

const times =
  (argument: number, bytes: (args: readonly Json[], known: Known) => number): Size =>
  (args, known) =>
    (constant(args[argument], known) ?? 0) * bytes(args, known)

/** Bytes of the value of a call, as far as constants tell; 0 where they do not. */
const sizes: Readonly<Record<string, Size>> = {
  array_resize: times(1, () => elementBytes),
  bitstring: times(1, () => 1 / 8),
  format: (args, known) => formatted(args, known, /\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}/g, /\{.*\{/s),
  generate_series: series,
  list_resize: times(1, () => elementBytes),
  lpad: times(1, () => 1),
  printf: (args, known) => formatted(args, known, /%[-+ #0-9.$*]*/g, /%[-+ #0-9.$]*\*/),
  range: series,
  repeat: times(1, (args, known) => lengthOf(args[0], known) ?? 1),
  rpad: times(1, () => 1)
}

/** Calls whose value is as long as their arguments together. */
const joining = new Set(['||', 'array_value', 'concat', 'list_concat', 'list_value'])
/** Calls whose value may be as long as their longest argument. */
const passing = new Set(
  'lcase lower ltrim replace reverse rtrim strip_accents translate trim ucase upper url_encode'.split(' ')
)

/** Whether a serialised statement may call one of them. */
const mayGrow = new RegExp(`"function_name":"(?:${Object.keys(sizes).join('|')})"`, 'i')

/** Throws `InvalidArguments`, with an offset, for a value of more bytes. Rows of table functions are no values: they stream. */
export function checkGrowth(serialized: string, { node, at }: ReadStatement, limit: Limit): void {
  if (!mayGrow.test(serialized)) return
  const waiting: [Json, Known][] = [[node, new Map()]]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [value, known] = next
    if (typeof value !== 'object' || value === null) continue
    const call = value as Node
    if (call['class'] === 'FUNCTION' && (grownTo(call, known) ?? 0) > limit.max) {
      const offset = at(call['query_location'])
      throw new DbError(
        'InvalidArguments',
        `${String(call['function_name'])} would make a value of more than ${formatSize(limit.max)} (${limit.key})`,
        offset === undefined ? {} : { offset }
      )
    }
    const inner = call['class'] === 'FUNCTION' ? withParameters(call, known) : known
    const isTable = call['type'] === 'TABLE_FUNCTION'
    for (const [key, part] of Object.entries(call)) {
      // Not the call itself, but its arguments.
      if (isTable && key === 'function') waiting.push([(part as Node)['children'] ?? null, inner])
      else waiting.push([part, inner])
    }
  }
}

/** Bytes that a call of one of them asks for; undefined for other calls. */
function grownTo(call: Node, known: Known): number | undefined {
  const name = nameOf(call)
  if (!Object.hasOwn(sizes, name)) return undefined
  const [size, args, schema] = [sizes[name]!, listOf(call['children']), call['schema']]
  // `column.repeat(3)`: to DuckDB's reader the column is a schema.
  const ofColumn = schema === undefined || schema === 'main' ? 0 : size([null, ...args], known)
  return Math.max(ofColumn, size(args, known))
}

/** Bytes of a text or a list, at least; undefined where nothing is known of it. */
function lengthOf(value: Json | undefined, known: Known): number | undefined {
  const node = nodeOf(value)
  switch (node?.['class']) {
    case 'CONSTANT':
      return Buffer.byteLength(String(nodeOf(node['value'])?.['value'] ?? ''))
    case 'CAST':
      return lengthOf(node['child'], known)
    case 'FUNCTION': {
      const [name, args] = [nameOf(node), listOf(node['children'])]
      const isJoining = joining.has(name)
      if (!isJoining && !passing.has(name)) return grownTo(node, known)
      const each = args.flatMap(argument => lengthOf(argument, known) ?? [])
      return each.length === 0 ? undefined : each.reduce((all, one) => (isJoining ? all + one : Math.max(all, one)))
    }
    default:
      return undefined
  }
}

/** Numbers in the directives of a form are widths, positions or digits; some take them from arguments. */
function formatted(args: readonly Json[], known: Known, directive: RegExp, ofArguments: RegExp): number {
  const form = textOf(args[0])
  if (form === undefined) return 0
  const written = (form.match(directive) ?? []).flatMap(each => each.match(/\d+/g) ?? []).map(Number)
  const given = ofArguments.test(form) ? args.slice(1).map(argument => constant(argument, known) ?? 0) : []
  return [...written, ...given].reduce((most, width) => Math.max(most, width), 0)
}

function series(args: readonly Json[], known: Known): number {
  const bounds = args.map(argument => constant(argument, known) ?? timeOf(argument))
  if (bounds.some(bound => bound === undefined)) return 0
  const [from, to, step] = bounds.length === 1 ? [0, bounds[0]!, 1] : [bounds[0]!, bounds[1]!, bounds[2] ?? 1]
  return step === 0 ? 0 : ((to! - from!) / step) * elementBytes
}

const operators: Readonly<Record<string, (one: number, other: number) => number>> = {
  '+': (one, other) => one + other,
  '-': (one, other) => one - other,
  '*': (one, other) => one * other,
  '/': (one, other) => one / other,
  '//': (one, other) => Math.trunc(one / other),
  '**': (one, other) => one ** other,
  '^': (one, other) => one ** other,
  '<<': (one, other) => one * 2 ** other,
  pow: (one, other) => one ** other,
  power: (one, other) => one ** other
}

/** The number an expression is, if it is made of constants. */
function constant(value: Json | undefined, known: Known): number | undefined {
  const node = nodeOf(value)
  switch (node?.['class']) {
    case 'CONSTANT':
      return numberOf(nodeOf(node['value']))
    case 'CAST':
      return constant(node['child'], known)
    case 'COLUMN_REF': {
      const [name, ...more] = listOf(node['column_names'])
      return more.length === 0 ? known.get(String(name).toLowerCase()) : undefined
    }
    case 'CASE':
      return largest(
        [...listOf(node['case_checks']).map(check => nodeOf(check)?.['then_expr']), node['else_expr']],
        known
      )
    case 'OPERATOR':
      return node['type'] === 'OPERATOR_COALESCE' ? largest(listOf(node['children']), known) : undefined
    case 'SUBQUERY': {
      const items = listOf(nodeOf(nodeOf(node['subquery'])?.['node'])?.['select_list'])
      return items.length === 1 ? constant(items[0], known) : undefined
    }
    case 'FUNCTION': {
      const [name, args] = [nameOf(node), listOf(node['children'])]
      if (name === 'greatest') return largest(args, known)
      const [one, other] = args.map(argument => constant(argument, known))
      if (name === '-' && args.length === 1) return one === undefined ? undefined : -one
      const compute = Object.hasOwn(operators, name) ? operators[name]! : undefined
      return compute === undefined || one === undefined || other === undefined ? undefined : compute(one, other)
    }
    default:
      return undefined
  }
}

function largest(values: readonly (Json | undefined)[], known: Known): number | undefined {
  const numbers = values.flatMap(value => constant(value, known) ?? [])
  return numbers.length === 0 ? undefined : numbers.reduce((most, number) => Math.max(most, number))
}

function numberOf(constant: Node | undefined): number | undefined {
  const value = constant?.['value']
  const wide = nodeOf(value)
  const digits = wide === undefined ? value : Number(wide['upper']) * 2 ** 64 + Number(wide['lower'])
  if (digits === null || digits === undefined || typeof digits === 'boolean' || digits === '') return undefined
  const scale = Number(nodeOf(nodeOf(constant?.['type'])?.['type_info'])?.['scale'] ?? 0)
  const number = Number(digits) / 10 ** scale
  return Number.isFinite(number) ? number : undefined
}

const seconds: Readonly<Record<string, number>> = {
  microsecond: 1e-6,
  us: 1e-6,
  millisecond: 1e-3,
  ms: 1e-3,
  second: 1,
  sec: 1,
  s: 1,
  minute: 60,
  min: 60,
  m: 60,
  hour: 3600,
  h: 3600,
  day: 86_400,
  d: 86_400,
  week: 604_800,
  month: 2_592_000,
  year: 31_536_000
}

/** Seconds of a constant that is a time, since 1970, or an interval. */
function timeOf(value: Json | undefined): number | undefined {
  const node = nodeOf(value)
  if (node?.['class'] === 'FUNCTION') {
    const unit = /^to_(\w+)s$/.exec(nameOf(node))?.[1] ?? ''
    const count = constant(nodeOf(listOf(node['children'])[0]), new Map())
    return count === undefined || !Object.hasOwn(seconds, unit) ? undefined : count * seconds[unit]!
  }
  const text = node?.['class'] === 'CAST' ? textOf(node['child']) : textOf(value)
  if (text === undefined) return undefined
  const time = Date.parse(/^\d{4}-\d\d-\d\d/.test(text) ? `${text.slice(0, 10)}T00:00:00Z` : '')
  if (!Number.isNaN(time)) return time / 1000
  const clock = /^(\d+):(\d\d)(?::(\d\d(?:\.\d+)?))?$/.exec(text.trim())
  if (clock !== null) return Number(clock[1]) * 3600 + Number(clock[2]) * 60 + Number(clock[3] ?? 0)
  const parts = [...text.matchAll(/(-?[\d.]+)\s*([a-z]+?)s?(?![a-z])/gi)].map(
    ([, count, unit]) => Number(count) * (seconds[unit!.toLowerCase()] ?? Number.NaN)
  )
  const length = parts.reduce((sum, part) => sum + part, 0)
  return parts.length > 0 && Number.isFinite(length) ? length : undefined
}

/** What is known within a call: the parameters of its lambdas are elements of its list. */
function withParameters(call: Node, known: Known): Known {
  const args = listOf(call['children'])
  const lambdas = args.flatMap(argument => {
    const node = nodeOf(argument)
    return node?.['class'] === 'LAMBDA' ? [node] : []
  })
  if (lambdas.length === 0) return known
  const element = elementOf(nodeOf(args[0]), known)
  const inner = new Map(known)
  for (const lambda of lambdas) {
    const left = nodeOf(lambda['lhs'])
    const names = left?.['class'] === 'FUNCTION' ? listOf(left['children']).map(nodeOf) : [left]
    for (const name of names.map(each => String(listOf(each?.['column_names'])[0]).toLowerCase())) {
      if (element === undefined) inner.delete(name)
      else inner.set(name, element)
    }
  }
  return inner
}

/** The largest number in a list of constants. */
function elementOf(list: Node | undefined, known: Known): number | undefined {
  if (list === undefined) return undefined
  const [name, args] = [nameOf(list), listOf(list['children'])]
  if (/filter|where|select|sort|reverse|distinct/.test(name)) return elementOf(nodeOf(args[0]), known)
  if (name === 'range' || name === 'generate_series') return constant(args[args.length > 1 ? 1 : 0], known)
  return name === 'list_value' ? largest(args, known) : undefined
}

function nameOf(call: Node): string {
  return String(call['function_name']).toLowerCase()
}

function textOf(value: Json | undefined): string | undefined {
  const node = nodeOf(value)
  const text = node?.['class'] === 'CONSTANT' ? nodeOf(node['value'])?.['value'] : undefined
  return typeof text === 'string' ? text : undefined
}

function nodeOf(value: Json | undefined): Node | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Node) : undefined
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : []
}
