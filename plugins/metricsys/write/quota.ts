// The room for what goes to the store as rows: native histograms and exemplars make series, label names and tables, too.
import type { SeriesName, Store } from '../../../core/index.ts'
import type { MetricsQuota } from '../../services.ts'
import { exemplarTable, exemplarTags } from './columns.ts'

/** For at most so many rows that come to a database, and to those their series name. */
export function createMetricsQuota(store: Store, db: string, rows: number): MetricsQuota {
  const quota = store.writeQuota(rows)
  return {
    check({ table, database = db, physicalTable: own, labels }: SeriesName, physicalTable) {
      quota.table(database, table, { physicalTable: own ?? physicalTable, columns: [] }).take(labels)
    },
    checkExemplar(name) {
      quota.table(name.database ?? db, exemplarTable, { columns: [] }).take(exemplarTags(name))
    }
  }
}
