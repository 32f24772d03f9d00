// Rules as they are defined in files.
import type { Template } from '../template/template.ts'

/** A rule's query: PromQL, or an SQL statement. */
export interface RuleQuery {
  readonly kind: 'promql' | 'sql'
  readonly text: string
}

interface RuleBase {
  readonly name: string
  readonly query: RuleQuery
  /** By name. */
  readonly labels: Readonly<Record<string, string>>
  /** `FILE:LINE: group …, rule …`, for messages. */
  readonly location: string
}

export interface RecordRule extends RuleBase {
  readonly kind: 'record'
}

export interface AlertRule extends RuleBase {
  readonly kind: 'alert'
  /** Milliseconds a series must be in the result before its alert fires (`for`). */
  readonly holdFor: number
  /** Milliseconds an alert keeps firing after its series is gone. */
  readonly keepFiringFor: number
  readonly annotations: Readonly<Record<string, string>>
  readonly templates: {
    readonly labels: readonly (readonly [name: string, template: Template])[]
    readonly annotations: readonly (readonly [name: string, template: Template])[]
  }
}

export type Rule = AlertRule | RecordRule

export interface RuleGroup {
  readonly file: string
  /** Unique in its file. */
  readonly name: string
  readonly db: string
  /** Milliseconds. */
  readonly interval: number
  /** Milliseconds by which its queries look into the past. */
  readonly queryOffset: number
  /** Maximum series per rule; 0 means the server's limit only. */
  readonly limit: number
  readonly rules: readonly Rule[]
}
