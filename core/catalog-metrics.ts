// Metrics of the numbers of databases and tables, computed when they are scraped.
import type { Metrics } from './metrics/metrics.ts'
import type { Store } from './storage/store.ts'

const shown = 100

export function countCatalog(store: Store, metrics: Metrics): void {
  metrics.gauge('svc_catalog_schema_count', 'Databases.', [], gauge => gauge.set(store.databases().length))
  metrics.gauge(
    'svc_catalog_table_count',
    `Tables of a database; all after the first ${shown} databases together as other.`,
    ['db'],
    gauge => {
      let rest = 0
      for (const [i, { name }] of store.databases().entries()) {
        const count = store.tables(name).length
        if (i < shown) gauge.set(count, { db: name })
        else rest += count
      }
      if (rest > 0) gauge.set(rest, { db: 'other' })
    }
  )
}
