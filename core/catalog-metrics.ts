// Metrics of the numbers of databases and tables, computed when they are scraped.
import type { Metrics } from './metrics/metrics.ts'
import type { Store } from './storage/store.ts'

export function countCatalog(store: Store, metrics: Metrics): void {
  metrics.gauge('svc_catalog_schema_count', 'Databases.', [], gauge => gauge.set(store.databases().length))
  metrics.gauge(
    'svc_catalog_table_count',
    'Tables of a database; those of databases beyond the first hundred together as other.',
    ['db'],
    gauge => {
      const counts = new Map<string, number>()
      for (const { name } of store.databases()) {
        const db = store.label(name)
        counts.set(db, (counts.get(db) ?? 0) + store.tables(name).length)
      }
      for (const [db, count] of counts) gauge.set(count, { db })
    }
  )
}
