// What was decoded of data files, kept up to a limit. Of a few entries picked by chance the one that was used longest ago goes: queries that
// look at a little more than fits, in the same order each time, would find nothing in a cache that lets the oldest of all go.

/** Entries to pick the one from that goes. */
const sampled = 3

interface Entry<T> {
  readonly data: T
  readonly bytes: number
  /** The number of the look that found it last. */
  used: number
  /** Where its key is in the list of all. */
  index: number
}

export class PageCache<T> {
  readonly #limit: number
  readonly #sizeOf: (data: T) => number
  readonly #random: () => number
  readonly #kept = new Map<string, Entry<T>>()
  /** Of all entries, in no order. */
  readonly #keys: string[] = []
  #bytes = 0
  #looks = 0
  #hits = 0
  #misses = 0

  /** `limit` in bytes, as `sizeOf` counts them; `random`: from 0 up to, not including, 1. */
  constructor(limit: number, sizeOf: (data: T) => number, random = Math.random) {
    this.#limit = limit
    this.#sizeOf = sizeOf
    this.#random = random
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Looks since `takeCounts` was called. */
  get counts(): { readonly hits: number; readonly misses: number } {
    return { hits: this.#hits, misses: this.#misses }
  }

  /** What a key, which begins with the path of its file and a blank, stands for; it never changes. */
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

  /** Lets go of what is kept of a file. */
  forget(path: string): void {
    for (const key of this.#kept.keys()) if (key.startsWith(`${path} `)) this.#drop(key)
  }

  /** Looks since the last call. */
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
