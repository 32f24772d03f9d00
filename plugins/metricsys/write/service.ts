// The service for other metrics protocols: column names, limits, and writes of histograms, exemplars and metadata.
import { type Core, timeColumn, valueColumn } from '../../../core/index.ts'
import type { AlertingService, MetricsysService } from '../../services.ts'
import { Cardinality, exposeCardinality } from './cardinality.ts'
import { defaultPhysicalTable, exemplarWrites, histogramWrites, metadataWrite } from './columns.ts'
import { checkHistogram } from './histogram.ts'
import { KnownMetadata } from './known-metadata.ts'
import { createMetricsQuota } from './quota.ts'
import { createReceive, type Receive, type WriteOptions } from './receive.ts'
import { SeriesNames } from './series-name.ts'

/** The parts of the service that only the plugin's own routes use. */
interface OwnService extends MetricsysService {
  readonly receive: Receive
  /** Absent where no plugin evaluates rules. */
  rules(): AlertingService | undefined
  close(): Promise<void>
}

export function createService(core: Core, options: WriteOptions): OwnService {
  const cardinality = new Cardinality()
  const metadata = new KnownMetadata(core.store)
  const names = new SeriesNames(core.config.http.is_strict_mode, () =>
    Math.max(minLabels, maxColumns(core.config.limits))
  )
  exposeCardinality(core.metrics, cardinality)
  let rules: AlertingService | undefined
  const receive = createReceive(core, options, { cardinality, metadata, names })
  return {
    receive,
    rules: () => rules,
    serveRules(served) {
      rules = served
    },
    close: receive.close,
    ...{ timeColumn, valueColumn, physicalTable: defaultPhysicalTable },
    checkMetric: name => names.checkMetric(name),
    checkLabel: (name, metric) => names.checkLabel(name, metric),
    countLabels: labels => cardinality.add(labels),
    quota: (db, rows) => createMetricsQuota(core.store, db, rows),
    ...{ histogramWrites, checkHistogram, exemplarWrites },
    *metadataWrite(db, rows) {
      const news = yield* metadata.changed(db, rows)
      if (news.length === 0) return undefined
      return { write: yield* metadataWrite(news, Date.now()), stored: () => metadata.keep(db, news) }
    }
  }
}

/** Labels that any series may have: known ones are taken also when `limits.max_columns` was lowered. */
const minLabels = 10_000

/** Columns that a table may have in any database. A series with more labels fits nowhere. */
function maxColumns({ max_columns, databases }: Core['config']['limits']): number {
  return Object.values(databases).reduce((most, own) => Math.max(most, own.max_columns ?? 0), max_columns)
}
