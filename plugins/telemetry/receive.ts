// One request of a signal: from its bytes to what the store has taken.
import type { Core } from '../../core/index.ts'
import type { MetricsysService, PipelinesService, TelemetryService } from '../services.ts'
import { createCounters } from './counters.ts'
import { createReceiveLogs, type LogsOptions } from './logs/receive.ts'
import { createReceiveMetrics, type MetricsOptions } from './metrics/receive.ts'
import { createReceiveTraces, type TracesOptions } from './traces/receive.ts'

/** The plugins that store metrics and run pipelines; undefined where one is off. */
interface Neighbours {
  readonly metricsys: MetricsysService | undefined
  readonly pipelines: PipelinesService | undefined
}

export function createReceive(
  core: Core,
  options: LogsOptions & MetricsOptions & TracesOptions,
  { metricsys, pipelines }: Neighbours
): TelemetryService['receive'] {
  const count = createCounters(core.metrics)
  const receivers = {
    metrics: createReceiveMetrics(core, options, metricsys, count),
    traces: createReceiveTraces(core, options),
    logs: createReceiveLogs(core, options, pipelines)
  }
  return async (signal, request) => {
    core.store.requireDatabase(request.ctx.db)
    const taken = await receivers[signal](request)
    count(signal, taken.rejected)
    return taken
  }
}
