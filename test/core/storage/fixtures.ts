// Engines and columns for the storage tests.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import type { Test } from 'tap'
import { loadConfig } from '../../../core/config/load.ts'
import type { Config } from '../../../core/config/schema.ts'
import type { RequestContext } from '../../../core/http/context.ts'
import { createMetrics, type Metrics } from '../../../core/metrics/metrics.ts'
import type { Column, FixedData } from '../../../core/model/batch.ts'
import type { Table, TableOptions } from '../../../core/model/table.ts'
import type { ColumnType } from '../../../core/model/types.ts'
import { createEmbeddedEngine } from '../../../core/storage/embedded/engine.ts'
import { type Path, type ReadLimits, usualLimits } from '../../../core/storage/embedded/read/limits.ts'
import type { Engine, QueryResult } from '../../../core/storage/engine.ts'
import { createStores, type Store } from '../../../core/storage/store.ts'

export const never = new AbortController().signal

/** A request of somebody who may write, in the database `public`. */
export const request: RequestContext = {
  db: 'public',
  user: { name: 'mia', mode: 'rw' },
  channel: 'main',
  timezone: 'UTC',
  signal: never,
  log: pino({ level: 'silent' }),
  plugin: 'test',
  hints: { options: {} }
}

/** The store over an engine. */
export function storeOf(
  engine: Engine,
  settings: Partial<Pick<Config, 'auto_create_table' | 'limits' | 'max_concurrent_queries'>> = {}
): Store {
  const config = { ...loadConfig().config, ...settings }
  return createStores({ engine, config, metrics: createMetrics() }).store
}

export function temporaryFolder(t: Test): string {
  const dir = mkdtempSync(join(tmpdir(), 'weir-test-'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

export interface EngineSettings {
  readonly sync?: 'always' | 'interval' | 'none'
  readonly memtable_size?: number
  readonly memtable_limit?: number
  readonly segment_size?: number
  readonly lost_found_ttl?: number
  readonly flush_cold_after?: number
  readonly metrics?: Metrics
  readonly limits?: ReadLimits
  readonly reducers?: readonly string[]
  /** Milliseconds between the looks of the engine at what is to be flushed, merged or removed. */
  readonly housekeeping?: number
  /** Milliseconds after which the query process starts. Default: with the first statement, for most tests ask none and its start is costly. */
  readonly processDelay?: number
}

/** Nothing is flushed, merged or removed unless a test says so, however long it takes. */
export const onlyWhenTold = { housekeeping: 2 ** 40 }

/** Limits under which the ways that rows are read are those one set of ways leaves, then those the next one leaves. */
export class ForcedPaths {
  readonly #avoid = new Set<Path>()
  readonly limits: ReadLimits

  constructor() {
    this.limits = { ...usualLimits, avoid: this.#avoid }
  }

  /** As usual, then all series by DuckDB, then DuckDB over all rows. */
  *each(): Iterable<string> {
    for (const avoid of [[], ['series', 'counts'], ['series', 'scan', 'latest', 'skip', 'counts']] as const) {
      this.#avoid.clear()
      for (const path of avoid) this.#avoid.add(path)
      yield avoid.length === 0 ? 'every way' : `all ways but ${avoid.join(', ')}`
    }
    this.#avoid.clear()
  }
}

/** An engine over a folder, not yet open. */
export function makeEngine(dir: string, settings: EngineSettings = {}): Engine {
  const { metrics = createMetrics(), limits = usualLimits, reducers = [], processDelay = 2 ** 40 } = settings
  const { housekeeping } = settings
  return createEmbeddedEngine(settingsOf(dir, settings), pino({ level: 'silent' }), metrics, undefined, {
    limits,
    reducers,
    processDelay,
    ...(housekeeping !== undefined && { housekeeping })
  })
}

/** The configuration of an engine. */
export function settingsOf(dir: string, settings: EngineSettings = {}) {
  const { sync = 'always', memtable_size = 2 ** 26, memtable_limit = 2 ** 27, segment_size = 2 ** 26 } = settings
  return {
    storage: {
      engine: 'embedded',
      data_home: dir,
      memory_limit: 2 ** 29,
      query_memory_hard_limit: 0,
      memtable_size,
      memtable_limit,
      flush_interval: 600_000,
      flush_cold_after: settings.flush_cold_after ?? 0,
      lost_found_ttl: settings.lost_found_ttl ?? 600_000,
      query_threads: 1,
      index_cache_size: 2 ** 20,
      sample_cache_size: 32 * 2 ** 20
    },
    wal: { dir: join(dir, 'wal'), sync, sync_interval: 100, segment_size }
  }
}

export async function openEngine(t: Test, dir: string, settings: EngineSettings = {}): Promise<Engine> {
  const engine = makeEngine(dir, settings)
  await engine.open()
  t.teardown(() => engine.close())
  return engine
}

/** Text, null where undefined. */
export function text(
  name: string,
  values: readonly (string | undefined)[],
  semantic: Column['semantic'] = 'field'
): Column {
  const encoded = values.map(value => Buffer.from(value ?? ''))
  const offsets = new Uint32Array(values.length + 1)
  encoded.forEach((bytes, i) => {
    offsets[i + 1] = offsets[i]! + bytes.length
  })
  const valid = new Uint8Array((values.length + 7) >> 3)
  values.forEach((value, i) => {
    if (value !== undefined) valid[i >> 3]! |= 1 << (i & 7)
  })
  return { name, type: 'String', semantic, data: { kind: 'bytes', offsets, bytes: Buffer.concat(encoded), valid } }
}

export function fixed(
  name: string,
  type: ColumnType,
  values: FixedData['values'],
  semantic: Column['semantic'] = 'field'
): Column {
  return { name, type, semantic, data: { kind: 'fixed', values } }
}

export function times(name: string, values: readonly number[]): Column {
  return fixed(name, 'TimestampMillisecond', BigInt64Array.from(values, BigInt), 'timestamp')
}

/** A table `name(host tag, at time, n Int64, note String)`. */
export function createTable(engine: Engine, name: string, options: TableOptions = {}, tagged = true): Promise<Table> {
  return engine.catalog.createTable({
    database: 'public',
    name,
    columns: [
      ...(tagged ? [{ name: 'host', type: 'String', semantic: 'tag', nullable: true } as const] : []),
      { name: 'at', type: 'TimestampMillisecond', semantic: 'timestamp', nullable: false },
      { name: 'n', type: 'Int64', semantic: 'field', nullable: true },
      { name: 'note', type: 'String', semantic: 'field', nullable: true }
    ],
    options
  })
}

export interface TestRow {
  readonly host?: string
  readonly at: number
  readonly n?: number
  readonly note?: string
}

export async function put(
  engine: Engine,
  table: Table,
  rows: readonly TestRow[],
  op: 'put' | 'delete' = 'put'
): Promise<number> {
  const n = fixed(
    'n',
    'Int64',
    BigInt64Array.from(rows, row => BigInt(row.n ?? 0))
  )
  const valid = new Uint8Array((rows.length + 7) >> 3)
  rows.forEach((row, i) => {
    if (row.n !== undefined) valid[i >> 3]! |= 1 << (i & 7)
  })
  const columns = [
    ...(table.tags.length > 0
      ? [
          text(
            'host',
            rows.map(row => row.host),
            'tag'
          )
        ]
      : []),
    times(
      'at',
      rows.map(row => row.at)
    ),
    { ...n, data: { ...n.data, valid } },
    text(
      'note',
      rows.map(row => row.note)
    )
  ]
  return engine.write([{ table, rows: rows.length, columns, op }], never)
}

/** Rows of a statement that names one table as `@`. */
export async function select(engine: Engine, table: Table, sql: string): Promise<unknown[][]> {
  const start = sql.indexOf('@')
  const relations = [{ start, end: start + 1, table, alias: 't' }]
  return rowsOf(await engine.query({ kind: 'sql', text: sql, relations, timezone: 'UTC' }, never))
}

/** All rows of a table, in any order, read without the query process, whose start takes half a second of processor time. */
export async function scan(engine: Engine, table: Table, columns: readonly string[]): Promise<unknown[][]> {
  return rowsOf(await engine.query({ kind: 'scan', table, columns }, never))
}

async function rowsOf(result: QueryResult): Promise<unknown[][]> {
  const rows: unknown[][] = []
  for await (const batch of result.batches()) {
    for (let i = 0; i < batch.rows; i++) {
      rows.push(
        batch.columns.map(({ values, valid }) => {
          const there = valid === undefined || (valid[i >> 3]! & (1 << (i & 7))) !== 0
          const value = there ? values[i] : null
          return typeof value === 'bigint' ? Number(value) : value
        })
      )
    }
  }
  return rows
}
