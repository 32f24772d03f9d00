// Restores a rule's alerts after a restart, from the series that store their states.
import type { RequestContext } from '../../../core/index.ts'
import type { PromqlService } from '../../services.ts'
import type { AlertRule } from '../rule/rule.ts'
import { type Alert, type Alerts, alertLabels } from './alert.ts'
import { keyOf } from './sample.ts'

interface RestoreOptions {
  /** Milliseconds since 1970. */
  readonly time: number
  /** States older than this (milliseconds) are ignored. */
  readonly tolerance: number
  /** Whether no other rule has alerts of this name with these labels; if so, a missing alert has ended. */
  readonly isAlone: boolean
}

/** Pending alerts keep the time they were pending; the downtime does not count. Firing alerts continue to fire. Throws DbError. */
export async function restoreAlerts(
  promql: PromqlService,
  ctx: RequestContext,
  rule: AlertRule,
  { time, tolerance, isAlone }: RestoreOptions
): Promise<Alerts> {
  const selector = `{${matchers(rule)}}`
  const ask = async (text: string) => {
    const result = await promql.query(ctx, { text, start: time, end: time, lookback: tolerance })
    return [...result.samples()]
  }
  const since = await ask(`ALERTS_FOR_STATE${selector}`)
  if (since.length === 0) return new Map()
  const seen = new Map(
    (await ask(`timestamp(ALERTS_FOR_STATE${selector})`)).map(({ labels, value }) => [
      keyOfLabels(labels),
      value! * 1_000
    ])
  )
  const firing = new Set((await ask(`ALERTS${selector} == 1`)).flatMap(({ labels }) => firingKey(labels)))
  const alerts: Alerts = new Map()
  for (const { labels: all, value } of since) {
    const labels = alertLabels(Object.entries(all))
    const key = keyOf(labels)
    const activeAt = value! * 1_000
    const isFiring = firing.has(key)
    const remains = rule.holdFor - ((seen.get(key) ?? time) - activeAt)
    const alert: Alert = {
      labels,
      annotations: {},
      state: isFiring ? 'firing' : 'pending',
      value: Number.NaN,
      activeAt: isFiring || remains <= 0 ? activeAt : activeAt + time - (seen.get(key) ?? time),
      ...(isFiring && { firedAt: activeAt + rule.holdFor }),
      ...(!isAlone && { isDoubtful: true })
    }
    alerts.set(key, alert)
  }
  return alerts
}

/** Matchers for the alert's name and its constant labels. */
export function matchers({ name, labels }: AlertRule): string {
  const fixed = Object.entries(labels).filter(
    ([label, value]) => value !== '' && !value.includes('{{') && label !== 'alertname'
  )
  return [['alertname', name], ...fixed]
    .map(([label, value]) => `${quoted(label!)}=${JSON.stringify(value)}`)
    .join(', ')
}

function quoted(label: string): string {
  return /^[a-zA-Z_]\w*$/.test(label) ? label : JSON.stringify(label)
}

function keyOfLabels(labels: Readonly<Record<string, string>>): string {
  return keyOf(alertLabels(Object.entries(labels)))
}

function firingKey(labels: Readonly<Record<string, string>>): string[] {
  return labels['alertstate'] === 'firing' ? [keyOfLabels(labels)] : []
}
