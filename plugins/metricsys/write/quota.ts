// Checks limits for native histograms and exemplars. They are stored as rows, but add series, label names and tables like samples.
import type { SeriesName, Store } from '../../../core/index.ts'
import type { MetricsQuota } from '../../services.ts'
import { exemplarTable, exemplarTags } from './columns.ts'

/** Checks a request of at most `rows` rows. Series may name a database other than the request's. */
export function createMetricsQuota(store: Store, db: string, rows: number): MetricsQuota {
  const quota = store.writeQuota(rows)
  return {
    check({ table, database = db, physicalTable: own, labels }: SeriesName, physicalTable) {
      quota.table(database, table, { physicalTable: own ?? physicalTable, columns: [] }).acquire(labels)
    },
    checkExemplar(name) {
      quota.table(name.database ?? db, exemplarTable, { columns: [] }).acquire(exemplarTags(name))
    }
  }
}
