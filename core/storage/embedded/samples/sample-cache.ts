// An LRU cache of file columns that series queries read. A key is the path of a file, or begins with it and a space.

interface Sized {
  /** Bytes it takes in memory. */
  readonly bytes: number
}

export class SampleCache {
  /** Maximum bytes. */
  readonly limit: number
  readonly #looked: (result: 'hit' | 'miss') => void
  /** In order of use, the last used one last. */
  readonly #kept = new Map<string, Sized>()
  readonly #loading = new Map<string, Promise<Sized>>()
  #bytes = 0

  /** `looked` is called for every lookup. */
  constructor(limit: number, looked: (result: 'hit' | 'miss') => void = () => {}) {
    this.limit = limit
    this.#looked = looked
  }

  /** Bytes kept in memory. */
  get bytes(): number {
    return this.#bytes
  }

  /** The value of a key, which never changes. Concurrent requests share one `load`. */
  async get<T extends Sized>(key: string, load: () => Promise<T>): Promise<T> {
    const kept = this.#kept.get(key)
    this.#looked(kept === undefined ? 'miss' : 'hit')
    if (kept !== undefined) {
      this.#kept.delete(key)
      this.#kept.set(key, kept)
      return kept as T
    }
    let loading = this.#loading.get(key) as Promise<T> | undefined
    if (loading === undefined) {
      loading = load()
      this.#loading.set(key, loading)
      loading.then(
        loaded => this.#keep(key, loaded),
        () => this.#loading.delete(key)
      )
    }
    return loading
  }

  /** Removes all entries of a file. */
  forget(path: string): void {
    for (const [key, { bytes }] of this.#kept) {
      if (key !== path && !key.startsWith(`${path} `)) continue
      this.#kept.delete(key)
      this.#bytes -= bytes
    }
  }

  #keep(key: string, loaded: Sized): void {
    this.#loading.delete(key)
    if (loaded.bytes > this.limit) return
    this.#kept.set(key, loaded)
    this.#bytes += loaded.bytes
    for (const [oldest, { bytes }] of this.#kept) {
      if (this.#bytes <= this.limit) return
      this.#kept.delete(oldest)
      this.#bytes -= bytes
    }
  }
}
