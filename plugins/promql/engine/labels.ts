// Label sets: names and values, sorted by name, never changed.

/** Two label sets with the same `key` are equal. */
export class Labels {
  readonly names: readonly string[]
  readonly values: readonly string[]
  #key: string | undefined

  /** `names` ascending and distinct; no value is empty. */
  constructor(names: readonly string[], values: readonly string[]) {
    this.names = names
    this.values = values
  }

  /** In any order; empty values are left out. */
  static from(pairs: Iterable<readonly [string, string]>): Labels {
    const kept = [...pairs].filter(([, value]) => value !== '').sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    return new Labels(
      kept.map(([name]) => name),
      kept.map(([, value]) => value)
    )
  }

  get key(): string {
    this.#key ??= keyOf(this.names, this.values)
    return this.#key
  }

  get size(): number {
    return this.names.length
  }

  /** '' where there is no such label. */
  get(name: string): string {
    const at = this.names.indexOf(name)
    return at < 0 ? '' : this.values[at]!
  }

  *[Symbol.iterator](): Iterator<readonly [string, string]> {
    for (const [i, name] of this.names.entries()) yield [name, this.values[i]!]
  }

  /** With these labels set; '' takes one away. */
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
    return this.names.includes(metricName) ? this.#filter(name => name !== metricName) : this
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
    return new Labels(names, values)
  }
}

export const noLabels = new Labels([], [])

export const metricName = '__name__'

/** A text for the labels among `names`, or for all others but the metric's name: equal for series that go together. */
export function groupKey(labels: Labels, names: ReadonlySet<string>, without: boolean): string {
  let key = ''
  for (let i = 0; i < labels.names.length; i++) {
    const name = labels.names[i]!
    if (without ? name !== metricName && !names.has(name) : names.has(name))
      key += `${name}\u0000${labels.values[i]}\u0000`
  }
  return key
}

/** The labels a group key stands for. */
export function groupLabels(labels: Labels, names: ReadonlySet<string>, without: boolean): Labels {
  return without ? labels.without(new Set([...names, metricName])) : labels.keep(names)
}

function keyOf(names: readonly string[], values: readonly string[]): string {
  let key = ''
  for (let i = 0; i < names.length; i++) key += `${names[i]}\u0000${values[i]}\u0000`
  return key
}
