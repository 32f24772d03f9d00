// Times by the words for their types, in casts and before literals.
import { type ColumnType, isTimestamp, type TimeUnit, timeUnit } from '../../../core/index.ts'
import type { Tree } from '../grammar/parser.ts'
import { asList, asObjectName, isEmpty, variant } from '../grammar/tree.ts'
import type { Meaning } from './scope.ts'

const units: Readonly<Record<string, TimeUnit>> = { 0: 's', 3: 'ms', 6: 'us', 9: 'ns' }

const words: Readonly<Record<string, TimeUnit>> = {
  datetime: 'us',
  timestamp_s: 's',
  timestamp_ms: 'ms',
  timestamp_us: 'us',
  timestamp_ns: 'ns'
}

type TimeType = { readonly kind: 'time'; readonly unit?: TimeUnit } | { readonly kind: 'date' }

/** The type in the tree when it is a time without a zone or a date. */
export function parseTableTime(tree: Tree | undefined): TimeType | undefined {
  if (tree === 'Date') return { kind: 'date' }
  if (tree === 'Datetime') return { kind: 'time', unit: 'us' }
  const [kind, value] = variant(tree) ?? ['', null]
  if (kind === 'Timestamp') {
    const [precision, zone] = asList(value)
    if (zone !== 'None' && zone !== 'WithoutTimeZone') return undefined
    const unit = isEmpty(precision) ? 'ms' : units[String(precision)]
    return { kind: 'time', ...(unit && { unit }) }
  }
  if (kind === 'Datetime') return { kind: 'time', unit: 'us' }
  if (kind !== 'Custom') return undefined
  const [name] = asObjectName(asList(value)[0]) ?? []
  const unit = name && words[name.value.toLowerCase()]
  return unit === undefined ? undefined : { kind: 'time', unit }
}

/** What the columns of a type are. */
export function meaningOf(type: string): Meaning {
  if (isTimestamp(type as ColumnType)) return { kind: 'time', unit: timeUnit(type as Parameters<typeof timeUnit>[0]) }
  return type === 'String' ? { kind: 'text' } : undefined
}

const engineUnits: Readonly<Record<string, TimeUnit>> = {
  TIMESTAMP_S: 's',
  TIMESTAMP_MS: 'ms',
  TIMESTAMP: 'us',
  TIMESTAMP_NS: 'ns'
}

/** The same by the engine's word. */
export function engineMeaning(type: string): Meaning {
  const unit = engineUnits[type]
  return unit === undefined ? undefined : { kind: 'time', unit }
}
