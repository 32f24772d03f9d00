// Metrics of the plugin.
import type { Core, Counter, Histogram } from '../../core/index.ts'

export interface Counters {
  readonly evaluations: Counter
  readonly missed: Counter
  readonly duration: Histogram
  readonly samples: Counter
  readonly templateFailures: Counter
  readonly notifications: Counter
}

export interface Counted {
  readonly groups: number
  readonly rules: { readonly alert: number; readonly record: number }
  readonly alerts: { readonly pending: number; readonly firing: number }
  /** Alerts in the delivery queue. */
  readonly waiting: number
}

export function createCounters({ metrics }: Pick<Core, 'metrics'>, counted: () => Counted): Counters {
  const gauge = (name: string, help: string, value: (counted: Counted) => number) =>
    metrics.gauge(name, help, [], gauge => gauge.set(value(counted())))
  gauge('svc_alerting_groups', 'Groups of rules.', ({ groups }) => groups)
  metrics.gauge('svc_alerting_rules', 'Rules.', ['kind'], gauge => {
    for (const [kind, count] of Object.entries(counted().rules)) gauge.set(count, { kind })
  })
  metrics.gauge('svc_alerting_alerts', 'Pending and firing alerts.', ['state'], gauge => {
    for (const [state, count] of Object.entries(counted().alerts)) gauge.set(count, { state })
  })
  gauge('svc_alerting_notifications_waiting', 'Alerts in the delivery queues of receivers.', ({ waiting }) => waiting)
  return {
    evaluations: metrics.counter('svc_alerting_evaluations_total', 'Evaluations of rules.', ['result']),
    missed: metrics.counter(
      'svc_alerting_evaluations_missed_total',
      'Intervals in which a group was not evaluated, because its previous evaluation was still running.'
    ),
    duration: metrics.histogram('svc_alerting_evaluation_duration_seconds', 'Seconds an evaluation of a group takes.'),
    samples: metrics.counter('svc_alerting_samples_total', 'Samples that rules wrote.'),
    templateFailures: metrics.counter(
      'svc_alerting_template_failures_total',
      'Templates of labels and annotations that could not be filled in.'
    ),
    notifications: metrics.counter(
      'svc_alerting_notifications_total',
      'Alerts sent to receivers, by result: `sent`, `refused` by the receiver, `expired` after retries, `dropped` from a full queue.',
      ['receiver', 'result']
    )
  }
}
