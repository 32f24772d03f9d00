// Metrics of the embedded engine.
import type { Counter, Histogram, Metrics } from '../../metrics/metrics.ts'
import { type CountedMemory, memoryByPart, memoryParts } from './memory-use.ts'
import type { SqlProcessStatistics } from './sql/sql-process.ts'

export interface EngineMetrics {
  readonly wal: { readonly bytes: Counter; readonly syncSeconds: Histogram }
  readonly stalls: Counter
  readonly slowedWrites: Counter
  /** Restarts of the query process, and statements it refused. */
  readonly statements: { readonly restarts: Counter; readonly refused: Counter }
  /** Lookups in the cache of samples. */
  readonly sampleLookups: Counter
  /** Files and memtables that queries met, by the way they were read. */
  readonly partsRead: Counter
  readonly writeSeconds: Histogram
  readonly flushSeconds: Histogram
  readonly flushedRows: Counter
  readonly flushedBytes: Counter
  readonly flushFailures: Counter
  readonly tableFlushFailures: Counter
  readonly upkeepDeaths: Counter
  readonly compactionSeconds: Histogram
  readonly compactedFiles: Counter
  readonly compactedBytes: Counter
  readonly compactionFailures: Counter
  readonly expiredFiles: Counter
  readonly expiredBytes: Counter
  readonly index: {
    readonly seconds: Histogram
    readonly rows: Counter
    readonly bytes: Counter
    readonly failures: Counter
    /** Row groups of files whose indexes were used by a query. */
    readonly groups: Counter
    /** Lookups in the cache of index parts. */
    readonly lookups: Counter
  }
}

interface EngineGauges {
  /** Bytes of cached samples. */
  sampleCacheBytes(): number
  memtableLimit(): number
  memtableBytes(): number
  memtableRows(): number
  walBytes(): number
  walSegments(): number
  files(): readonly { readonly bytes: number }[]
  isReadOnly(): boolean
  /** Bytes of cached index parts. */
  cacheBytes(): number
  /** The query process. */
  statements(): Pick<SqlProcessStatistics, 'alive' | 'residentBytes' | 'running' | 'stalled' | 'waiting'>
  memory(): CountedMemory
  /** Spool files with rows for the query process. */
  spool(): { readonly files: number; readonly bytes: number }
}

export function engineMetrics(metrics: Metrics, gauges: EngineGauges): EngineMetrics {
  exposeGauges(metrics, gauges)
  return {
    wal: {
      bytes: metrics.counter('svc_storage_wal_bytes_total', 'Bytes written to the write-ahead log.'),
      syncSeconds: metrics.histogram(
        'svc_storage_wal_sync_seconds',
        'Time of a sync of the write-ahead log; with `wal.sync` `always` the write it is one with is part of it.',
        [],
        [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1]
      )
    },
    sampleLookups: metrics.counter(
      'svc_storage_sample_cache_lookups_total',
      'Looks for samples of files that may be in memory, by whether they were.',
      ['result']
    ),
    partsRead: metrics.counter(
      'svc_storage_parts_read_total',
      'Files (`file`) and memtables (`memory`) that queries met, by `path`: `skip`, not read; `series`, by series number and time; ' +
        '`scan`, by DuckDB as they are; `merge`, by DuckDB, the latest version of each row; `latest`, by DuckDB from the latest rows on; `counts`, from counts of its rows.',
      ['part', 'path']
    ),
    statements: {
      restarts: metrics.counter(
        'svc_query_process_restarts_total',
        'Ends of the process that runs SQL statements: `memory`, it held too much; `stuck`, a statement ignored its cancellation; `died`.',
        ['reason']
      ),
      refused: metrics.counter(
        'svc_query_process_refused_total',
        'SQL statements refused: `full`, too many waited; `late`, their turn did not come in time.',
        ['reason']
      )
    },
    stalls: metrics.counter('svc_storage_write_stalls_total', 'Writes that had to wait for room in memory.'),
    slowedWrites: metrics.counter(
      'svc_storage_slowed_writes_total',
      'Writes that were held up a little because flushes fell behind.'
    ),
    writeSeconds: metrics.histogram(
      'svc_storage_write_seconds',
      'Time from a write at the engine to its answer: waiting for room, the log, its sync.',
      [],
      [0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10]
    ),
    flushSeconds: metrics.histogram('svc_storage_flush_seconds', 'Time to write the memtables to files.'),
    flushedRows: metrics.counter('svc_storage_flushed_rows_total', 'Rows written to files.'),
    flushedBytes: metrics.counter('svc_storage_flushed_bytes_total', 'Bytes of the files written.'),
    flushFailures: metrics.counter('svc_storage_flush_failures_total', 'Attempts to write rows to files that failed.'),
    tableFlushFailures: metrics.counter(
      'svc_storage_table_flush_failures_total',
      'Attempts that failed because of the rows of a table: they stay in memory and in the log.',
      ['db', 'table']
    ),
    upkeepDeaths: metrics.counter(
      'svc_storage_upkeep_deaths_total',
      'Times the thread that writes data files died; its work is done again.'
    ),
    compactionSeconds: metrics.histogram('svc_storage_compaction_seconds', 'Time to merge files into one.'),
    compactedFiles: metrics.counter('svc_storage_compacted_files_total', 'Files that were merged into others.'),
    compactedBytes: metrics.counter('svc_storage_compacted_bytes_total', 'Bytes of the files that were merged.'),
    compactionFailures: metrics.counter(
      'svc_storage_compaction_failures_total',
      'Attempts to merge files that failed.'
    ),
    expiredFiles: metrics.counter(
      'svc_storage_expired_files_total',
      'Files removed because their rows were past their time to live.'
    ),
    expiredBytes: metrics.counter(
      'svc_storage_expired_bytes_total',
      'Bytes of the files removed because their rows were past their time to live.'
    ),
    index: {
      seconds: metrics.histogram(
        'svc_storage_index_seconds',
        'Time to make one index file of a data file: `counts` of its rows, or `filters` of its texts. A data file may have both.',
        ['kind']
      ),
      rows: metrics.counter('svc_storage_indexed_rows_total', 'Rows of data files indexes were made for.'),
      bytes: metrics.counter('svc_storage_index_bytes_total', 'Bytes of the index files written.'),
      failures: metrics.counter('svc_storage_index_failures_total', 'Index files that could not be made.'),
      groups: metrics.counter(
        'svc_storage_index_groups_total',
        'Row groups of files whose indexes were asked by a query: `read`, or `skipped` because nothing asked for is in them.',
        ['result']
      ),
      lookups: metrics.counter(
        'svc_storage_cache_lookups_total',
        'Parts of index files queries asked for: `hit`, they were in memory; `miss`, they were read.',
        ['result']
      )
    }
  }
}

function exposeGauges(metrics: Metrics, gauges: EngineGauges): void {
  const show = (name: string, help: string, read: () => number) =>
    metrics.gauge(name, help, [], gauge => gauge.set(read()))
  show('svc_storage_memtable_bytes', 'Memory taken by rows that are not in a file yet.', gauges.memtableBytes)
  show('svc_storage_memtable_rows', 'Rows that are not in a file yet.', gauges.memtableRows)
  const limitHelp = 'Memory rows may take before writes wait (storage.memtable_limit).'
  show('svc_storage_memtable_limit_bytes', limitHelp, gauges.memtableLimit)
  show('svc_storage_wal_size_bytes', 'Bytes of the write-ahead log on disk.', gauges.walBytes)
  show('svc_storage_wal_segments', 'Files of the write-ahead log.', gauges.walSegments)
  show('svc_storage_files', 'Data files in the catalog.', () => gauges.files().length)
  show('svc_storage_files_bytes', 'Bytes of the data files in the catalog.', () =>
    gauges.files().reduce((sum, { bytes }) => sum + bytes, 0)
  )
  const readOnlyHelp = '1 while the data folder cannot be written and only reads are answered.'
  show('svc_storage_read_only', readOnlyHelp, () => (gauges.isReadOnly() ? 1 : 0))
  show('svc_storage_sample_cache_bytes', 'Bytes of samples of files kept in memory.', gauges.sampleCacheBytes)
  show('svc_storage_cache_bytes', 'Bytes of index files kept in memory.', gauges.cacheBytes)
  show('svc_storage_spool_bytes', 'Bytes of the files that hold rows in memory for SQL.', () => gauges.spool().bytes)
  show('svc_storage_spool_files', 'Files that hold rows in memory for SQL.', () => gauges.spool().files)
  show('svc_query_process_up', '1 while the process that runs SQL statements is ready.', () =>
    gauges.statements().alive ? 1 : 0
  )
  show('svc_query_process_resident_bytes', 'Resident memory of the process that runs SQL statements.', () => {
    return gauges.statements().residentBytes
  })
  const memoryHelp =
    'Memory of all processes of the server: `rows` in no file yet, `spare` for more of them, decoded `samples`, `indexes`, `heap` of the main thread, `spool` (files in memory that hold rows for SQL), the process of `statements`, and the `rest` of what the system counts.'
  metrics.gauge('svc_memory_bytes', memoryHelp, ['part'], async gauge => {
    const bytes = await memoryByPart(gauges.memory())
    for (const part of memoryParts) gauge.set(bytes[part], { part })
  })
  const statementsHelp =
    'SQL statements: `running`, `stalled` until their client reads on, or `waiting` for their turn.'
  metrics.gauge('svc_query_process_statements', statementsHelp, ['state'], gauge => {
    const statements = gauges.statements()
    for (const state of ['running', 'stalled', 'waiting'] as const) gauge.set(statements[state], { state })
  })
}
