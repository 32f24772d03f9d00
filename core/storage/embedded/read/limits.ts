// Thresholds at which a read takes another way; tests change them.

/**
 * How the rows of a file or memtable are read. `skip`: not at all. `series`: by series number and time, without DuckDB. `scan`: by DuckDB,
 * every row as it is. `merge`: by DuckDB, which keeps the latest version of each row. `latest`: a scan from the time on at which the file has
 * the latest row of some series. `counts`: counts of its rows are read instead.
 */
export type Path = 'skip' | 'series' | 'scan' | 'merge' | 'latest' | 'counts'

export interface ReadLimits {
  /** Ways not to take if another one gives the same rows. */
  readonly avoid: ReadonlySet<Path>
  /** Alternatives of a condition that are looked up in the series registry; each visits all series. */
  readonly alternatives: number
  /** Series whose numbers are written into a DuckDB statement; more are joined by their tags. */
  readonly numbers: number
  /**
   * Series numbers of a run of adjacent ones, on average, from which on the runs become a comparison each; shorter ones become a list of
   * numbers. A number of a list takes about 10 µs whatever it is compared with; comparisons let DuckDB read every row group.
   */
  readonly runNumbers: number
  /** Separate scans of parts of files in one statement. Each adds to the plan, so further files share scans. */
  readonly scans: number
  /** Series, over all files, whose last time is looked up for a query of the latest rows; beyond that a scan is as fast. */
  readonly ends: number
  /** Queries of more series wait until rows in memory are sorted; queries of fewer scan unsorted rows. */
  readonly unsortedSeries: number
  /** Series in the first batch at most, unless the rows of all fit in one; the size of later ones depends on the number of samples. */
  readonly firstSeries: number
  /** Series in one batch at most. */
  readonly maxSeries: number
  /** Values that the series of one batch are reduced to at most. */
  readonly values: number
  /** Approximate samples in one batch. */
  readonly samples: number
  /** Only the rows of wanted series are kept of a page that has this many times as many rows; else all its rows. */
  readonly pageShare: number
  /**
   * Expected rows of the reads that take turns in one reading thread, because each holds what it has read so far; one alone may have more. Further
   * ones wait, but not those of `fewRows`.
   */
  readonly turnRows: number
  readonly fewRows: number
  /** Ranges of adjacent rows to read of a page at most; with more of them the whole page is decoded. */
  readonly pageRanges: number
  /** Files whose footers a reading thread caches. */
  readonly footers: number
  /** Index sidecars that a query reads at the same time. */
  readonly indexes: number
}

export const usualLimits: ReadLimits = {
  avoid: new Set(),
  alternatives: 100,
  numbers: 10_000,
  runNumbers: 500,
  scans: 16,
  ends: 1_000_000,
  unsortedSeries: 100,
  firstSeries: 1_000,
  maxSeries: 100_000,
  values: 4_000_000,
  samples: 1_000_000,
  pageShare: 4,
  turnRows: 2_000_000,
  fewRows: 50_000,
  pageRanges: 64,
  footers: 1_000,
  indexes: 8
}
