// A metric of one origin: the table it goes to, and the parts its points are made of.
import { type DbError, isDbError, type SeriesName } from '../../../core/index.ts'
import type { MetricMetadata } from '../../services.ts'
import { type Labels, labelsOf } from './labels.ts'
import { plainDecimal } from './number.ts'

/** Field numbers of the OTLP messages that hold points. */
export const pointsField = { gauge: 5, sum: 7, histogram: 9, exponential: 10, summary: 11 } as const
export const temporality = { unspecified: 0, delta: 1, cumulative: 2 } as const

/** The kind of points a metric has, as OTLP describes it. */
export interface MetricKind {
  /** One of `pointsField`. */
  readonly field: number
  readonly temporality: number
  readonly isMonotonic: boolean
}

/** One of the series that a point is stored as: the suffix of its table's name, and its own label. */
interface Part {
  readonly suffix: '' | '_sum' | '_count' | '_bucket'
  readonly label?: { readonly name: 'le' | 'quantile'; readonly value: Uint8Array }
}

/** Indices of the parts that every metric has. */
export const part = { value: 0, sum: 1, count: 2 } as const

/** Encoded bounds of a histogram, and the index of the part of its first bucket. */
interface Bounds {
  readonly bytes: Uint8Array
  readonly first: number
}

/** How many sets of bounds are kept per metric; forgotten ones get new parts when they come again. */
const maxBounds = 16
const maxParts = 100_000

export class Metric {
  /** Unique in the process. */
  readonly id: number
  readonly kind: MetricKind
  readonly metadata: MetricMetadata
  /** Labels all its series have. */
  readonly labels: Labels
  /** Why its points are refused; undefined for a valid metric. */
  readonly problem: DbError | undefined
  /** Whether its metadata is stored. */
  isTold = false
  readonly #parts: Part[] = [{ suffix: '' }, { suffix: '_sum' }, { suffix: '_count' }]
  readonly #bounds: Bounds[] = []
  readonly #quantiles = new Map<number, number>()

  constructor(id: number, kind: MetricKind, metadata: MetricMetadata, labels: Labels, check: (name: string) => void) {
    this.id = id
    this.kind = kind
    this.metadata = metadata
    this.labels = labels
    this.problem = problemOf(() => check(metadata.metric + longestSuffix(kind.field)))
  }

  /** Whether its values are counted since a start time: all kinds but gauges. */
  get counts(): boolean {
    return this.kind.field !== pointsField.gauge
  }

  /** Whether it has the largest number of parts. */
  get isFull(): boolean {
    return this.#parts.length > maxParts
  }

  /** The part of the first bucket of a histogram with these bounds; the other buckets follow. Undefined where the bounds do not ascend. */
  buckets(bytes: Uint8Array, start: number, end: number): number | undefined {
    for (const known of this.#bounds) if (isEqual(known.bytes, bytes, start, end)) return known.first
    const own = new Uint8Array(bytes.subarray(start, end))
    const bounds = new Float64Array(own.buffer, 0, own.length >> 3)
    if (!bounds.every((bound, i) => Number.isFinite(bound) && (i === 0 || bound > bounds[i - 1]!))) return undefined
    const first = this.#parts.length
    for (const bound of [...bounds, Number.POSITIVE_INFINITY]) {
      this.#parts.push({ suffix: '_bucket', label: { name: 'le', value: Buffer.from(plainDecimal(bound)) } })
    }
    if (this.#bounds.length === maxBounds) this.#bounds.shift()
    this.#bounds.push({ bytes: own, first })
    return first
  }

  quantile(value: number): number {
    const known = this.#quantiles.get(value)
    if (known !== undefined) return known
    const label = { name: 'quantile', value: Buffer.from(plainDecimal(value)) } as const
    const added = this.#parts.push({ suffix: '', label }) - 1
    this.#quantiles.set(value, added)
    return added
  }

  /** The series of a part with labels of a point; those of the point win over the metric's. */
  name(number: number, own: Labels): SeriesName {
    const { suffix, label } = this.#parts[number]!
    const labels = new Map([...this.labels, ...own])
    if (label !== undefined) labels.set(label.name, label.value)
    return { table: this.metadata.metric + suffix, labels: labelsOf(labels) }
  }
}

function longestSuffix(field: number): string {
  return field === pointsField.histogram || field === pointsField.summary ? '_bucket' : ''
}

function isEqual(known: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  if (known.length !== end - start) return false
  for (let i = 0; i < known.length; i++) if (known[i] !== bytes[start + i]) return false
  return true
}

function problemOf(check: () => void): DbError | undefined {
  try {
    check()
    return undefined
  } catch (error) {
    if (!isDbError(error)) throw error
    return error
  }
}
