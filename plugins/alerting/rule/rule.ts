// Rules as their files say them.
import type { Template } from '../template/template.ts'

/** What a rule asks: PromQL, or a statement of SQL. */
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
  /** Milliseconds a series has to be in the result before its alert fires. */
  readonly holdFor: number
  /** Milliseconds its alert fires on once the series is gone. */
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
  /** Once in its file. */
  readonly name: string
  readonly db: string
  /** Milliseconds. */
  readonly interval: number
  /** Milliseconds its queries look back behind the time of the evaluation. */
  readonly queryOffset: number
  /** Series one rule may give; 0 is no limit but the server's. */
  readonly limit: number
  readonly rules: readonly Rule[]
}
