// Rules and their alerts, as the server evaluates them.
import { json, type Request } from './http.ts'
import { queryRange, type Series, type Span } from './promql.ts'

type AlertState = 'inactive' | 'pending' | 'firing'

export interface Alert {
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  readonly state: AlertState
  readonly activeAt: string
  readonly value: string
}

interface RuleFacts {
  readonly name: string
  readonly query: string
  /** Of `query`. */
  readonly language: 'promql' | 'sql'
  readonly labels: Readonly<Record<string, string>>
  readonly health: 'unknown' | 'ok' | 'err'
  readonly lastError?: string
  /** Seconds. */
  readonly evaluationTime: number
  readonly lastEvaluation: string
}

export type Rule = RuleFacts &
  (
    | { readonly type: 'recording' }
    | {
        readonly type: 'alerting'
        readonly state: AlertState
        /** Seconds. */
        readonly duration: number
        readonly keepFiringFor: number
        readonly annotations: Readonly<Record<string, string>>
        readonly alerts: readonly Alert[]
      }
  )

export interface RuleGroup {
  readonly name: string
  readonly file: string
  /** Seconds. */
  readonly interval: number
  readonly rules: readonly Rule[]
}

export async function ruleGroups(db: string, options: Pick<Request, 'signal'>): Promise<readonly RuleGroup[]> {
  const { groups } = await json<{ groups: readonly RuleGroup[] }>('/v1/alerting/rules', { ...options, query: { db } })
  return groups
}

/** Alerts over time, each state a series of its own. The last step is the end of the span: what has just begun is among them. */
export async function alertHistory(
  { from, to }: Span,
  step: number,
  options: Pick<Request, 'signal'>
): Promise<readonly Series[]> {
  const first = to - Math.floor((to - from) / step) * step
  return (await queryRange('ALERTS', { from: first, to }, step, options)).series
}
