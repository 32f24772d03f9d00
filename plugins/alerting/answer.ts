// Rules and alerts as the Prometheus API returns them.
import type { PromqlService, RuleFilter } from '../services.ts'
import type { Alert } from './evaluate/alert.ts'
import type { GroupState, RuleState } from './evaluate/state.ts'
import { timeText } from './notify/message.ts'
import { printNumber } from './template/value.ts'

type Format = Pick<PromqlService, 'format'> | undefined

export function describeGroups(states: readonly GroupState[], filter: RuleFilter, promql: Format) {
  return states
    .filter(({ group }) => isWanted(filter.db && [filter.db], group.db))
    .filter(({ group }) => isWanted(filter.groups, group.name) && isWanted(filter.files, group.file))
    .map(({ group, rules, evaluationTime, lastEvaluation }) => ({
      name: group.name,
      file: group.file,
      db: group.db,
      rules: rules
        .filter(
          ({ rule }) => (filter.kind === undefined || rule.kind === filter.kind) && isWanted(filter.names, rule.name)
        )
        .map(state => describeRule(state, filter.withoutAlerts === true, promql)),
      interval: group.interval / 1_000,
      limit: group.limit,
      evaluationTime,
      lastEvaluation: timeOf(lastEvaluation)
    }))
    .filter(({ rules }) => rules.length > 0)
}

export function describeAlerts(states: readonly GroupState[], db: string | undefined) {
  return states
    .filter(({ group }) => isWanted(db === undefined ? undefined : [db], group.db))
    .flatMap(({ rules }) => rules.flatMap(({ alerts }) => activeOf(alerts.values())))
}

function describeRule(state: RuleState, withoutAlerts: boolean, promql: Format) {
  const { rule, alerts, health, lastError, evaluationTime, lastEvaluation } = state
  const { kind, text } = rule.query
  const facts = {
    health,
    ...(lastError !== '' && { lastError }),
    evaluationTime,
    lastEvaluation: timeOf(lastEvaluation),
    language: kind
  }
  const query = kind === 'promql' ? (promql?.format(text) ?? text) : text
  if (rule.kind === 'record') return { name: rule.name, query, labels: rule.labels, ...facts, type: 'recording' }
  const active = activeOf(alerts.values())
  return {
    state: ['firing', 'pending'].find(state => active.some(alert => alert.state === state)) ?? 'inactive',
    name: rule.name,
    query,
    duration: rule.holdFor / 1_000,
    keepFiringFor: rule.keepFiringFor / 1_000,
    labels: rule.labels,
    annotations: rule.annotations,
    alerts: withoutAlerts ? [] : active,
    ...facts,
    type: 'alerting'
  }
}

function activeOf(alerts: Iterable<Alert>) {
  return [...alerts]
    .filter(({ state }) => state !== 'inactive')
    .map(({ labels, annotations, state, activeAt, keepFiringSince, value }) => ({
      labels: Object.fromEntries(labels),
      annotations,
      state,
      activeAt: timeText(activeAt),
      ...(keepFiringSince !== undefined && { keepFiringSince: timeText(keepFiringSince) }),
      value: exponentText(value)
    }))
}

/** Formats a float as `1.5e+00`. */
function exponentText(value: number): string {
  if (!Number.isFinite(value)) return printNumber(value)
  return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2')
}

function timeOf(time: number): string {
  return time === 0 ? '0001-01-01T00:00:00Z' : timeText(time)
}

function isWanted(wanted: readonly string[] | '' | undefined, name: string): boolean {
  return wanted === undefined || wanted === '' || wanted.length === 0 || wanted.includes(name)
}
