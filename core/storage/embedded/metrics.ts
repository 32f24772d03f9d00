// What the embedded engine counts.
import type { Counter, Histogram, Metrics } from '../../metrics/metrics.ts'

export interface EngineMetrics {
  readonly wal: { readonly bytes: Counter; readonly syncSeconds: Histogram }
  readonly stalls: Counter
  readonly flushSeconds: Histogram
  readonly flushedRows: Counter
  readonly flushedBytes: Counter
  readonly compactionSeconds: Histogram
  readonly compactedFiles: Counter
  readonly expiredFiles: Counter
  readonly index: {
    readonly seconds: Histogram
    readonly rows: Counter
    readonly bytes: Counter
    readonly failures: Counter
    /** Row groups of files whose indexes a query asked. */
    readonly groups: Counter
  }
}

export interface EngineGauges {
  memtableBytes(): number
  walBytes(): number
  files(): number
  isReadOnly(): boolean
}

export function engineMetrics(metrics: Metrics, gauges: EngineGauges): EngineMetrics {
  metrics.gauge('svc_storage_memtable_bytes', 'Memory taken by rows that are not in a file yet.', [], gauge =>
    gauge.set(gauges.memtableBytes())
  )
  metrics.gauge('svc_storage_wal_size_bytes', 'Bytes of the write-ahead log on disk.', [], gauge =>
    gauge.set(gauges.walBytes())
  )
  metrics.gauge('svc_storage_files', 'Data files in the catalog.', [], gauge => gauge.set(gauges.files()))
  metrics.gauge(
    'svc_storage_read_only',
    '1 while the data folder cannot be written and only reads are answered.',
    [],
    gauge => gauge.set(gauges.isReadOnly() ? 1 : 0)
  )
  return {
    wal: {
      bytes: metrics.counter('svc_storage_wal_bytes_total', 'Bytes written to the write-ahead log.'),
      syncSeconds: metrics.histogram(
        'svc_storage_wal_sync_seconds',
        'Time of a sync of the write-ahead log.',
        [],
        [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1]
      )
    },
    stalls: metrics.counter('svc_storage_write_stalls_total', 'Writes that had to wait for room in memory.'),
    flushSeconds: metrics.histogram('svc_storage_flush_seconds', 'Time to write the memtables to files.'),
    flushedRows: metrics.counter('svc_storage_flushed_rows_total', 'Rows written to files.'),
    flushedBytes: metrics.counter('svc_storage_flushed_bytes_total', 'Bytes of the files written.'),
    compactionSeconds: metrics.histogram('svc_storage_compaction_seconds', 'Time to merge files into one.'),
    compactedFiles: metrics.counter('svc_storage_compacted_files_total', 'Files that were merged into others.'),
    expiredFiles: metrics.counter(
      'svc_storage_expired_files_total',
      'Files removed because their rows were past their time to live.'
    ),
    index: {
      seconds: metrics.histogram('svc_storage_index_seconds', 'Time to make the indexes of a data file.'),
      rows: metrics.counter('svc_storage_indexed_rows_total', 'Rows of data files indexes were made for.'),
      bytes: metrics.counter('svc_storage_index_bytes_total', 'Bytes of the index files written.'),
      failures: metrics.counter('svc_storage_index_failures_total', 'Index files that could not be made.'),
      groups: metrics.counter(
        'svc_storage_index_groups_total',
        'Row groups of files whose indexes were asked by a query: `read`, or `skipped` because nothing asked for is in them.',
        ['result']
      )
    }
  }
}
