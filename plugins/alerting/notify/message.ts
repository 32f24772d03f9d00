// Messages for receivers: Alertmanager's API v2, and the body of its webhooks.
import type { Alert } from '../evaluate/alert.ts'
import { type Labels, withLabels } from '../evaluate/sample.ts'
import type { AlertRule, RuleGroup } from '../rule/rule.ts'
import type { Message } from './delivery.ts'

export interface Occasion {
  readonly group: RuleGroup
  readonly rule: AlertRule
  /** Milliseconds since 1970. */
  readonly time: number
  /** Milliseconds after which a receiver regards an alert as ended unless it is repeated. */
  readonly validFor: number
  readonly externalURL: string
  /** Added to alerts that have no label of the same name. */
  readonly externalLabels: Labels
}

/** The body for `POST /api/v2/alerts`. */
export function alertmanagerMessage(alerts: readonly Alert[], occasion: Occasion): Message {
  const list = alerts.map(alert => ({
    labels: Object.fromEntries(withLabels(occasion.externalLabels, alert.labels)),
    annotations: alert.annotations,
    startsAt: timeText(alert.firedAt ?? alert.activeAt),
    endsAt: timeText(isOver(alert) ? alert.resolvedAt! : occasion.time + occasion.validFor),
    generatorURL: generatorURL(occasion)
  }))
  return { count: alerts.length, body: JSON.stringify(list) }
}

/** The firing and resolved alerts of one rule. */
export function webhookMessage(alerts: readonly Alert[], occasion: Occasion): Message {
  const { group, rule, externalURL, externalLabels } = occasion
  const list = alerts
    .map(alert => ({ alert, labels: withLabels(externalLabels, alert.labels) }))
    .map(({ alert, labels }) => ({
      status: isOver(alert) ? 'resolved' : 'firing',
      labels: Object.fromEntries(labels),
      annotations: alert.annotations,
      startsAt: timeText(alert.firedAt ?? alert.activeAt),
      endsAt: isOver(alert) ? timeText(alert.resolvedAt!) : '0001-01-01T00:00:00Z',
      generatorURL: generatorURL(occasion),
      fingerprint: fingerprint({ labels })
    }))
  const body = {
    version: '4',
    groupKey: `${group.file}:${group.name}:{alertname=${JSON.stringify(rule.name)}}`,
    truncatedAlerts: 0,
    status: list.some(({ status }) => status === 'firing') ? 'firing' : 'resolved',
    receiver: 'webhook',
    groupLabels: { alertname: rule.name },
    commonLabels: common(list.map(({ labels }) => labels)),
    commonAnnotations: common(list.map(({ annotations }) => annotations)),
    externalURL,
    alerts: list
  }
  return { count: alerts.length, body: JSON.stringify(body) }
}

function isOver({ state }: Alert): boolean {
  return state === 'inactive'
}

export function timeText(time: number): string {
  return new Date(time).toISOString()
}

/** URL that shows the rule's expression. */
function generatorURL({ rule, group, externalURL }: Occasion): string {
  const parameters = new URLSearchParams({ db: group.db, lang: rule.query.kind, q: rule.query.text })
  return `${externalURL.replace(/\/$/, '')}/dashboard/query?${parameters}`
}

function common(all: readonly Readonly<Record<string, string>>[]): Record<string, string> {
  const [first = {}, ...others] = all
  return Object.fromEntries(Object.entries(first).filter(([name, value]) => others.every(each => each[name] === value)))
}

/** Hash of the labels: 64-bit FNV-1a as 16 hexadecimal digits, as in Prometheus. */
export function fingerprint({ labels }: Pick<Alert, 'labels'>): string {
  let [high, low] = [0xcbf29ce4, 0x84222325]
  const add = (byte: number) => {
    // Multiplies by 2^40 + 0x1b3, in 32-bit halves.
    const mixed = (low ^ byte) >>> 0
    const product = mixed * 0x1b3
    high = (Math.imul(high, 0x1b3) + Math.floor(product / 2 ** 32) + (mixed << 8)) >>> 0
    low = product >>> 0
  }
  for (const [name, value] of labels) {
    for (const byte of Buffer.from(name)) add(byte)
    add(0xff)
    for (const byte of Buffer.from(value)) add(byte)
    add(0xff)
  }
  return [high, low].map(half => half.toString(16).padStart(8, '0')).join('')
}
