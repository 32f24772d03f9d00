// The state machine of a rule's alerts, from one evaluation to the next. Without side effects: the caller queries and writes.

import { mapPaced, type Pace } from '../../../core/index.ts'
import { reasonOf } from '../reason.ts'
import type { AlertRule } from '../rule/rule.ts'
import { type Template, type TemplateData, Unanswered } from '../template/template.ts'
import type { Value } from '../template/value.ts'
import { keyOf, type Labels, labelsOf, metricName, type Sample, withLabels } from './sample.ts'

/** Milliseconds a resolved alert is kept, so that its end can be sent again. */
const resolvedRetention = 15 * 60_000

export interface Alert {
  readonly labels: Labels
  annotations: Readonly<Record<string, string>>
  state: 'pending' | 'firing' | 'inactive'
  value: number
  /** Times are milliseconds since 1970. */
  activeAt: number
  firedAt?: number
  resolvedAt?: number
  keepFiringSince?: number
  /** When Alertmanagers were last notified; they need regular repetition. */
  sentAt?: number
  /** The last state sent to webhooks. */
  told?: 'firing' | 'inactive'
  /** Restored, and possibly another rule's alert: dropped if the first evaluation does not find it. */
  isDoubtful?: boolean
}

/** Keyed by label set. */
export type Alerts = Map<string, Alert>

/** The alerts an evaluation found, keyed by label set. */
interface FoundAlerts {
  readonly alerts: ReadonlyMap<string, Alert>
  /** Errors of templates that could not be filled in. */
  readonly failures: readonly string[]
}

interface FillOptions {
  /** Milliseconds since 1970. */
  readonly time: number
  readonly externalURL: string
  readonly externalLabels: Readonly<Record<string, string>>
  /** Runs a query of a template; each text is run once. */
  ask(text: string): Promise<readonly Sample[]>
}

/** The alerts of an evaluation, with filled-in templates. Throws Error if two series have the same labels. */
export async function findAlerts(
  rule: AlertRule,
  samples: readonly Sample[],
  options: FillOptions,
  pace: Pace
): Promise<FoundAlerts> {
  const failures: string[] = []
  const alerts = new Map<string, Alert>()
  const answers = new Map<string, Value>()
  for (const sample of samples) {
    const alert = await alertOf(rule, sample, options, answers, failures)
    const key = keyOf(alert.labels)
    if (alerts.has(key)) throw new Error('vector contains metrics with the same labelset after applying alert labels')
    alerts.set(key, alert)
    if (pace.isDue) await pace.pause()
  }
  return { alerts, failures }
}

/**
 * Updates the alerts by what was found at `time`; returns the pending and firing ones. If there are more than `limit`, drops all and throws
 * Error.
 */
export function stepAlerts(
  rule: AlertRule,
  alerts: Alerts,
  found: ReadonlyMap<string, Alert>,
  { time, limit }: { readonly time: number; readonly limit: number }
): readonly Alert[] {
  for (const [key, alert] of found) {
    const known = alerts.get(key)
    if (known === undefined || known.state === 'inactive') alerts.set(key, alert)
    else {
      known.value = alert.value
      known.annotations = alert.annotations
      delete known.isDoubtful
    }
  }
  const active: Alert[] = []
  for (const [key, alert] of alerts) {
    if (alert.isDoubtful === true) {
      alerts.delete(key)
      continue
    }
    if (found.has(key)) delete alert.keepFiringSince
    else if (!keepsFiring(rule, alert, time)) {
      const isOld = alert.resolvedAt !== undefined && time - alert.resolvedAt > resolvedRetention
      if (alert.state === 'pending' || isOld) alerts.delete(key)
      if (alert.state !== 'inactive') {
        alert.state = 'inactive'
        alert.resolvedAt = time
      }
      continue
    }
    if (alert.state === 'pending' && time - alert.activeAt >= rule.holdFor) {
      alert.state = 'firing'
      alert.firedAt = time
    }
    active.push(alert)
  }
  if (limit > 0 && active.length > limit) {
    alerts.clear()
    throw new Error(`exceeded limit of ${limit} with ${active.length} alerts`)
  }
  return active
}

function keepsFiring({ keepFiringFor }: AlertRule, alert: Alert, time: number): boolean {
  if (alert.state !== 'firing' || keepFiringFor === 0) return false
  alert.keepFiringSince ??= time
  return time - alert.keepFiringSince < keepFiringFor
}

async function alertOf(
  rule: AlertRule,
  sample: Sample,
  { time, externalURL, externalLabels, ask }: FillOptions,
  answers: Map<string, Value>,
  failures: string[]
): Promise<Alert> {
  const { labels: own, value } = sample
  const data = { labels: Object.fromEntries(own), value, externalURL, externalLabels, answers }
  const fill = async ([name, template]: AlertRule['templates']['labels'][number]) => {
    try {
      return [name, await fillIn(template, data, ask)] as const
    } catch (error) {
      failures.push(`${rule.location}: ${name}: ${reasonOf(error)}`)
      return [name, `<error expanding template: ${reasonOf(error)}>`] as const
    }
  }
  const fillAll = async (templates: AlertRule['templates']['labels']) => {
    const filled: (readonly [string, string])[] = []
    for (const each of templates) filled.push(await fill(each))
    return filled
  }
  const labels = withLabels(sample.labels, [
    [metricName, ''],
    ...(await fillAll(rule.templates.labels)),
    ['alertname', rule.name]
  ])
  const annotations = Object.fromEntries(await fillAll(rule.templates.annotations))
  return { labels, annotations, state: 'pending', value: sample.value, activeAt: time }
}

/** Fills in a template, repeatedly: each time it needs a query's answer, runs the query and starts again. */
async function fillIn(
  template: Template,
  data: TemplateData & { readonly answers: Map<string, Value> },
  ask: FillOptions['ask']
): Promise<string> {
  for (;;) {
    try {
      return template(data)
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error
      const samples = await ask(error.query)
      data.answers.set(
        error.query,
        samples.map(({ labels, value }) => ({ Labels: Object.fromEntries(labels), Value: value }))
      )
    }
  }
}

/** The series that store the states: which alerts are active, and since when. */
export async function alertSamples(alerts: readonly Alert[], pace: Pace): Promise<readonly Sample[]> {
  const pairs = await mapPaced(pace, alerts, ({ labels, state, activeAt }): Sample[] => [
    {
      labels: withLabels(labels, [
        [metricName, 'ALERTS'],
        ['alertstate', state]
      ]),
      value: 1
    },
    { labels: withLabels(labels, [[metricName, 'ALERTS_FOR_STATE']]), value: Math.floor(activeAt / 1_000) }
  ])
  return pairs.flat()
}

/** Labels of an alert, made from those of its series. */
export function alertLabels(labels: Iterable<readonly [string, string]>): Labels {
  return labelsOf([...labels].filter(([name]) => name !== metricName && name !== 'alertstate'))
}
