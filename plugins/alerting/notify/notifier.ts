// Notifies receivers of alerts: Alertmanagers repeatedly, webhooks at changes.
import { type Logger, Pace } from '../../../core/index.ts'
import type { Counters } from '../counters.ts'
import type { Alert } from '../evaluate/alert.ts'
import { readExternalLabels } from '../external-labels.ts'
import type { AlertRule, RuleGroup } from '../rule/rule.ts'
import { createDelivery, type Delivery, type DeliveryOptions } from './delivery.ts'
import { alertmanagerMessage, type Occasion, webhookMessage } from './message.ts'

export interface NotifyOptions extends DeliveryOptions {
  readonly alertmanagers: readonly string[]
  readonly webhooks: readonly string[]
  /** Milliseconds. */
  readonly resend_delay: number
  readonly external_url: string
  readonly external_labels: readonly string[]
}

interface Notifier {
  notify(group: RuleGroup, rule: AlertRule, alerts: Iterable<Alert>, time: number): Promise<void>
  waiting(): number
  close(): Promise<void>
}

/** Maximum alerts per message. */
const batch = 64
/** Milliseconds for a last delivery attempt when the server stops. */
const lastWords = 2_000
/** Never fires: notifications are not cancelled. */
const never = new AbortController().signal

export function createNotifier(options: NotifyOptions, counters: Counters, log: Logger): Notifier {
  const deliver = (kind: 'alertmanager' | 'webhook') => (url: string) =>
    createDelivery({ kind, url }, options, counters, log)
  const alertmanagers = options.alertmanagers.map(url =>
    deliver('alertmanager')(`${url.replace(/(?<!\/)\/+$/, '')}/api/v2/alerts`)
  )
  const webhooks = options.webhooks.map(deliver('webhook'))
  const all = [...alertmanagers, ...webhooks]
  const send = async (
    receivers: readonly Delivery[],
    alerts: readonly Alert[],
    occasion: Occasion,
    message: typeof webhookMessage
  ) => {
    const pace = new Pace({ signal: never })
    for (let at = 0; at < alerts.length && receivers.length > 0; at += batch) {
      const made = message(alerts.slice(at, at + batch), occasion)
      for (const receiver of receivers) receiver.add(made)
      if (pace.isDue) await pace.pause()
    }
  }
  return {
    async notify(group, rule, alerts, time) {
      if (all.length === 0) return
      const known = [...alerts]
      const validFor = 4 * Math.max(group.interval, options.resend_delay)
      const externalLabels = readExternalLabels(options.external_labels)
      const occasion = { group, rule, time, validFor, externalURL: options.external_url, externalLabels }
      const due = known.filter(alert => isDue(alert, time, options.resend_delay))
      const changed = known.filter(({ state, told }) => state !== 'pending' && state !== told)
      for (const alert of due) alert.sentAt = time
      for (const alert of changed) alert.told = alert.state as 'firing' | 'inactive'
      await send(alertmanagers, due, occasion, alertmanagerMessage)
      await send(webhooks, changed, occasion, webhookMessage)
    },
    waiting: () => all.reduce((sum, receiver) => sum + receiver.waiting(), 0),
    close: async () => {
      await Promise.all(all.map(receiver => receiver.close(lastWords)))
    }
  }
}

function isDue({ state, resolvedAt, sentAt }: Alert, time: number, resendDelay: number): boolean {
  if (state === 'pending') return false
  if (sentAt === undefined || (state === 'inactive' && resolvedAt! > sentAt)) return true
  return time - sentAt > resendDelay
}
