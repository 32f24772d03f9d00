// Samples by series: what a protocol hands to the store whose requests repeat the same series again and again.
import type { TableOptions } from './table.ts'

/** Keys of series, one after the other: key `i` is `bytes[starts[i] … ends[i]]`. Equal bytes mean the same series. */
export interface SeriesKeys {
  readonly count: number
  readonly bytes: Uint8Array
  /** At least `count` entries. */
  readonly starts: Uint32Array
  readonly ends: Uint32Array
  /** Of each key, as `hashKeys` makes them with `seriesSeed`, where another thread has done so already. */
  readonly hashes?: Int32Array
}

/** Keys from their bytes; key `i` is `keys[i]`. */
export function joinSeriesKeys(keys: readonly Uint8Array[]): SeriesKeys {
  const ends = new Uint32Array(keys.length)
  let end = 0
  for (const [i, key] of keys.entries()) {
    end += key.length
    ends[i] = end
  }
  const starts = Uint32Array.from(keys, (key, i) => ends[i]! - key.length)
  return { count: keys.length, bytes: Buffer.concat(keys), starts, ends }
}

/** What a key stands for. */
export interface SeriesName {
  /** Default: the request's. */
  readonly database?: string
  readonly table: string
  /** The physical table that holds the rows if the series' table is made now; default the write's. */
  readonly physicalTable?: string
  /** Tags with a value, names unique, in any order. */
  readonly labels: readonly SeriesLabel[]
}

export interface SeriesLabel {
  readonly name: string
  /** UTF-8, at least one byte. */
  readonly value: Uint8Array
}

/**
 * Samples, each a time and a number of some series, for any number of tables. A series whose key was seen before costs no look at its
 * labels. Each table is a logical one of a physical table unless it exists already; then its own time index and only field are used.
 */
export interface SeriesWrite {
  readonly kind: 'series'
  readonly keys: SeriesKeys
  /** Tells what key `i` stands for; asked for keys that are not known, until the write has been answered. Throws DbError for those that stand for nothing. */
  name(i: number): SeriesName
  readonly samples: number
  /** Of each sample: which key. At least `samples` entries, as of the other two; all memory stays the caller's and must not change until the answer. */
  readonly series: Uint32Array
  /** Milliseconds since 1970. */
  readonly times: BigInt64Array
  readonly values: Float64Array
  /** Columns of the tables this write makes. */
  readonly timeColumn: string
  readonly valueColumn: string
  /** Where the rows of those tables lie. */
  readonly physicalTable: string
  readonly options?: TableOptions
  readonly autoCreate?: boolean
  /** Series that cannot be taken are left out and told, instead of failing the write. */
  readonly partial?: boolean
}
