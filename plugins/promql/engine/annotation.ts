// Annotations of a result: warnings and infos, each with a position in the query.
import type { Expr } from '../language/ast.ts'
import { position } from '../language/error.ts'
import { quote } from '../language/literal.ts'
import { formatFloat } from './number.ts'

/** Classic histogram buckets whose counts were raised because they were not monotonic. */
interface ForcedBuckets {
  /** Lowest and highest bound, and the largest correction. */
  readonly from: number
  readonly to: number
  readonly difference: number
  /** Times of the first and the last step, milliseconds. */
  readonly first: number
  readonly last: number
  readonly samples: number
}

interface ForcedInfo {
  readonly where: Expr
  readonly message: string
  readonly about: string | undefined
  readonly forced: ForcedBuckets
}

/** Collects each text once. */
export class Annotations {
  readonly #text: string
  readonly #warnings = new Set<string>()
  readonly #infos = new Set<string>()
  readonly #forced = new Map<string, ForcedInfo>()

  constructor(text: string) {
    this.#text = text
  }

  get warnings(): readonly string[] {
    return [...this.#warnings]
  }

  get infos(): readonly string[] {
    const forced = [...this.#forced.values()].map(({ where, message, about, forced }) => {
      const name = about === undefined ? '' : ` ${quote(about)}`
      return `PromQL info: ${message}${name}, ${describeForced(forced)} (${position(this.#text, where.start)})`
    })
    return [...this.#infos, ...forced]
  }

  /** `about` is the name of the metric concerned, if there is one. */
  warn(where: Expr, message: string, about?: string): void {
    this.#warnings.add(`PromQL warning: ${this.#complete(where, message, about)}`)
  }

  info(where: Expr, message: string, about?: string): void {
    this.#infos.add(`PromQL info: ${this.#complete(where, message, about)}`)
  }

  /** An info about corrected buckets; those of several steps are merged into one. */
  forced(where: Expr, message: string, forced: ForcedBuckets, about?: string): void {
    const key = `${message}\u0000${about}\u0000${where.start}`
    const before = this.#forced.get(key)
    this.#forced.set(
      key,
      before === undefined ? { where, message, about, forced } : { ...before, forced: union(before.forced, forced) }
    )
  }

  /** A warning without a position. */
  note(message: string): void {
    this.#warnings.add(message)
  }

  #complete(where: Expr, message: string, about: string | undefined): string {
    return `${message}${about === undefined ? '' : ` ${quote(about)}`} (${position(this.#text, where.start)})`
  }
}

/** A text that ends with a metric's name in quotes, if there is one. */
export function forMetric(message: string, name: string): readonly [string, string?] {
  return name === '' ? [message] : [`${message} for metric name`, name]
}

function union(a: ForcedBuckets, b: ForcedBuckets): ForcedBuckets {
  return {
    from: Math.min(a.from, b.from),
    to: Math.max(a.to, b.to),
    difference: Math.max(a.difference, b.difference),
    first: Math.min(a.first, b.first),
    last: Math.max(a.last, b.last),
    samples: a.samples + b.samples
  }
}

function describeForced({ from, to, difference, first, last, samples }: ForcedBuckets): string {
  const time = (milliseconds: number) => `${new Date(milliseconds).toISOString().slice(0, -5)}Z`
  const buckets = `from buckets ${formatFloat(from)} to ${formatFloat(to)}`
  const span = `over ${samples} samples from ${time(first)} to ${time(last)}`
  return `${buckets}, with a max diff of ${twoDigits(difference)}, ${span}`
}

/** `0.25`, `12`, `1.2e+02`. */
function twoDigits(value: number): string {
  const text = formatFloat(Number(value.toPrecision(2)))
  const exponent = Math.floor(Math.log10(value))
  if (exponent < 2) return text
  return `${Number((value / 10 ** exponent).toPrecision(2))}e+${String(exponent).padStart(2, '0')}`
}
