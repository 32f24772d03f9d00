// Metrics of what pushes leave out.
import type { Metrics } from '../../core/index.ts'
import type { Push } from './decode/push.ts'

export interface Counters {
  push(plugin: string, push: Push): void
}

export function createCounters(metrics: Metrics): Counters {
  const labels = ['plugin', 'reason']
  const skipped = metrics.counter('svc_items_skipped_total', 'Items left out because of an error.', labels)
  const parts = metrics.counter(
    'svc_logpush_parts_dropped_total',
    'Labels and metadata left out of entries because they cannot be read (label, metadata), and texts in which bytes that are no UTF-8 were replaced (utf8).',
    ['reason']
  )
  return {
    push(plugin, push) {
      if (push.skipped > 0) skipped.add(push.skipped, { plugin, reason: 'decode' })
      for (const [reason, count] of Object.entries(push.dropped)) if (count > 0) parts.add(count, { reason })
    }
  }
}
