// Where reading goes another way, all in one place; tests give others.

/**
 * How the rows of a file or memtable are read. `skip`: not at all. `series`: by series number and time, without DuckDB. `scan`: by DuckDB, every
 * row as it is. `merge`: by DuckDB, which lets the newest version of each row count. `latest`: a scan from the time on from which the file
 * holds the newest rows of some series. `counts`: not at all, but how many rows it has of each value, which is in a file beside it.
 */
export type Path = 'skip' | 'series' | 'scan' | 'merge' | 'latest' | 'counts'

export interface ReadLimits {
  /** Ways that are not taken where another one gives the same rows. */
  readonly avoid: ReadonlySet<Path>
  /** Alternatives of a condition that are looked up in the series registry: each is a look through all series. */
  readonly alternatives: number
  /** Series whose numbers go into a statement for DuckDB; more are left to a join with their tags. */
  readonly numbers: number
  /** Runs of neighbouring series numbers that are one comparison each; more become a list of numbers. */
  readonly runs: number
  /** Scans of parts of files in a statement: each costs a plan of its own, so that more files share these. */
  readonly scans: number
  /** Series, by file, whose last time is looked up for a query of the latest rows: with more that takes as long as a scan. */
  readonly ends: number
  /** Queries of more series wait until rows in memory are sorted; those of fewer look at all rows meanwhile. */
  readonly unsortedSeries: number
  /** Series read together first; how many come next depends on how many samples these had. */
  readonly firstSeries: number
  /** Series read together at most. */
  readonly maxSeries: number
  /** Samples that are handed on together, about. */
  readonly samples: number
  /** Of a page of a file only the rows of the wanted series are decoded, where so many times as many are in the page. */
  readonly pageShare: number
  /** Files of which a reading thread keeps footers. */
  readonly footers: number
}

export const usualLimits: ReadLimits = {
  avoid: new Set(),
  alternatives: 100,
  numbers: 10_000,
  runs: 64,
  scans: 16,
  ends: 1_000_000,
  unsortedSeries: 100,
  firstSeries: 1_000,
  maxSeries: 100_000,
  samples: 1_000_000,
  pageShare: 4,
  footers: 1_000
}
