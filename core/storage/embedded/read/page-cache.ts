// A cache of decoded pages. When full, it removes the least recently used of a few randomly chosen entries: with strict LRU, repeated scans
// of slightly more than fits would never hit.

/** Entries chosen per removal. */
const sampled = 3

interface Entry<T> {
  readonly data: T
  readonly bytes: number
  /** Number of the last lookup that found it. */
  used: number
  /** Its index in the list of keys. */
  index: number
}

export class PageCache<T> {
  readonly #limit: number
  readonly #sizeOf: (data: T) => number
  readonly #random: () => number
  readonly #kept = new Map<string, Entry<T>>()
  /** All keys, in no order. */
  readonly #keys: string[] = []
  #bytes = 0
  #looks = 0
  #hits = 0
  #misses = 0

  /** `limit` in bytes, as `sizeOf` counts them; `random` returns numbers in [0, 1). */
  constructor(limit: number, sizeOf: (data: T) => number, random = Math.random) {
    this.#limit = limit
    this.#sizeOf = sizeOf
    this.#random = random
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Lookups since the last `takeCounts`. */
  get counts(): { readonly hits: number; readonly misses: number } {
    return { hits: this.#hits, misses: this.#misses }
  }

  /** The cached value of a key, or `read()`. Keys begin with the file's path and a space; the value of a key never changes. */
  get<K extends T>(key: string, read: () => K): K {
    const kept = this.#kept.get(key)
    const used = ++this.#looks
    if (kept !== undefined) {
      this.#hits++
      kept.used = used
      return kept.data as K
    }
    this.#misses++
    const data = read()
    const bytes = this.#sizeOf(data)
    if (bytes > this.#limit) return data
    while (this.#bytes + bytes > this.#limit) this.#drop(this.#pick())
    this.#kept.set(key, { data, bytes, used, index: this.#keys.push(key) - 1 })
    this.#bytes += bytes
    return data
  }

  /** Removes all entries of a file. */
  forget(path: string): void {
    for (const key of this.#kept.keys()) if (key.startsWith(`${path} `)) this.#drop(key)
  }

  /** Lookups since the last call. */
  takeCounts(): { readonly hits: number; readonly misses: number } {
    const { counts } = this
    this.#hits = this.#misses = 0
    return counts
  }

  #pick(): string {
    let [picked, oldest] = ['', Number.POSITIVE_INFINITY]
    for (let i = 0; i < sampled; i++) {
      const key = this.#keys[Math.floor(this.#random() * this.#keys.length)]!
      const { used } = this.#kept.get(key)!
      if (used >= oldest) continue
      picked = key
      oldest = used
    }
    return picked
  }

  #drop(key: string): void {
    const { bytes, index } = this.#kept.get(key)!
    this.#kept.delete(key)
    this.#bytes -= bytes
    const last = this.#keys.pop()!
    if (last === key) return
    this.#keys[index] = last
    this.#kept.get(last)!.index = index
  }
}
