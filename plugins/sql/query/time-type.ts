// Times by the words for their types, in casts and before literals.
import { type ColumnType, isTimestamp, type TimeUnit, timeUnit } from '../../../core/index.ts'
import type { Tree } from '../grammar/parser.ts'
import { asList, asObjectName, isEmpty, variant } from '../grammar/tree.ts'
import { engineTimeUnit } from './engine-type.ts'
import type { Meaning } from './scope.ts'

const units: Readonly<Record<string, TimeUnit>> = { 0: 's', 3: 'ms', 6: 'us', 9: 'ns' }

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
  const word = name?.value.toUpperCase() ?? ''
  const unit = word === 'DATETIME' || word === 'TIMESTAMP_US' ? 'us' : engineTimeUnit(word)
  return unit === undefined ? undefined : { kind: 'time', unit }
}

/** What the columns of a type are. */
export function meaningOf(type: string): Meaning {
  if (isTimestamp(type as ColumnType)) return { kind: 'time', unit: timeUnit(type as Parameters<typeof timeUnit>[0]) }
  return type === 'String' ? { kind: 'text' } : undefined
}

/** The same by the engine's word. */
export function engineMeaning(type: string): Meaning {
  const unit = engineTimeUnit(type)
  return unit === undefined ? undefined : { kind: 'time', unit }
}
