// Turns the named groups of a match into fields of the kinds a log format declares.
import { fail } from '../../function.ts'
import { type Kind, kinds, objectOf, optional } from '../../kind.ts'
import type { Regex } from '../../regex.ts'
import type { Timestamp, Value } from '../../value.ts'
import { parseFloatText } from '../coerce.ts'

type FieldType = 'text' | 'integer' | 'float' | 'timestamp'

/** Fields that are not text, with their kinds. */
export type FieldTypes = Readonly<Record<string, FieldType>>

/** A layout of lines. */
export interface Layout {
  readonly pattern: Regex
  /** The groups include dashes and blanks around texts, which are removed here: such patterns are simpler and much faster. */
  readonly raw?: boolean
}

/** The fields of the first pattern that matches, or undefined when none does. Groups that took no part make no field. */
export function captureFields(
  layouts: readonly Layout[],
  types: FieldTypes,
  text: string,
  time: (text: string) => Timestamp
): ReadonlyMap<string, Value> | undefined {
  for (const { pattern, raw = false } of layouts) {
    const match = pattern.exec(text)
    if (match === undefined) continue
    const fields = new Map<string, Value>()
    for (const [name, index] of pattern.names) {
      const group = match.groups[index]
      if (group === undefined || (raw && group === '-')) continue
      fields.set(name, convert(name, types[name], raw ? group.trim() : group, time))
    }
    return fields
  }
  return undefined
}

function convert(name: string, type: FieldType | undefined, text: string, time: (text: string) => Timestamp): Value {
  switch (type) {
    case 'timestamp':
      return time(text)
    case 'float':
      return parseFloatText(text)
    case 'integer':
      return readWhole(name, text)
    default:
      return text
  }
}

/** An integer of 64 bits in decimal digits; the message of the failure names the field. */
export function readWhole(name: string, text: string): bigint {
  if (/^-?\d{1,19}$/.test(text)) {
    const value = BigInt(text)
    if (value === BigInt.asIntN(64, value)) return value
  }
  throw fail(`failed parsing ${name}: "${text.slice(0, 100)}" is not an integer`)
}

const kindOfType: Readonly<Record<FieldType, Kind>> = {
  text: kinds.string,
  integer: kinds.integer,
  float: kinds.float,
  timestamp: kinds.timestamp
}

/** The static kind of the result of `captureFields`; each field may be absent. */
export function captureKind(layouts: readonly Layout[], types: FieldTypes): Kind {
  const fields: Record<string, Kind> = {}
  for (const { pattern } of layouts)
    for (const name of pattern.names.keys()) fields[name] = optional(kindOfType[types[name] ?? 'text'])
  return objectOf(fields)
}
