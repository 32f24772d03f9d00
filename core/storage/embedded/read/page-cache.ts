// What was decoded of data files, kept up to a limit. What goes is picked by chance: queries that look at a little more than fits, in the same
// order each time, would find nothing in a cache that lets the oldest go.

interface Entry<T> {
  readonly data: T
  readonly bytes: number
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
    if (kept !== undefined) {
      this.#hits++
      return kept.data as K
    }
    this.#misses++
    const data = read()
    const bytes = this.#sizeOf(data)
    if (bytes > this.#limit) return data
    while (this.#bytes + bytes > this.#limit) this.#drop(this.#keys[Math.floor(this.#random() * this.#keys.length)]!)
    this.#kept.set(key, { data, bytes, index: this.#keys.push(key) - 1 })
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
