// What pushes leave out, and pushes that are refused, in the metrics.
import { isDbError, type Metrics } from '../../core/index.ts'
import type { Push } from './push.ts'

export interface Counters {
  push(push: Push): void
  /** Counts the error if it is one of ours. */
  refusal(error: unknown): void
}

export function createCounters(metrics: Metrics): Counters {
  const labels = ['plugin', 'reason']
  const skipped = metrics.counter('svc_items_skipped_total', 'Items left out because of an error.', labels)
  const parts = metrics.counter(
    'svc_logpush_parts_dropped_total',
    'Labels and metadata left out of entries because they cannot be read (label, metadata), and texts in which bytes that are no UTF-8 were replaced (utf8).',
    ['reason']
  )
  const refused = metrics.counter('svc_logpush_refused_total', 'Pushes that were refused, by the error.', ['code'])
  return {
    push(push) {
      if (push.skipped > 0) skipped.add(push.skipped, { plugin: 'logpush', reason: 'decode' })
      for (const [reason, count] of Object.entries(push.dropped)) if (count > 0) parts.add(count, { reason })
    },
    refusal(error) {
      if (isDbError(error)) refused.add(1, { code: error.code })
    }
  }
}
