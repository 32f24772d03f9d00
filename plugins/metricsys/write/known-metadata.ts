// Which metadata is stored already: senders repeat all of it every minute.
import { endsStep, type Steps, type Store } from '../../../core/index.ts'
import type { MetricMetadata } from '../../services.ts'
import { metadataTable } from './columns.ts'

/** Metrics whose metadata is remembered. */
const maxKnown = 100_000
/** Metrics handled between two yields to other requests. */
const stepMetrics = 256

export class KnownMetadata {
  readonly #store: Pick<Store, 'table'>
  readonly #known = new Map<string, string>()

  constructor(store: Pick<Store, 'table'>) {
    this.#store = store
  }

  /** Remembers stored metadata. Forgets everything when it holds too many metrics. */
  keep(db: string, metadata: readonly MetricMetadata[]): void {
    if (this.#known.size + metadata.length > maxKnown) this.#known.clear()
    const scope = this.#scopeOf(db)
    for (const each of metadata.slice(0, maxKnown)) this.#known.set(keyOf(scope, each), textOf(each))
  }

  /** The metadata that is new or has changed; of several for one metric the last. */
  *changed(db: string, metadata: readonly MetricMetadata[]): Steps<readonly MetricMetadata[]> {
    const changed = new Map<string, MetricMetadata>()
    for (const [i, each] of metadata.entries()) {
      if (each.metric !== '') changed.set(each.metric, each)
      if (endsStep(i, stepMetrics)) yield
    }
    const scope = this.#scopeOf(db)
    let i = 0
    for (const [metric, each] of changed) {
      if (this.#known.get(keyOf(scope, each)) === textOf(each)) changed.delete(metric)
      if (endsStep(i++, stepMetrics)) yield
    }
    return [...changed.values()]
  }

  /** The table of the metadata: one that is made anew holds none. */
  #scopeOf(db: string): string {
    return `${db}\0${this.#store.table(db, metadataTable)?.id}`
  }
}

function keyOf(scope: string, { metric }: MetricMetadata): string {
  return `${scope}\0${metric}`
}

function textOf({ type, unit, help }: MetricMetadata): string {
  return `${type}\0${unit}\0${help}`
}
