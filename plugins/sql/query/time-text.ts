// Time in queries as the engine needs it: its clock in UTC without a zone, constants in the unit and zone of the user.
import { convertTime, formatTimestamp, parseTimestamp, type TimeUnit, type Zone } from '../../../core/index.ts'
import type { Canonical } from '../text/canonical.ts'
import { isToken, quoteText, type Token, tokenText } from '../text/token.ts'
import type { TimeConstant } from './bind.ts'
import type { Edit } from './edit.ts'

const clocks = ['now', 'current_timestamp', 'get_current_timestamp', 'transaction_timestamp']

/** The engine's clock has a zone and compares with no column: this one does. */
export function clockEdits({ tokens, starts }: Canonical): Edit[] {
  return tokens.flatMap((token, i) => {
    if (!clocks.some(name => isToken(token, name)) || isToken(tokens[i - 1], '.')) return []
    const called = isToken(tokens[i + 1], '(') && isToken(tokens[i + 2], ')')
    if (!called && !isToken(token, 'current_timestamp')) return []
    const end = starts[called ? i + 2 : i]! + tokenText(tokens[called ? i + 2 : i]!).length
    return [{ start: starts[i]!, end, text: "(now() AT TIME ZONE 'UTC')" }]
  })
}

/** `date_bin` is the engine's `time_bucket` with slots that are counted from 1970. */
export function binEdits({ tokens, starts }: Canonical): Edit[] {
  return tokens.flatMap((token, i) => {
    if (!isToken(token, 'date_bin') || !isToken(tokens[i + 1], '(')) return []
    const [close, commas] = argumentsOf(tokens, i + 1)
    const name = { start: starts[i]!, end: starts[i]! + tokenText(token).length, text: 'time_bucket' }
    const end = starts[close]!
    if (commas === 1) return [name, { start: end, end, text: ", TIMESTAMP '1970-01-01'" }]
    const origin = tokens[close - 1]!
    const at = starts[close - 1]!
    return origin.kind === 'string' && isToken(tokens[close - 2], ',')
      ? [name, { start: at, end: at, text: 'TIMESTAMP ' }]
      : [name]
  })
}

/** Where a call ends, and how many commas part its arguments. */
function argumentsOf(tokens: readonly Token[], open: number): readonly [close: number, commas: number] {
  let depth = 0
  let commas = 0
  for (let at = open; at < tokens.length; at++) {
    if (isToken(tokens[at], '(') || isToken(tokens[at], '[')) depth++
    if (depth === 1 && isToken(tokens[at], ',')) commas++
    if ((isToken(tokens[at], ')') || isToken(tokens[at], ']')) && --depth === 0) return [at, commas]
  }
  return [tokens.length - 1, commas]
}

/** The engine's types of times. */
const types: Readonly<Record<TimeUnit, string>> = {
  s: 'TIMESTAMP_S',
  ms: 'TIMESTAMP_MS',
  us: 'TIMESTAMP',
  ns: 'TIMESTAMP_NS'
}

/** A constant that stands for a time: an integer is in the unit of the time beside it, text without a zone in the user's. */
export function timeEdit(
  { tokens, starts }: Canonical,
  { first, last, constant, time, bare }: TimeConstant,
  zone: Zone
): Edit[] {
  const ns =
    constant.kind === 'integer'
      ? inUnit(constant.value, time.unit)
      : instant(tokens[constant.token]!, zone, bare === true || time.unit === undefined)
  if (ns === undefined) return []
  const text = quoteText(formatTimestamp(ns).slice(0, -1))
  const end = starts[last]! + tokenText(tokens[last]!).length
  return [{ start: starts[first]!, end, text: bare ? text : `CAST(${text} AS ${types[time.unit ?? 'ns']})` }]
}

function inUnit(value: bigint, unit: TimeUnit | undefined): bigint | undefined {
  return unit === undefined || value.toString().length > 20 ? undefined : convertTime(value, unit, 'ns')
}

const namesOffset = /:\d\d.*(?:z|[+-]\d\d(?::?\d\d)?)\s*$/i

/** Undefined where the engine may read the text itself: it ignores offsets. */
function instant(token: Token, zone: Zone, inUtc: boolean): bigint | undefined {
  if (inUtc && zone.name === 'UTC' && !namesOffset.test(token.value)) return undefined
  try {
    return parseTimestamp(token.value, zone)
  } catch {
    // What is no time to us may be one to the engine, and its error is the better one.
    return undefined
  }
}
