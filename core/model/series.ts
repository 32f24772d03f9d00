// Samples by series, for protocols whose requests repeat the same series again and again.
import type { TableOptions } from './table.ts'

/** Keys of series in one buffer: key `i` is `bytes[starts[i] … ends[i]]`. Equal bytes mean the same series. */
export interface SeriesKeys {
  readonly count: number
  readonly bytes: Uint8Array
  /** At least `count` entries. */
  readonly starts: Uint32Array
  readonly ends: Uint32Array
  /** Hashes of the keys, made by `hashKeys` with `seriesSeed`, if another thread computed them already. */
  readonly hashes?: Int32Array
}

/** Joins keys into one buffer. */
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

/** The series that a key stands for. */
export interface SeriesName {
  /** Default: the request's database. */
  readonly database?: string
  readonly table: string
  /** The physical table for the rows, if the series' table is created now. Default: that of the write. */
  readonly physicalTable?: string
  /** The tags that have a value, with unique names, in any order. */
  readonly labels: readonly SeriesLabel[]
}

/** A tag of a series. */
export interface SeriesLabel {
  readonly name: string
  /** UTF-8, at least one byte. */
  readonly value: Uint8Array
}

/**
 * Samples for any number of tables: each has a series, a time and a value. The labels of a series whose key was seen before are not read. New tables
 * are logical ones of a physical table; for existing tables their own time index and only field are used.
 */
export interface SeriesWrite {
  readonly kind: 'series'
  readonly keys: SeriesKeys
  /** What key `i` stands for. Called for unknown keys until the write has resolved. Throws DbError for invalid keys. */
  name(i: number): SeriesName
  readonly samples: number
  /**
   * Index of the key of each sample. This and the next two have at least `samples` entries; the memory stays the caller's and must not change until
   * the write has resolved.
   */
  readonly series: Uint32Array
  /** Milliseconds since 1970. */
  readonly times: BigInt64Array
  readonly values: Float64Array
  /** Names of the time index and the value column in tables that this write creates. */
  readonly timeColumn: string
  readonly valueColumn: string
  /** The physical table of tables that this write creates. */
  readonly physicalTable: string
  readonly options?: TableOptions
  readonly autoCreate?: boolean
  /** True: series that are refused are left out and reported, instead of failing the write. */
  readonly partial?: boolean
}
