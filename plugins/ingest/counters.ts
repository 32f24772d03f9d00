// Counts rows and times requests of log ingestion by database, successful or not.
import type { Core, RequestContext } from '../../core/index.ts'

/** The measurement of one request. */
interface Observed {
  /** Measures the run of the pipeline. */
  transform<T>(run: () => Promise<T>): Promise<T>
  rows(count: number): void
  /** The request was answered with this status. */
  end(status: number): void
}

export function createCounters({ metrics, store }: Core): { start(ctx: RequestContext): Observed } {
  const rows = metrics.counter('svc_servers_http_logs_ingestion_counter', 'Rows written by `/v1/ingest`.', ['db'])
  const labels = ['db', 'result']
  const ingestion = metrics.histogram('svc_servers_http_logs_ingestion_elapsed', 'Seconds of `/v1/ingest`.', labels)
  const transform = metrics.histogram(
    'svc_servers_http_logs_transform_elapsed',
    'Seconds pipelines took in `/v1/ingest`.',
    labels
  )
  const seconds = (began: number) => (performance.now() - began) / 1000
  return {
    start(ctx) {
      const db = store.label(ctx.db)
      const began = performance.now()
      return {
        rows: count => rows.add(count, { db }),
        end: status => ingestion.observe(seconds(began), { db, result: status < 400 ? 'success' : 'failure' }),
        async transform(run) {
          const started = performance.now()
          try {
            const result = await run()
            transform.observe(seconds(started), { db, result: 'success' })
            return result
          } catch (error) {
            transform.observe(seconds(started), { db, result: 'failure' })
            throw error
          }
        }
      }
    }
  }
}
