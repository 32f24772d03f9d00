// The service for other metrics protocols: column names, limits, and writes of histograms, exemplars and metadata.
import { type Core, timeColumn, valueColumn } from '../../../core/index.ts'
import type { AlertingService, MetricsysService } from '../../services.ts'
import { Cardinality, exposeCardinality } from './cardinality.ts'
import { defaultPhysicalTable, exemplarWrites, histogramWrites, metadataWrite } from './columns.ts'
import { checkHistogram } from './histogram.ts'
import { KnownMetadata } from './known-metadata.ts'
import type { LabelLimits } from './labels.ts'
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
  const names = new SeriesNames(core.config.http.is_strict_mode, () => labelLimits(core.config.limits))
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

/** Tags of the largest length, of which a series with longer labels fits into no table. */
const maxTags = 64

/** What a series may have in any database. */
function labelLimits({ databases, ...common }: Core['config']['limits']): LabelLimits {
  const most = (key: 'max_columns' | 'max_tag_length') =>
    Object.values(databases).reduce((most, own) => Math.max(most, own[key] ?? 0), common[key])
  return { labels: Math.max(minLabels, most('max_columns')), bytes: maxTags * most('max_tag_length') }
}
