// Values for `?`, `$1` and `$name`, put into the tokens of a statement: they mean what the same constant would mean there, and are never text of it.
import { DbError, parseJson } from '../../../core/index.ts'
import { isKeyOperator, isToken, locationOf, type Token, tokenize } from './token.ts'

/** The parameters of a request: values in order, or by name. */
type Parameters = ReadonlyMap<string, readonly Pick<Token, 'kind' | 'value'>[]>

/** Reads `params` of a request: a JSON array, or an object. Throws `InvalidArguments`. */
export function readParameters(json: string | undefined): Parameters | undefined {
  if (json === undefined || json === '') return undefined
  let values: unknown
  try {
    values = parseJson(json)
  } catch (error) {
    throw new DbError('InvalidArguments', `params: ${(error as Error).message}`)
  }
  return parametersOf(values)
}

/** Values in order, or by name. Throws `InvalidArguments`. */
export function parametersOf(values: unknown): Parameters {
  const entries = entriesOf(values)
  if (entries === undefined) throw notParams()
  return new Map(entries.map(([name, value]) => [name, constant(name, value)]))
}

function entriesOf(values: unknown): readonly (readonly [string, unknown])[] | undefined {
  if (Array.isArray(values)) return values.map((value: unknown, i) => [String(i + 1), value] as const)
  if (values instanceof Map) return [...(values as Map<string, unknown>)]
  return typeof values === 'object' && values !== null ? Object.entries(values) : undefined
}

function notParams(): DbError {
  return new DbError('InvalidArguments', 'params must be a JSON array of values, or an object of values by name')
}

function constant(name: string, value: unknown): Pick<Token, 'kind' | 'value'>[] {
  if (typeof value === 'string') return [{ kind: 'string', value }]
  if (value === null || typeof value === 'boolean') return [{ kind: 'word', value: String(value) }]
  if (typeof value === 'number' || typeof value === 'bigint') {
    const [first, ...rest] = tokenize(typeof value === 'bigint' ? String(value) : floatText(value))
    return [first!, ...rest]
  }
  throw new DbError('InvalidArguments', `params: value ${name} must be a text, a number, true, false or null`)
}

/** A number with a fraction or an exponent stays a float. */
function floatText(value: number): string {
  const text = Object.is(value, -0) ? '-0' : String(value)
  return /[.e]/.test(text) ? text : `${text}.0e0`
}

/** The tokens with parameters replaced by values. Without `given`, a parameter is an error. */
export function fillParameters(sql: string, tokens: readonly Token[], given: Parameters | undefined): readonly Token[] {
  if (given === undefined && !tokens.some((_, i) => nameAt(tokens, i, 0) !== undefined)) return tokens
  const filled: Token[] = []
  const used = new Set<string>()
  let count = 0
  for (let i = 0; i < tokens.length; i++) {
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
    // Signs never touch what is before them: two of them would begin a comment.
    for (const each of value) filled.push({ ...each, start: token.start, end: tokens[i]!.end, spaced: true })
  }
  const unused = [...(given?.keys() ?? [])].find(name => !used.has(name))
  if (unused !== undefined) {
    throw new DbError('InvalidArguments', `params: the statement has no parameter for value ${unused}`)
  }
  return filled
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
  return new DbError('InvalidArguments', `parameter ${name}${locationOf(sql, start)} has no value: ${have}`)
}
