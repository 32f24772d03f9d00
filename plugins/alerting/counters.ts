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

export function createCounters({ metrics }: Pick<Core, 'metrics'>, look: () => Counted): Counters {
  const gauge = (name: string, help: string, value: (counted: Counted) => number) =>
    metrics.gauge(name, help, [], gauge => gauge.set(value(look())))
  gauge('svc_alerting_groups', 'Groups of rules.', ({ groups }) => groups)
  metrics.gauge('svc_alerting_rules', 'Rules.', ['kind'], gauge => {
    for (const [kind, count] of Object.entries(look().rules)) gauge.set(count, { kind })
  })
  metrics.gauge('svc_alerting_alerts', 'Alerts that are pending or fire.', ['state'], gauge => {
    for (const [state, count] of Object.entries(look().alerts)) gauge.set(count, { state })
  })
  gauge('svc_alerting_notifications_waiting', 'Alerts that wait to be told to a receiver.', ({ waiting }) => waiting)
  return {
    evaluations: metrics.counter('svc_alerting_evaluations_total', 'Evaluations of rules.', ['result']),
    missed: metrics.counter(
      'svc_alerting_evaluations_missed_total',
      'Intervals of groups that went by without an evaluation, because the one before had not ended.'
    ),
    duration: metrics.histogram('svc_alerting_evaluation_duration_seconds', 'Seconds an evaluation of a group takes.'),
    samples: metrics.counter('svc_alerting_samples_total', 'Samples that rules wrote.'),
    templateFailures: metrics.counter(
      'svc_alerting_template_failures_total',
      'Templates of labels and annotations that could not be filled in.'
    ),
    notifications: metrics.counter(
      'svc_alerting_notifications_total',
      'Alerts told to receivers: `sent`; `refused` by the receiver; `expired`, tried for too long; `dropped`, because too many waited.',
      ['receiver', 'result']
    )
  }
}
