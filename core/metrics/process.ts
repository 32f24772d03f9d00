// Metrics of the process: version and limits.
import { availableParallelism, totalmem } from 'node:os'
import { version } from '../version.ts'
import type { Metrics } from './metrics.ts'

export function describeProcess(metrics: Metrics): void {
  metrics
    .gauge('svc_app_version', 'Always 1; the version is in the labels.', ['version', 'short_version', 'app'])
    .set(1, { version, short_version: version.replace(/^(\d+\.\d+).*/, '$1'), app: 'weir' })
  metrics
    .gauge('svc_cpu_limit_in_millicores', 'Thousandths of processors the process may use.')
    .set(availableParallelism() * 1000)
  metrics
    .gauge('svc_memory_limit_in_bytes', 'Memory the process may use.')
    .set(Math.min(process.constrainedMemory() || totalmem(), totalmem()))
}
