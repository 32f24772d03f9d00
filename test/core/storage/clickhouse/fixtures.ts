// Engines over a ClickHouse of the tests.
import pino from 'pino'
import { createMetrics, type Metrics } from '../../../../core/metrics/metrics.ts'
import { createClickHouseEngine } from '../../../../core/storage/clickhouse/engine.ts'
import type { ClickHouseConfig } from '../../../../core/storage/clickhouse/settings.ts'
import type { Engine } from '../../../../core/storage/engine.ts'

export function clickHouseSettings(settings: Partial<ClickHouseConfig> = {}): ClickHouseConfig {
  return {
    urls: ['http://127.0.0.1:8123'],
    username: 'default',
    password_file: '',
    reader_username: '',
    reader_password_file: '',
    database_prefix: 'weir_',
    cluster: '',
    insert_quorum: 'auto',
    timeout: 60_000,
    refresh_interval: 10_000,
    max_connections: 64,
    ca_path: '',
    cert_path: '',
    key_path: '',
    ...settings
  }
}

/** An engine that is not yet open. */
export function makeClickHouseEngine(settings: Partial<ClickHouseConfig>, metrics: Metrics = createMetrics()): Engine {
  const config = { storage: { clickhouse: clickHouseSettings(settings) } } as Parameters<
    typeof createClickHouseEngine
  >[0]
  return createClickHouseEngine(config, pino({ level: 'silent' }), metrics)
}
