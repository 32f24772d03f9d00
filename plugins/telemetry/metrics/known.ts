// Metrics that were seen before, by the bytes of their resource, scope and description, so that names and labels are computed once.
import type { MetricMetadata } from '../../services.ts'
import type { Labels } from './labels.ts'
import { Metric, type MetricKind } from './metric.ts'

/** Largest number of cached metrics, about a kilobyte each; beyond it the cache is emptied. */
const maxMetrics = 100_000
/** Largest number of characters of all keys. */
const maxTextBytes = 64 << 20

/** A resource with a scope, under one policy. */
export interface Origin {
  readonly labels: Labels
  readonly metrics: Map<string, Metric>
}

/** The known metrics of one database, physical table and policy. */
export interface KnownOfScope {
  origin(resource: string, scope: string, labels: () => Labels): Origin
  /** `key`: the bytes of its description, and its kind. */
  metric(origin: Origin, key: string, kind: MetricKind, metadata: () => MetricMetadata): Metric
}

export class KnownMetrics {
  #origins = new Map<string, Map<string, Map<string, Origin>>>()
  #count = 0
  #text = 0
  #lastId = 0

  /**
   * `cacheScope`: a key for the database, physical table and policy of a request. `checkMetric` throws DbError for an invalid name of a new
   * metric.
   */
  within(cacheScope: string, checkMetric: (name: string) => void): KnownOfScope {
    return {
      origin: (resource, scope, labels) => this.#origin(cacheScope, resource, scope, labels),
      metric: (origin, key, kind, metadata) => this.#metric(origin, key, kind, metadata, checkMetric)
    }
  }

  #origin(cacheScope: string, resource: string, scope: string, labels: () => Labels): Origin {
    if (this.#count > maxMetrics || this.#text > maxTextBytes) this.#forget()
    const scopes = this.#inner(this.#inner(this.#origins, cacheScope), resource)
    let origin = scopes.get(scope)
    if (origin === undefined) {
      origin = { labels: labels(), metrics: new Map() }
      this.#count++
      this.#text += scope.length
      scopes.set(scope, origin)
    }
    return origin
  }

  #metric(
    { labels, metrics }: Origin,
    key: string,
    kind: MetricKind,
    metadata: () => MetricMetadata,
    check: (name: string) => void
  ): Metric {
    const known = metrics.get(key)
    if (known !== undefined && !known.isFull) return known
    // Ids are 32 bits; the store has forgotten a series long before its id is used again.
    this.#lastId = (this.#lastId + 1) | 0
    const metric = new Metric(this.#lastId, kind, metadata(), labels, check)
    this.#count++
    this.#text += key.length
    metrics.set(key, metric)
    return metric
  }

  #inner<T>(maps: Map<string, Map<string, T>>, key: string): Map<string, T> {
    let map = maps.get(key)
    if (map === undefined) {
      map = new Map()
      this.#text += key.length
      maps.set(key, map)
    }
    return map
  }

  #forget(): void {
    this.#origins = new Map()
    this.#count = 0
    this.#text = 0
  }
}
