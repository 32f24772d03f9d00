// The states of a rule's alerts, from one evaluation to the next. Pure: whoever calls it asks and writes.

import { eachPaced, mapPaced, type Pace } from '../../../core/index.ts'
import { reasonOf } from '../reason.ts'
import type { AlertRule } from '../rule/rule.ts'
import { keyOf, type Labels, labelsOf, metricName, type Sample, withLabels } from './sample.ts'

/** Milliseconds an alert that has ended is still known, so that its end can be told again. */
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
  /** When Alertmanagers, which want to hear of it again and again, were told last. */
  sentAt?: number
  /** What others were told last. */
  told?: 'firing' | 'inactive'
  /** Restored, and perhaps another rule's: when the first evaluation does not find it, it is forgotten. */
  isDoubtful?: boolean
}

/** By label set. */
export type Alerts = Map<string, Alert>

/** What an evaluation found, by label set. */
export interface FoundAlerts {
  readonly alerts: ReadonlyMap<string, Alert>
  /** Templates that could not be filled in. */
  readonly failures: readonly string[]
}

/** The alerts of an evaluation at `time`, their templates filled in. Throws Error when two series have the same labels. */
export async function findAlerts(
  rule: AlertRule,
  samples: readonly Sample[],
  { time, externalURL }: { readonly time: number; readonly externalURL: string },
  pace: Pace
): Promise<FoundAlerts> {
  const failures: string[] = []
  const alerts = new Map<string, Alert>()
  await eachPaced(pace, samples, sample => {
    const alert = alertOf(rule, sample, time, externalURL, failures)
    const key = keyOf(alert.labels)
    if (alerts.has(key)) throw new Error('vector contains metrics with the same labelset after applying alert labels')
    alerts.set(key, alert)
  })
  return { alerts, failures }
}

/**
 * Takes what was found at `time` into account; returns the alerts that are pending or fire. Throws Error, with no alerts left, when there
 * are more than `limit`.
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

function alertOf(rule: AlertRule, sample: Sample, time: number, externalURL: string, failures: string[]): Alert {
  const data = { labels: Object.fromEntries(sample.labels), value: sample.value, externalURL }
  const fill = ([name, template]: AlertRule['templates']['labels'][number]) => {
    try {
      return [name, template(data)] as const
    } catch (error) {
      failures.push(`${rule.place}: ${name}: ${reasonOf(error)}`)
      return [name, `<error expanding template: ${reasonOf(error)}>`] as const
    }
  }
  const labels = withLabels(sample.labels, [
    [metricName, ''],
    ...rule.templates.labels.map(fill),
    ['alertname', rule.name]
  ])
  const annotations = Object.fromEntries(rule.templates.annotations.map(fill))
  return { labels, annotations, state: 'pending', value: sample.value, activeAt: time }
}

/** The series that keep the states: what is active, and since when. */
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

/** Labels of an alert, from those of its series. */
export function alertLabels(labels: Iterable<readonly [string, string]>): Labels {
  return labelsOf([...labels].filter(([name]) => name !== metricName && name !== 'alertstate'))
}
