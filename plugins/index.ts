// The catalogue: every plugin that comes with the server. The only file that lists plugins.
import type { Catalogue } from '../core/registry.ts'

/** The built-in plugins by name, for `start` of `weir-server/start`. */
export const catalogue: Catalogue = {
  admin: () => import('./admin/index.ts'),
  alerting: () => import('./alerting/index.ts'),
  dashboard: () => import('./dashboard/index.ts'),
  eventcollector: () => import('./eventcollector/index.ts'),
  flows: () => import('./flows/index.ts'),
  ingest: () => import('./ingest/index.ts'),
  jaeger: () => import('./jaeger/index.ts'),
  lineproto: () => import('./lineproto/index.ts'),
  logpush: () => import('./logpush/index.ts'),
  logquery: () => import('./logquery/index.ts'),
  metricsys: () => import('./metricsys/index.ts'),
  pipelines: () => import('./pipelines/index.ts'),
  profiling: () => import('./profiling/index.ts'),
  promql: () => import('./promql/index.ts'),
  slowquery: () => import('./slowquery/index.ts'),
  sql: () => import('./sql/index.ts'),
  telemetry: () => import('./telemetry/index.ts'),
  tsdbput: () => import('./tsdbput/index.ts'),
  vrl: () => import('./vrl/index.ts')
}
