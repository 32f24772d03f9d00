// The run-time state of groups and rules.
import type { Rule, RuleGroup } from '../rule/rule.ts'
import type { Alerts } from './alert.ts'
import type { Written } from './sample.ts'

export interface RuleState {
  readonly rule: Rule
  /** For alerting rules. */
  readonly alerts: Alerts
  /** Series written by the last evaluation, by key. */
  written: ReadonlyMap<string, Written>
  health: 'unknown' | 'ok' | 'err'
  lastError: string
  /** Seconds. */
  evaluationTime: number
  /** Milliseconds since 1970; 0 before the first evaluation. */
  lastEvaluation: number
  /** Whether the state from before the last start was looked up. */
  isRestored: boolean
}

export interface GroupState {
  readonly group: RuleGroup
  readonly rules: readonly RuleState[]
  evaluationTime: number
  lastEvaluation: number
}

/** The state of a group; unchanged rules keep their state from `before`. */
export function groupState(group: RuleGroup, before?: GroupState): GroupState {
  const old = [...(before?.rules ?? [])]
  const rules = group.rules.map((rule): RuleState => {
    const at = old.findIndex(state => sameRule(state.rule, rule))
    if (at < 0) return newState(rule)
    const [known] = old.splice(at, 1)
    return { ...known!, rule }
  })
  return { group, rules, evaluationTime: 0, lastEvaluation: before?.lastEvaluation ?? 0 }
}

/** States of `before` that `after` does not continue. */
export function droppedRules(before: GroupState, after: GroupState | undefined): readonly RuleState[] {
  const kept = new Set(after?.rules.map(({ alerts }) => alerts))
  return before.rules.filter(({ alerts }) => !kept.has(alerts))
}

function newState(rule: Rule): RuleState {
  return {
    rule,
    alerts: new Map(),
    written: new Map(),
    health: 'unknown',
    lastError: '',
    evaluationTime: 0,
    lastEvaluation: 0,
    isRestored: false
  }
}

function sameRule(a: Rule, b: Rule): boolean {
  return a.kind === b.kind && a.name === b.name && JSON.stringify(a.labels) === JSON.stringify(b.labels)
}
