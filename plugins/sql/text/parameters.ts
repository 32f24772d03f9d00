// Values for `?`, `$1` and `$name`, put into the tokens of a statement: they mean what the same constant would mean there, and are never text of it.
import {
  countJsonValues,
  DbError,
  elements,
  endsStep,
  type JsonCursor,
  jsonCursor,
  members,
  ParseError,
  readJson,
  type Steps,
  skipSpace,
  startsWith,
  unexpected
} from '../../../core/index.ts'
import { invalid } from '../error.ts'
import { isKeyOperator, isToken, locationOf, stepTokens, type Token, tokenize } from './token.ts'

type PartOfValue = Pick<Token, 'kind' | 'value'>
/** The parameters of a request: values in order, or by name. */
export type Parameters = ReadonlyMap<string, readonly PartOfValue[]>

/** A number of JSON as it was written, because JavaScript's numbers do not hold them all. */
class NumberText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Values read between two yields to other requests. */
const stepValues = 500

const [array, object] = [0x5b, 0x7b] as const
/** Bytes that stand in numbers, and the form of a number. */
const numberBytes = Buffer.from('0123456789+-.eE')
const wholeNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/

/**
 * Reads `params` of a request: a JSON array, or an object. `maxTokens`: of a statement, which cannot use more values. Throws
 * `InvalidArguments`.
 */
export function* readParameters(json: string | undefined, maxTokens: number): Steps<Parameters | undefined> {
  if (json === undefined || json === '') return undefined
  // The array itself counts, too.
  const max = maxTokens + 1
  const bytes = Buffer.from(json)
  if (bytes.length > max && (yield* countJsonValues(bytes, max)) > max) {
    const reason = `params: more than ${maxTokens} values, and a statement cannot use so many ([plugins.sql] max_sql_tokens)`
    throw invalid(reason)
  }
  try {
    return yield* readEntries(jsonCursor(bytes))
  } catch (error) {
    if (!(error instanceof ParseError)) throw error
    throw new DbError('InvalidArguments', `params: not valid JSON: ${error.message}`, { cause: error })
  }
}

function* readEntries(cursor: JsonCursor): Steps<Parameters> {
  const values = new Map<string, readonly PartOfValue[]>()
  const isArray = startsWith(cursor, array)
  if (!isArray && !startsWith(cursor, object)) {
    readJson(cursor)
    throw notParams()
  }
  let count = 0
  for (const key of isArray ? elements(cursor) : members(cursor)) {
    const name = key ?? String(count + 1)
    values.set(name, constant(name, readValue(cursor)))
    if (endsStep(count++, stepValues)) yield
  }
  cursor.at = skipSpace(cursor, cursor.at)
  if (cursor.at < cursor.end) throw unexpected(cursor, cursor.at, 'the end of the document')
  return values
}

/** The next value; a number with the digits that it was written with. */
function readValue(cursor: JsonCursor): unknown {
  const start = skipSpace(cursor, cursor.at)
  let end = start
  while (end < cursor.end && numberBytes.includes(cursor.bytes[end]!)) end++
  const text = cursor.bytes.toString('latin1', start, end)
  if (!wholeNumber.test(text)) return readJson(cursor, 1)
  cursor.at = end
  return new NumberText(text)
}

/** Values in order, or by name; a number that is an integer counts as one. Throws `InvalidArguments`. */
export function parametersOf(values: unknown): Parameters {
  const entries = entriesOf(values)
  if (entries === undefined) throw notParams()
  return new Map(entries.map(([name, value]) => [name, constant(name, value)]))
}

function entriesOf(values: unknown): readonly (readonly [string, unknown])[] | undefined {
  if (Array.isArray(values)) return values.map((value: unknown, i) => [String(i + 1), value] as const)
  return typeof values === 'object' && values !== null ? Object.entries(values) : undefined
}

function notParams(): DbError {
  return invalid('params must be a JSON array of values, or an object of values by name')
}

function constant(name: string, value: unknown): PartOfValue[] {
  if (typeof value === 'string') return [{ kind: 'string', value }]
  if (value === null || typeof value === 'boolean') return [{ kind: 'word', value: String(value) }]
  const text = value instanceof NumberText ? value.text : numberText(value)
  if (text !== undefined) return tokenize(checkNumber(name, text))
  throw invalid(`params: value ${name} must be a text, a number, true, false or null`)
}

/** A number of JavaScript as a constant; one with a fraction or an exponent stays a float. */
function numberText(value: unknown): string | undefined {
  if (typeof value === 'bigint' || Number.isSafeInteger(value)) return String(value)
  if (typeof value !== 'number') return undefined
  const text = String(value)
  return /[.eIN]/.test(text) ? text : `${text}.0e0`
}

/** Digits of the longest decimal, and the largest integer. */
const maxDigits = 38
const maxInteger = 2n ** 127n - 1n

/** Refuses what would become another number. */
function checkNumber(name: string, text: string): string {
  const refuse = (reason: string) => invalid(`params: value ${name} ${reason}`)
  if (!Number.isFinite(Number(text))) throw refuse(`is beyond the range of floats: ${text.slice(0, 40)}`)
  if (/e/i.test(text)) return text
  const digits = text.replace(/[-.]/g, '').length
  const isDecimal = text.includes('.')
  if (isDecimal ? digits <= maxDigits : digits <= maxDigits || isInteger128(text)) return text
  const limit = isDecimal ? `a decimal of ${maxDigits}` : 'an integer of 128 bits'
  throw refuse(`has ${digits} digits, more than ${limit} can hold: send it as a text, or with an exponent as a float`)
}

function isInteger128(text: string): boolean {
  const digits = text.replace('-', '')
  return digits.length <= 39 && BigInt(digits) <= maxInteger
}

/** The tokens with parameters replaced by values. Without `given`, a parameter is an error. */
export function* fillParameters(
  sql: string,
  tokens: readonly Token[],
  given: Parameters | undefined
): Steps<readonly Token[]> {
  if (given === undefined && !tokens.some((_, i) => nameAt(tokens, i, 0) !== undefined)) return tokens
  const filled: Token[] = []
  const used = new Set<string>()
  let count = 0
  for (let i = 0; i < tokens.length; i++) {
    if (endsStep(i, stepTokens)) yield
    const token = tokens[i]!
    const name = nameAt(tokens, i, count)
    if (name === undefined) {
      filled.push(token)
      continue
    }
    if (isToken(token, '?')) count++
    else i++
    const value = given?.get(name)
    if (value === undefined) throw missing(sql, token, name, given)
    used.add(name)
    const { start } = token
    const { end } = tokens[i]!
    // Signs never touch what is before them: two of them would begin a comment.
    const put = isNegative(value) && binds(tokens[i + 1]) ? [open, ...value, close] : value
    for (const [part, each] of put.entries())
      filled.push({
        ...each,
        start,
        end,
        spaced: each !== close,
        parameter: part === 0 ? sql.slice(start, end) : ''
      })
  }
  const unused = [...(given?.keys() ?? [])].find(name => !used.has(name))
  if (unused !== undefined) {
    throw invalid(`params: the statement has no parameter for value ${unused}`)
  }
  return filled
}

const [open, close] = ['(', ')'].map(value => ({ kind: 'symbol', value }) as const) as [PartOfValue, PartOfValue]

function isNegative(value: readonly PartOfValue[]): boolean {
  return value[0]?.value === '-'
}

/** Whether a symbol behind a value binds closer than a sign before it: `::`, `^`, `**`, `[`, `.` */
function binds(behind: Token | undefined): boolean {
  return behind?.kind === 'symbol' && ':^*[.'.includes(behind.value)
}

/** The name of the parameter that begins at a token. */
function nameAt(tokens: readonly Token[], at: number, before: number): string | undefined {
  if (isToken(tokens[at], '?')) return isKeyOperator(tokens, at) ? undefined : String(before + 1)
  const next = tokens[at + 1]
  if (!isToken(tokens[at], '$') || next === undefined || next.spaced) return undefined
  return next.kind === 'number' || next.kind === 'word' ? next.value : undefined
}

function missing(sql: string, { start }: Token, name: string, given: Parameters | undefined): DbError {
  const have = given === undefined ? 'params gives values, such as params=[1,"a"]' : `params has ${given.size}`
  return invalid(`parameter ${name}${locationOf(sql, start)} has no value: ${have}`)
}
