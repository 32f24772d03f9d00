// Functions of templates: those of Go templates and of Prometheus.
import { compileRegex, parseReplacement, RegexBudget } from '../../../core/index.ts'
import { parseDuration } from '../rule/duration.ts'
import { humanize, humanize1024, humanizeDuration, humanizePercentage, humanizeTimestamp } from './humanize.ts'
import { printf } from './printf.ts'
import { isTrue, printValue, type Value } from './value.ts'

type Regex = ReturnType<typeof compileRegex>
type Compile = (pattern: string) => Regex

interface TemplateFunction {
  readonly min: number
  readonly max: number
  /** Throws Error for invalid arguments. */
  call(args: readonly Value[], compile: Compile): Value
}

const define = (min: number, max: number, call: (...args: Value[]) => Value): TemplateFunction => ({
  min,
  max,
  call: args => call(...args)
})

/** Characters of the regular expressions that are compiled to fill in a template once. */
const patternLength = 5_000
const budget = { max: patternLength, of: 'the template' }
/** Regular expressions that a template keeps for the next time. */
const keptPatterns = 20

/** Compiles the regular expressions of a template; each `begin` starts a time it is filled in. Texts of labels may be expressions, too. */
export class TemplatePatterns {
  readonly #kept = new Map<string, Regex>()
  #budget = new RegexBudget(budget)

  begin(): void {
    this.#budget = new RegexBudget(budget)
  }

  readonly compile: Compile = pattern => {
    const kept = this.#kept.get(pattern)
    if (kept !== undefined) return kept
    this.#budget.take(pattern)
    const made = compileRegex(pattern)
    if (this.#kept.size >= keptPatterns) this.#kept.clear()
    this.#kept.set(pattern, made)
    return made
  }
}
const ofNumber = (write: (value: number) => string) => define(1, 1, value => write(numberOf(value)))
const ofText = (write: (text: string) => string) => define(1, 1, value => write(textOf(value)))
const compared = (holds: (order: number) => boolean) => define(2, 2, (a, b) => holds(compare(a, b)))
const any = Number.POSITIVE_INFINITY

export const functions: Readonly<Record<string, TemplateFunction>> = {
  humanize: ofNumber(humanize),
  humanize1024: ofNumber(humanize1024),
  humanizeDuration: ofNumber(humanizeDuration),
  humanizePercentage: ofNumber(humanizePercentage),
  humanizeTimestamp: ofNumber(humanizeTimestamp),
  toUpper: ofText(text => text.toUpperCase()),
  toLower: ofText(text => text.toLowerCase()),
  title: ofText(text =>
    text.replace(/(^|[^\p{L}\p{N}_'])(\p{L})/gu, (_, before, letter) => before + letter.toUpperCase())
  ),
  stripPort: ofText(text => /^(.*):\d+$/.exec(text)?.[1]?.replace(/^\[(.*)\]$/, '$1') ?? text),
  stripDomain: ofText(stripDomain),
  match: {
    min: 2,
    max: 2,
    call: ([pattern, text], compile) => compile(textOf(pattern)).test(textOf(text))
  },
  reReplaceAll: {
    min: 3,
    max: 3,
    call([pattern, by, text], compile) {
      const regex = compile(textOf(pattern))
      return regex.replace(textOf(text), parseReplacement(textOf(by), regex.names))
    }
  },
  parseDuration: define(1, 1, text => {
    const milliseconds = parseDuration(textOf(text))
    if (milliseconds === undefined) throw new Error(`parseDuration: ${printValue(text)} is not a duration`)
    return milliseconds / 1_000
  }),
  externalURL: define(0, 0, () => ''),
  safeHtml: define(1, 1, value => value),
  urlQueryEscape: ofText(encodeURIComponent),
  urlquery: ofText(encodeURIComponent),
  html: ofText(text => text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)),
  print: define(0, any, (...args) => args.map(printValue).join('')),
  println: define(0, any, (...args) => `${args.map(printValue).join(' ')}\n`),
  printf: define(1, any, (format, ...args) => printf(textOf(format), args)),
  len: define(1, 1, value => (typeof value === 'string' ? Buffer.byteLength(value) : Object.keys(value ?? {}).length)),
  /** Resolved where the template is filled in, because it needs a query. */
  query: ofText(text => text),
  first: define(1, 1, list => {
    const [sample] = samplesOf(list)
    if (sample === undefined) throw new Error('first() called on vector with no elements')
    return sample
  }),
  label: define(2, 2, (name, sample) => memberOf(memberOf(sample, 'Labels'), textOf(name))),
  value: define(1, 1, sample => memberOf(sample, 'Value')),
  strvalue: define(1, 1, sample => memberOf(memberOf(sample, 'Labels'), '__value__')),
  sortByLabel: define(2, 2, (name, list) => {
    const text = (sample: Value) => textOf(memberOf(memberOf(sample, 'Labels'), textOf(name)))
    return samplesOf(list).toSorted((a, b) => (text(a) < text(b) ? -1 : text(a) > text(b) ? 1 : 0))
  }),
  index: define(1, any, (value, ...keys) => keys.reduce(memberOf, value)),
  and: define(1, any, (...args) => args.find(value => !isTrue(value)) ?? args.at(-1)),
  or: define(1, any, (...args) => args.find(isTrue) ?? args.at(-1)),
  not: define(1, 1, value => !isTrue(value)),
  eq: define(2, any, (first, ...others) => others.some(other => compare(first, other) === 0)),
  ne: compared(order => order !== 0),
  lt: compared(order => order < 0),
  le: compared(order => order <= 0),
  gt: compared(order => order > 0),
  ge: compared(order => order >= 0)
}

/** The number of a value; texts that are numbers are converted. */
function numberOf(value: Value): number {
  if (typeof value === 'number') return value
  const infinite = typeof value === 'string' ? /^([+-]?)inf(inity)?$/i.exec(value) : null
  if (infinite !== null) return infinite[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  if (typeof value === 'string' && value.trim() !== '' && (!Number.isNaN(Number(value)) || /^nan$/i.test(value)))
    return Number(value)
  throw new Error(`expected a number, got ${JSON.stringify(printValue(value))}`)
}

function textOf(value: Value): string {
  if (typeof value === 'string') return value
  throw new Error(`expected a text, got ${printValue(value)}`)
}

function samplesOf(value: Value): readonly Value[] {
  if (Array.isArray(value)) return value
  throw new Error(`expected samples of a query, got ${printValue(value)}`)
}

/** NaN if the values cannot be ordered; then only `ne` holds. */
function compare(a: Value, b: Value): number {
  if (typeof a !== typeof b) throw new Error(`cannot compare ${printValue(a)} with ${printValue(b)}`)
  if (a === b) return 0
  if (typeof a === 'boolean' || typeof a === 'object') return Number.NaN
  return a! < b! ? -1 : a! > b! ? 1 : Number.NaN
}

function memberOf(value: Value, key: Value): Value {
  if (Array.isArray(value) && typeof key === 'number') {
    if (key >= 0 && key < value.length) return value[key]
    throw new Error(`index ${key} is out of range`)
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const map = value as Readonly<Record<string, Value>>
    return typeof key === 'string' && Object.hasOwn(map, key) ? map[key] : ''
  }
  throw new Error(`${printValue(value)} has no members`)
}

/** IP addresses are returned unchanged. */
function stripDomain(text: string): string {
  const [, host, port = ''] = /^(.*?)(:\d+)?$/s.exec(text)!
  if (/^\d+(\.\d+){3}$/.test(host!) || host!.includes(':')) return text
  return host!.split('.')[0] + port
}
