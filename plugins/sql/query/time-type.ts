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

/** The meaning of a type's columns. */
export function meaningOf(type: string): Meaning {
  if (isTimestamp(type as ColumnType)) return { kind: 'time', unit: timeUnit(type as Parameters<typeof timeUnit>[0]) }
  if (type === 'String') return { kind: 'text' }
  return type === 'Json' ? undefined : { kind: 'other' }
}

/** The same by the engine's word. */
export function engineMeaning(type: string): Meaning {
  const unit = engineTimeUnit(type)
  if (unit !== undefined) return { kind: 'time', unit }
  return type === 'VARCHAR' ? { kind: 'text' } : undefined
}

/** Whether the type in the tree is one of texts. */
export function isTextType(tree: Tree | undefined): boolean {
  const kind = typeof tree === 'string' ? tree : variant(tree)?.[0]
  return kind !== undefined && textTypes.has(kind)
}

/** Whether the type in the tree is that of times with a zone. */
export function isZonedType(tree: Tree | undefined): boolean {
  const [kind, value] = variant(tree) ?? ['', null]
  if (kind === 'Timestamp') return ['Tz', 'WithTimeZone'].includes(String(asList(value)[1]))
  const [name] = asObjectName(kind === 'Custom' ? asList(value)[0] : null) ?? []
  return name?.value.toLowerCase() === 'timestamptz'
}

const textTypes: ReadonlySet<string> = new Set([
  'Char',
  'Character',
  'CharVarying',
  'CharacterVarying',
  'String',
  'Text',
  'Varchar'
])
