// The result of compiling an expression: SQL, and what is known of its values.
import {
  type ColumnType,
  isTimestamp,
  type TableColumn,
  type TimestampType,
  type TimeUnit,
  timeUnit
} from '../../../core/index.ts'
import { type Scalar, wrong } from '../document/node.ts'
import type { Writing } from './constant.ts'

type Kind = 'text' | 'json' | 'integer' | 'float' | 'decimal' | 'boolean' | 'time' | 'date' | 'binary'

export interface Value {
  readonly sql: string
  readonly type: ColumnType
  readonly kind: Kind
  /** Default column name. */
  readonly name: string
  /** How many values of the table are concatenated in this one, at most. */
  readonly growth: number
  /** The table column it is, if it is one. */
  readonly column?: TableColumn
}

/** A constant of the document; it has no type until it is combined with a typed value. */
export interface Constant {
  readonly constant: Scalar
  readonly path: string
}

/** The columns that a step can use. */
export interface Scope {
  readonly columns: readonly Value[]
  /** The expressions that `PositionalIdent` refers to. */
  readonly positions: readonly Value[]
  /** The time index, while the rows still have it. */
  readonly time?: Value
}

export function isConstant(value: Value | Constant): value is Constant {
  return 'constant' in value
}

export function kindOf(type: ColumnType): Kind {
  if (isTimestamp(type)) return 'time'
  if (type.startsWith('Decimal')) return 'decimal'
  return kinds[type as keyof typeof kinds]
}

const kinds = {
  Boolean: 'boolean',
  Int8: 'integer',
  Int16: 'integer',
  Int32: 'integer',
  Int64: 'integer',
  UInt8: 'integer',
  UInt16: 'integer',
  UInt32: 'integer',
  UInt64: 'integer',
  Float32: 'float',
  Float64: 'float',
  String: 'text',
  Binary: 'binary',
  Json: 'json',
  Date: 'date'
} as const satisfies Record<Exclude<ColumnType, TimestampType | `Decimal${string}`>, Kind>

export function isNumber({ kind }: Value): boolean {
  return kind === 'integer' || kind === 'float' || kind === 'decimal'
}

export function unitOf({ type }: Value): TimeUnit {
  return timeUnit(type as Parameters<typeof timeUnit>[0])
}

/** The value as text; numbers as they were written. */
export function textSql({ dialect }: Pick<Writing, 'dialect'>, value: Value, path: string): string {
  if (value.kind === 'text') return value.sql
  if (value.kind === 'json' || value.kind === 'integer') return dialect.text(value.sql)
  throw wrong(path, `needs a text, ${value.name} is ${value.type}`)
}
