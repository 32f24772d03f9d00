// Types in queries as the server means them: `CAST(x AS TIMESTAMP)` and `x::FLOAT64` name types of columns, not the engine's.
import { duckdbType, isDbError, isTimestamp, type TimeUnit } from '../../../core/index.ts'
import { readType } from '../statement/column-type.ts'
import { findWord, opening } from '../text/brackets.ts'
import type { Canonical } from '../text/canonical.ts'
import { isToken, noValues, type Token } from '../text/token.ts'
import { type Edit, putBefore, putBehind, replace, span } from './edit.ts'
import { hidden, moment, nanoseconds } from './text-time.ts'

/** A cast: all of it, what it converts, and the type, by their first and last tokens. */
interface Cast {
  readonly whole: Range
  readonly operand: Range
  readonly type: Range
  readonly engine: string
  readonly toTime: boolean
  /** `TRY_CAST`, `CAST`, or empty for `::`. */
  readonly call: string
}

type Range = readonly [first: number, last: number]

/** The facts of an operand: whether it is a time, which the engine may convert as it is, and its unit if known. */
type KnownTime = (first: number, last: number) => { readonly unit?: TimeUnit | undefined } | undefined

const zonedType = 'timestamptz'

/**
 * A type that is not a column's stays as it is: the engine has intervals, lists and more. `isTime` tells whether the name at a token is that
 * of a column of times.
 */
export function castEdits(statement: Canonical, knownTime: KnownTime, isTime: (token: number) => boolean): Edit[] {
  const isName = ({ kind, value }: Token) => kind === 'word' || kind === 'quoted' || value === '.'
  const isColumn = (first: number, last: number) =>
    isTime(last) && statement.tokens.slice(first, last + 1).every(isName)
  return casts(statement.tokens).flatMap(cast => {
    const [first, last] = cast.operand
    if (cast.engine === zonedType) return isColumn(first, last) ? momentOf(statement, cast) : []
    const typed = replace(statement, ...cast.type, cast.engine)
    if (cast.engine === 'BIGINT' && isColumn(first, last))
      return numberOf(statement, cast, knownTime(first, last)?.unit)
    if (!cast.toTime || (first === last && statement.tokens[first]?.kind === 'string')) return [typed]
    const known = knownTime(first, last)
    if (known === undefined) return timeCast(statement, cast)
    const isFiner = known.unit === 'ns' || (known.unit === 'ms' && cast.engine === 'TIMESTAMP_S')
    return isFiner && isCoarse(cast.engine) ? [putBehind(statement, last, '::TIMESTAMP'), typed] : [typed]
  })
}

const numbers: Readonly<Record<TimeUnit, string>> = { s: 'epoch', ms: 'epoch_ms', us: 'epoch_us', ns: 'epoch_ns' }

/** A time as a number is one of its unit since 1970. */
function numberOf(statement: Canonical, { operand, type, engine }: Cast, unit: TimeUnit | undefined): Edit[] {
  const typed = replace(statement, ...type, engine)
  if (unit === undefined) return [typed]
  return [putBefore(statement, operand[0], `${numbers[unit]}(`), putBehind(statement, operand[1], ')'), typed]
}

/** Columns are in UTC, whatever the session's zone: cast to a time with a zone, they are that moment. */
function momentOf(statement: Canonical, { whole, operand, call }: Cast): Edit[] {
  const [first, behind] = [whole[0], operand[1] + 1]
  if (call === '')
    return [putBefore(statement, first, '('), replace(statement, behind, whole[1], ` AT TIME ZONE 'UTC')`)]
  // With `CAST` go its own parentheses.
  return [replace(statement, first, first, ''), replace(statement, behind, whole[1] - 1, ` AT TIME ZONE 'UTC'`)]
}

/** Types to which the engine converts only from microseconds. */
function isCoarse(engine: string): boolean {
  return engine === 'TIMESTAMP_S' || engine === 'TIMESTAMP_MS'
}

function casts(tokens: readonly Token[]): Cast[] {
  return tokens.flatMap((token, i) => {
    if (isToken(token, ':') && isToken(tokens[i - 1], ':') && !tokens[i]!.spaced) {
      const type = castType(tokens, i + 1)
      if (type === undefined) return []
      const operand: Range = [operandStart(tokens, i - 2), i - 2]
      return [{ ...type, whole: [operand[0], type.type[1]] as const, operand, call: '' }]
    }
    const call = ['cast', 'try_cast'].find(word => isToken(token, word) && isToken(tokens[i + 1], '('))
    const as = call === undefined ? -1 : findWord(tokens, 'as', i + 2)
    const type = as < 0 ? undefined : castType(tokens, as + 1)
    if (type === undefined) return []
    return [{ ...type, whole: [i, type.type[1] + 1] as const, operand: [i + 2, as - 1] as const, call: call! }]
  })
}

function castType(tokens: readonly Token[], first: number): Pick<Cast, 'type' | 'engine' | 'toTime'> | undefined {
  const cursor = { sql: '', tokens, at: first }
  if (tokens[first]?.kind !== 'word') return undefined
  const zoned = isToken(tokens[first], zonedType)
    ? first
    : ['timestamp', 'with', 'time', 'zone'].every((word, i) => isToken(tokens[first + i], word)) && first + 3
  if (zoned !== false) return { type: [first, zoned], engine: zonedType, toTime: false }
  try {
    const type = readType(cursor)
    if (isToken(tokens[cursor.at], 'without')) return undefined
    return { type: [first, cursor.at - 1], engine: duckdbType(type), toTime: isTimestamp(type) }
  } catch (error) {
    if (isDbError(error)) return undefined
    throw error
  }
}

/** Words before a parenthesis that go on with a call. */
const suffixes = ['over', 'filter', 'group']

/** Where the operand of a `::` begins that ends at a token. */
export function operandStart(tokens: readonly Token[], last: number): number {
  let at = last
  for (;;) {
    if (isToken(tokens[at], ')')) {
      at = opening(tokens, at)
      const name = tokens[at - 1]
      if (suffixes.some(word => isToken(name, word))) {
        at -= isToken(name, 'group') ? 3 : 2
        continue
      }
      if ((name?.kind === 'word' && !noValues.has(name.value.toLowerCase())) || name?.kind === 'quoted') at--
    } else if (isToken(tokens[at], ']')) {
      at = opening(tokens, at)
      const before = tokens[at - 1]
      const isSubscript = before?.kind === 'word' ? !noValues.has(before.value.toLowerCase()) : before !== undefined
      if (isSubscript && !isToken(before, '(') && !isToken(before, '[') && !isToken(before, ',')) {
        at--
        continue
      }
    } else if (isToken(tokens[at], 'end')) at = caseOf(tokens, at)
    else if (tokens[at]?.kind === 'string') {
      if (isToken(tokens[at - 1], 'zone')) at -= 4
      else if (['timestamptz', 'timestamp', 'date'].some(word => isToken(tokens[at - 1], word))) at--
    }
    if (isToken(tokens[at - 1], '.')) at -= 2
    else if (isToken(tokens[at - 1], ':') && isToken(tokens[at - 2], ':')) at -= 3
    else return at
  }
}

/** The `CASE` of an `END`. */
function caseOf(tokens: readonly Token[], end: number): number {
  for (let at = end, depth = 0; at >= 0; at--) {
    if (isToken(tokens[at], 'end')) depth++
    if (isToken(tokens[at], 'case') && --depth === 0) return at
  }
  return 0
}

/**
 * A cast to a time of what may be text or a time with a zone. The engine ignores the offset in a text and takes its clock for that of
 * UTC, and a time with a zone becomes the clock of the session; here both are that moment, in UTC as all columns are. What the operand
 * is, the engine knows: the branches are chosen when the statement is planned.
 */
function timeCast(statement: Canonical, { whole, operand, type, engine, call }: Cast): Edit[] {
  const as = call === 'try_cast' ? 'TRY_CAST' : 'CAST'
  const zoned = `${as}(${moment(as)} AS ${engine})`
  const text = engine === 'TIMESTAMP_NS' ? nanoseconds(as) : zoned
  const cases = `WHEN 'VARCHAR' THEN ${text} WHEN 'TIMESTAMP WITH TIME ZONE' THEN ${zoned}`
  const other = isCoarse(engine) ? `${as}(${as}(${hidden} AS TIMESTAMP) AS ${engine})` : `${as}(${hidden} AS ${engine})`
  const closed = `], lambda ${hidden}: CASE typeof(${hidden}) ${cases} ELSE ${other} END)[1]`
  const start = span(statement, operand[0]).start
  const behind = span(statement, operand[1]).end
  const end = span(statement, whole[1]).end
  const from = call === '' ? start : span(statement, whole[0]).start
  return [
    { start: from, end: start, text: 'list_transform([' },
    { start: call === '' ? behind : span(statement, type[0] - 1).start, end, text: closed }
  ]
}
