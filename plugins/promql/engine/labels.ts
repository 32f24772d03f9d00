// Label sets: names and values, sorted by name, never changed.
import { entry } from './entry.ts'

/** The label names that many label sets share, and properties derived from them. */
export class LabelNames {
  /** Ascending and distinct. */
  readonly names: readonly string[]
  #key: string | undefined
  #unnamed: LabelNames | undefined

  constructor(names: readonly string[]) {
    this.names = names
  }

  get key(): string {
    this.#key ??= `${this.names.join('\u0000')}\u0000\u0000`
    return this.#key
  }

  /** Without the metric's name. */
  get unnamed(): LabelNames {
    this.#unnamed ??= new LabelNames(this.names.filter(name => name !== metricName))
    return this.#unnamed
  }
}

/** Two label sets with the same `key` are equal. */
export class Labels {
  readonly shared: LabelNames
  readonly values: readonly string[]
  #key: string | undefined

  /** No value is empty. */
  constructor(names: LabelNames, values: readonly string[]) {
    this.shared = names
    this.values = values
  }

  /** In any order; empty values are left out. */
  static from(pairs: Iterable<readonly [string, string]>): Labels {
    const kept = [...pairs].filter(([, value]) => value !== '').sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    return new Labels(
      new LabelNames(kept.map(([name]) => name)),
      kept.map(([, value]) => value)
    )
  }

  get names(): readonly string[] {
    return this.shared.names
  }

  get key(): string {
    this.#key ??= this.shared.key + this.values.join('\u0000')
    return this.#key
  }

  get size(): number {
    return this.names.length
  }

  /** '' if there is no such label. */
  get(name: string): string {
    const at = this.names.indexOf(name)
    return at < 0 ? '' : this.values[at]!
  }

  *[Symbol.iterator](): Iterator<readonly [string, string]> {
    for (const [i, name] of this.names.entries()) yield [name, this.values[i]!]
  }

  /** With labels set; '' removes a label. */
  with(changes: ReadonlyMap<string, string>): Labels {
    return Labels.from(new Map([...this, ...changes]))
  }

  keep(names: ReadonlySet<string>): Labels {
    return this.#filter(name => names.has(name))
  }

  without(names: ReadonlySet<string>): Labels {
    return this.#filter(name => !names.has(name))
  }

  /** Without the metric's name. */
  unnamed(): Labels {
    const at = this.names.indexOf(metricName)
    return at < 0 ? this : new Labels(this.shared.unnamed, this.values.toSpliced(at, 1))
  }

  /** `{a="b", c="d"}`. */
  toString(): string {
    return `{${[...this].map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(', ')}}`
  }

  #filter(wanted: (name: string) => boolean): Labels {
    const names: string[] = []
    const values: string[] = []
    for (let i = 0; i < this.names.length; i++) {
      if (!wanted(this.names[i]!)) continue
      names.push(this.names[i]!)
      values.push(this.values[i]!)
    }
    return new Labels(new LabelNames(names), values)
  }
}

export const metricName = '__name__'

export const noLabels = new Labels(new LabelNames([]), [])

/**
 * A function from labels to a key that is equal for series of one group: by the labels in `names`, or by all others except the metric name.
 */
export function grouping(names: ReadonlySet<string>, without: boolean): (labels: Labels) => string {
  const wanted = (name: string) => (without ? name !== metricName && !names.has(name) : names.has(name))
  const known = new Map<LabelNames, { readonly head: string; readonly indices: readonly number[] }>()
  return ({ shared, values }) => {
    const group = entry(known, shared, () => {
      const indices = [...shared.names.keys()].filter(i => wanted(shared.names[i]!))
      return { head: `${indices.map(i => shared.names[i]).join('\u0000')}\u0000`, indices }
    })
    let key = group.head
    for (const i of group.indices) key += `\u0000${values[i]}`
    return key
  }
}

/** The labels of a group. */
export function groupLabels(labels: Labels, names: ReadonlySet<string>, without: boolean): Labels {
  return without ? labels.without(new Set([...names, metricName])) : labels.keep(names)
}
