// A pipeline as it runs: what compiling a document gives.
import type { ColumnIndex, ColumnType, ItemValue, Semantic, TimeUnit } from '../../core/compute.ts'
import type { Processor } from '../services.ts'
import type { CustomTimeIndex } from './column/time-index.ts'

/** A column that a document lists. */
export interface TransformColumn {
  readonly from: string
  readonly to: string
  readonly type: ColumnType
  readonly semantic: Semantic
  readonly index?: ColumnIndex
  /** What to do with a value that does not fit the type. */
  readonly onFailure: 'error' | 'ignore' | 'default'
  /** In the type's own representation; bigint for 64-bit integers. */
  readonly fallback?: bigint | number | string
  /** Prefix of error messages, for example `transform[1] (line 9)`. */
  readonly where: string
}

export type Transform =
  /** Exactly the listed columns, and a time index made at run time when none of them is one. */
  | { readonly kind: 'listed'; readonly columns: readonly TransformColumn[] }
  /** The listed columns, then every field that none of them reads. */
  | { readonly kind: 'extended'; readonly columns: readonly TransformColumn[] }
  /** The one time field of the processors, then every other field. */
  | { readonly kind: 'inferred'; readonly field: string; readonly unit: TimeUnit }

export interface DispatchRule {
  readonly value: ItemValue
  readonly tableSuffix: string
  /** Absent: the built-in identity pipeline. */
  readonly pipeline?: string
  /** For example `dispatcher.rules[1]`. */
  readonly where: string
}

export interface Dispatcher {
  readonly field: string
  readonly rules: readonly DispatchRule[]
}

/** Literal text and field names by turns: `texts[0] fields[0] texts[1] …`. */
export interface SuffixTemplate {
  readonly texts: readonly string[]
  readonly fields: readonly string[]
}

/** A processor and where it stands in its document. */
export interface Step {
  readonly kind: string
  readonly apply: Processor['apply']
  /** Variables that its options name as what it writes, and as what it reads. */
  readonly writes: readonly string[]
  readonly reads: readonly string[]
  readonly times?: Processor['times']
  /** For example `processors[1] (line 7)`. */
  readonly where: string
}

/** A key of a document that means nothing here. */
export interface DocumentWarning {
  readonly line: number
  readonly key: string
  readonly did_you_mean?: string
  /** Says where the key stands and what is known there. */
  readonly message: string
}

export interface Pipeline {
  readonly processors: readonly Step[]
  readonly dispatcher?: Dispatcher
  readonly suffix?: SuffixTemplate
  readonly transform: Transform
  readonly warnings: readonly DocumentWarning[]
}

/** The built-in pipeline without processors: every field becomes a column. */
export interface Identity {
  readonly kind: 'identity'
  /** How deep objects are flattened. */
  readonly maxNestedLevels: number
  /** Absent: the time index is `svc_timestamp`, the current time. */
  readonly timeIndex?: CustomTimeIndex
  /** An unusable time becomes the current time. */
  readonly lenientTime: boolean
}
