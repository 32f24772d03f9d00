// What was decoded of data files, that used last kept up to a limit.

export class PageCache<T> {
  readonly #limit: number
  readonly #sizeOf: (data: T) => number
  /** The one that was used last comes last. */
  readonly #kept = new Map<string, { readonly data: T; readonly bytes: number }>()
  #bytes = 0
  #hits = 0
  #misses = 0

  /** `limit` in bytes, as `sizeOf` counts them. */
  constructor(limit: number, sizeOf: (data: T) => number) {
    this.#limit = limit
    this.#sizeOf = sizeOf
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
      this.#kept.delete(key)
      this.#kept.set(key, kept)
      return kept.data as K
    }
    this.#misses++
    const data = read()
    const bytes = this.#sizeOf(data)
    if (bytes <= this.#limit) {
      this.#kept.set(key, { data, bytes })
      this.#bytes += bytes
      for (const [oldest, { bytes }] of this.#kept) {
        if (this.#bytes <= this.#limit) break
        this.#kept.delete(oldest)
        this.#bytes -= bytes
      }
    }
    return data
  }

  /** Lets go of what is kept of a file. */
  forget(path: string): void {
    for (const [key, { bytes }] of this.#kept) {
      if (!key.startsWith(`${path} `)) continue
      this.#kept.delete(key)
      this.#bytes -= bytes
    }
  }

  /** Looks since the last call. */
  takeCounts(): { readonly hits: number; readonly misses: number } {
    const { counts } = this
    this.#hits = this.#misses = 0
    return counts
  }
}
