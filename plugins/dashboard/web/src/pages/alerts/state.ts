// The state of a rule as one word.
import type { Rule } from '../../api/alerts.ts'

type RuleState = 'firing' | 'pending' | 'failing' | 'ok' | 'unknown'

export function stateOf(rule: Rule): RuleState {
  if (rule.health === 'err') return 'failing'
  if (rule.type === 'alerting' && rule.state !== 'inactive') return rule.state
  return rule.health === 'unknown' ? 'unknown' : 'ok'
}

export const stateWords: Readonly<Record<RuleState, string>> = {
  firing: 'firing',
  pending: 'pending',
  failing: 'fails',
  ok: 'ok',
  unknown: 'not yet evaluated'
}
