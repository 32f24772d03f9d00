// Decoded pages of data files, those used last kept up to a limit.
import type { ColumnData } from '../../../model/batch.ts'

export class PageCache {
  readonly #limit: number
  /** The one that was used last comes last. */
  readonly #kept = new Map<string, { readonly data: ColumnData; readonly bytes: number }>()
  #bytes = 0
  #hits = 0
  #misses = 0

  /** `limit` in bytes. */
  constructor(limit: number) {
    this.#limit = limit
  }

  get bytes(): number {
    return this.#bytes
  }

  /** What a key, which begins with the path of its file and a blank, stands for; it never changes. */
  get(key: string, read: () => ColumnData): ColumnData {
    const kept = this.#kept.get(key)
    if (kept !== undefined) {
      this.#hits++
      this.#kept.delete(key)
      this.#kept.set(key, kept)
      return kept.data
    }
    this.#misses++
    const data = read()
    const bytes = sizeOf(data)
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
    const counts = { hits: this.#hits, misses: this.#misses }
    this.#hits = this.#misses = 0
    return counts
  }
}

function sizeOf(data: ColumnData): number {
  const valid = data.valid?.byteLength ?? 0
  if (data.kind === 'fixed') return valid + data.values.byteLength
  if (data.kind === 'bytes') return valid + data.offsets.byteLength + data.bytes.byteLength
  return valid + data.codes.byteLength + sizeOf(data.dictionary)
}
