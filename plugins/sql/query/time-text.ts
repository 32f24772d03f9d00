// Time in queries as the engine needs it: its clock in UTC without a zone, constants in the unit and zone of the user.
import {
  convertTime,
  duckdbTimeTypes,
  formatTimestamp,
  parseTimestamp,
  type TimeUnit,
  type Zone
} from '../../../core/index.ts'
import type { Canonical } from '../text/canonical.ts'
import { quoteText, type Token } from '../text/token.ts'
import type { TimeConstant } from './bind.ts'
import { type Edit, replace } from './edit.ts'

/** A constant that stands for a time: an integer is in the unit of the time beside it, text without a zone in the user's. */
export function timeEdit(
  statement: Canonical,
  { first, last, constant, time, bare }: TimeConstant,
  zone: Zone
): Edit[] {
  const ns =
    constant.kind === 'integer'
      ? inUnit(constant.value, time.unit)
      : instant(statement.tokens[constant.token]!, zone, bare === true || time.unit === undefined)
  if (ns === undefined) return []
  const text = quoteText(formatTimestamp(ns).slice(0, -1))
  return [replace(statement, first, last, bare ? text : `CAST(${text} AS ${duckdbTimeTypes[time.unit ?? 'ns']})`)]
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
    // A text that is no time here may be one to the engine, and its error is better.
    return undefined
  }
}
