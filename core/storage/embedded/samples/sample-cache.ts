// Columns of files that series queries read, those that were used last kept in memory. A key is the path of a file, or begins with it and a
// space.

export interface Sized {
  /** Memory it takes. */
  readonly bytes: number
}

export class SampleCache {
  /** Bytes kept at most. */
  readonly limit: number
  readonly #looked: (result: 'hit' | 'miss') => void
  /** The one that was used last comes last. */
  readonly #kept = new Map<string, Sized>()
  readonly #loading = new Map<string, Promise<Sized>>()
  #bytes = 0

  /** `looked` is told of every look for something that may be in memory. */
  constructor(limit: number, looked: (result: 'hit' | 'miss') => void = () => {}) {
    this.limit = limit
    this.#looked = looked
  }

  /** Bytes kept in memory. */
  get bytes(): number {
    return this.#bytes
  }

  /** What a key stands for, which never changes; loaded once for all who want it at the same time. */
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

  /** Lets go of what is kept of a file. */
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
