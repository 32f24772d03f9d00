// The embedded engine, to be run in histories.
import { join } from 'node:path'
import pino from 'pino'
import { createMetrics } from '../../core/metrics/metrics.ts'
import { createEmbeddedEngine } from '../../core/storage/embedded/engine.ts'
import type { OpenEngine } from './session.ts'

/** Small memtables and segments for an odd choice, so that flushes come by themselves; a log that is synced for a multiple of three. */
export const openEngine: OpenEngine = async (folder, choice) => {
  const isSmall = choice % 2 === 1
  const engine = createEmbeddedEngine(
    {
      storage: {
        engine: 'embedded',
        data_home: folder,
        memory_limit: 2 ** 28,
        query_memory_hard_limit: 0,
        memtable_size: isSmall ? 2 ** 16 : 2 ** 24,
        memtable_limit: isSmall ? 2 ** 22 : 2 ** 25,
        flush_interval: isSmall ? 2_000 : 600_000,
        flush_cold_after: isSmall ? 1_000 : 20_000,
        lost_found_ttl: 600_000,
        query_threads: 2,
        index_cache_size: 2 ** 20,
        sample_cache_size: 2 ** 20
      },
      wal: {
        dir: join(folder, 'wal'),
        sync: choice % 3 === 0 ? 'always' : 'none',
        sync_interval: 100,
        segment_size: isSmall ? 2 ** 17 : 2 ** 24
      }
    },
    pino({ level: 'silent' }),
    createMetrics()
  )
  await engine.open()
  return engine
}
