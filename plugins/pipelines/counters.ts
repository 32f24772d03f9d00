// Counts items that runs drop or skip, by the plugin that asked for the run.
import type { Metrics } from '../../core/index.ts'
import type { PipelineResult } from '../services.ts'

/** `undecoded` of the skipped items had failed before the run. */
type CountResult = (plugin: string, result: PipelineResult, undecoded: number) => void

export function createCounters(metrics: Metrics): CountResult {
  const labels = ['plugin', 'reason']
  const skipped = metrics.counter('svc_items_skipped_total', 'Items left out because of an error.', labels)
  const filtered = metrics.counter('svc_items_filtered_total', 'Items taken out on purpose.', labels)
  return (plugin, result, undecoded) => {
    if (undecoded > 0) skipped.add(undecoded, { plugin, reason: 'decode' })
    const failed = result.skipped.count - undecoded
    if (failed > 0) skipped.add(failed, { plugin, reason: 'pipeline' })
    if (result.filtered > 0) filtered.add(result.filtered, { plugin, reason: 'filter' })
  }
}

/** Times changes of stored pipelines. */
export function createStopwatch(
  metrics: Metrics
): <T>(what: 'create' | 'delete', work: () => Promise<T>) => Promise<T> {
  const family = (what: string, help: string) =>
    metrics.histogram(`svc_pipeline_${what}_duration_seconds`, help, ['success'])
  const families = {
    create: family('create', 'Time to store a pipeline.'),
    delete: family('delete', 'Time to delete a version of a pipeline.')
  }
  return async (what, work) => {
    const began = performance.now()
    let success = 'false'
    try {
      const result = await work()
      success = 'true'
      return result
    } finally {
      families[what].observe((performance.now() - began) / 1000, { success })
    }
  }
}

interface ThreadCounters {
  /** One piece of work has ended: `done`, `failed`, `over_budget` or `cancelled`. */
  end(use: string, result: string): void
  watch(use: string, waiting: () => number): void
}

/** Work of the threads that run pipelines. */
export function countThreads(metrics: Metrics): ThreadCounters {
  const help =
    'Work of the threads that run pipelines, by how it ended; over_budget: [plugins.pipelines] max_request_time, dry_run_max_time.'
  const ended = metrics.counter('svc_pipeline_thread_work_total', help, ['use', 'result'])
  const queues = new Map<string, () => number>()
  metrics.gauge('svc_pipeline_thread_waiting', 'Work that waits for a thread that runs pipelines.', ['use'], gauge => {
    for (const [use, waiting] of queues) gauge.set(waiting(), { use })
  })
  return {
    end: (use, result) => ended.add(1, { use, result }),
    watch(use, waiting) {
      queues.set(use, waiting)
      for (const result of ['done', 'failed', 'over_budget', 'cancelled']) ended.add(0, { use, result })
    }
  }
}
