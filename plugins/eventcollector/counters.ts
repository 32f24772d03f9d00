// Metrics of what requests leave out.
import type { Metrics } from '../../core/index.ts'

interface Counters {
  /** Events of a request that could not be decoded. */
  skipped(plugin: string, events: number): void
}

export function createCounters(metrics: Metrics): Counters {
  const labels = ['plugin', 'reason']
  const skipped = metrics.counter('svc_items_skipped_total', 'Items left out because of an error.', labels)
  return {
    skipped(plugin, events) {
      if (events > 0) skipped.add(events, { plugin, reason: 'decode' })
    }
  }
}
