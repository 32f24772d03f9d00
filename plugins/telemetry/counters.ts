// Counts items left out of requests that were answered with success.
import type { Metrics } from '../../core/index.ts'
import type { TelemetrySignal } from '../services.ts'

export type CountRejected = (what: TelemetrySignal | 'exemplars', rejected: number) => void

export function createCounters(metrics: Metrics): CountRejected {
  const help = 'Spans, data points, exemplars and log records that were left out of requests that were taken otherwise.'
  const counter = metrics.counter('svc_telemetry_items_refused_total', help, ['signal'])
  return (what, rejected) => {
    if (rejected > 0) counter.add(rejected, { signal: what })
  }
}
