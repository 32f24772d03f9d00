// A cache of series labels by series number; labels never change.

/** Sorted by name; series with the same names share them. */
export interface StoredLabels {
  readonly names: readonly string[]
  readonly values: readonly string[]
}

/** Maximum cached series. */
const maxSeries = 200_000

export class KnownLabels {
  readonly #tables = new Map<number, Map<bigint, StoredLabels>>()
  readonly #names = new Map<string, readonly string[]>()
  readonly #values = new Map<string, string>()
  #count = 0

  /** Labels of some series of a logical table; `load` fetches missing ones. */
  async of(
    { id }: { readonly id: number },
    tsids: readonly bigint[],
    load: (missing: readonly bigint[], put: (tsid: bigint, names: string[], values: string[]) => void) => Promise<void>
  ): Promise<ReadonlyMap<bigint, StoredLabels>> {
    if (this.#count > maxSeries) this.#forget()
    const known = this.#tables.get(id) ?? new Map<bigint, StoredLabels>()
    this.#tables.set(id, known)
    const missing = tsids.filter(tsid => !known.has(tsid))
    if (missing.length === 0) return known
    await load(missing, (tsid, names, values) => {
      if (known.has(tsid)) return
      known.set(tsid, this.#shared(names, values))
      this.#count++
    })
    return known
  }

  #shared(names: string[], values: string[]): StoredLabels {
    const order = [...names.keys()].sort((a, b) => (names[a]! < names[b]! ? -1 : 1))
    const sorted = order.map(i => names[i]!)
    return {
      names: entry(this.#names, sorted.join('\0'), sorted),
      values: order.map(i => entry(this.#values, values[i]!, values[i]!))
    }
  }

  #forget(): void {
    this.#tables.clear()
    this.#names.clear()
    this.#values.clear()
    this.#count = 0
  }
}

/** The value of a key; the first one stored stays. */
function entry<T>(known: Map<string, T>, key: string, value: T): T {
  const found = known.get(key)
  if (found !== undefined) return found
  known.set(key, value)
  return value
}
