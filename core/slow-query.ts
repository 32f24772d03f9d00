// Slow queries: counted, logged, and stored in a table of the system database, where SQL can read them.
import type { Config } from './config/schema.ts'
import { formatDuration } from './config/units.ts'
import type { RequestContext } from './http/context.ts'
import type { Logger } from './log/log.ts'
import type { Metrics } from './metrics/metrics.ts'
import type { BytesData, Column, ColumnData } from './model/batch.ts'
import { bitmap, setBit } from './model/batch.ts'
import type { ColumnType } from './model/types.ts'
import type { SystemTables } from './storage/system.ts'

interface SlowQuery {
  /** The query as the user wrote it. Only its beginning is stored, without constants that follow a word such as `password`. */
  readonly query: string
  /** Milliseconds the server worked on it, without the time a slow client took to read the rows. */
  readonly cost: number
  /** Values of the columns that plugins added, by name. */
  readonly values?: Readonly<Record<string, SlowQueryValue>>
}

/** A boolean, a number of a `UInt64` column, or milliseconds since 1970. */
type SlowQueryValue = boolean | number

interface SlowQueryColumn {
  readonly name: string
  readonly type: 'Boolean' | 'UInt64' | 'TimestampMillisecond'
  /** The value of queries that have none. Absent: null. */
  readonly byDefault?: SlowQueryValue
}

/** The record of slow queries. */
export interface SlowQueries {
  /** Adds columns to the table of slow queries. To be called in a plugin's `setup`. */
  addColumns(columns: readonly SlowQueryColumn[]): void
  /** Records the query if it took longer than `slow_query.threshold`. Never throws and returns at once. */
  observe(ctx: RequestContext, query: SlowQuery): void
  /** Resolves when everything observed so far is stored. */
  flush(): Promise<void>
}

interface SlowQueryDependencies {
  readonly config: Config['slow_query']
  readonly system: SystemTables
  readonly metrics: Metrics
  readonly log: Logger
}

const slowQueryTable = 'slow_queries'

/** Characters of a query that are stored. */
const textLimit = 4096
/** Rows that may wait to be stored; further ones are only logged and counted. */
const rowsWaiting = 1000

interface Row extends SlowQuery {
  /** Nanoseconds since 1970. */
  readonly time: bigint
}

export function createSlowQueries({ config, system, metrics, log }: SlowQueryDependencies): SlowQueries {
  const counted = metrics.counter('svc_slow_queries_total', 'Queries slower than slow_query.threshold.', ['plugin'])
  const lost = metrics.counter('svc_slow_queries_lost_total', 'Slow queries that could not be kept in the table.')
  const added: SlowQueryColumn[] = []
  let waiting: Row[] = []
  let last = 0n
  let writing: Promise<void> | undefined
  const writeAll = async () => {
    for (let rows = waiting; rows.length > 0; rows = waiting) {
      waiting = []
      const columns = tableColumns(rows, config.threshold, added)
      const write = {
        table: slowQueryTable,
        rows: rows.length,
        columns,
        autoCreate: true,
        options: tableOptions(config)
      }
      await system.write('slow_query', [write]).catch((error: unknown) => {
        lost.add(rows.length)
        log.warn({ err: error }, 'slow queries could not be kept')
      })
    }
    writing = undefined
  }
  const keep = (query: SlowQuery) => {
    if (waiting.length >= rowsWaiting) return lost.add(1)
    const now = BigInt(Date.now()) * 1_000_000n
    last = now > last ? now : last + 1n
    waiting.push({ ...query, time: last })
    writing ??= writeAll()
  }
  return {
    addColumns: columns => void added.push(...columns),
    observe(from, query) {
      if (!config.enable || query.cost < config.threshold) return
      counted.add(1, { plugin: from.plugin })
      if (Math.random() >= config.sample_ratio) return
      const safe = { ...query, query: withoutSecrets(query.query).slice(0, textLimit).toWellFormed() }
      from.log.warn(
        { slow_query: { ...safe, threshold: config.threshold, db: from.db, user: from.user.name } },
        'slow query'
      )
      if (config.record_type === 'system_table') keep(safe)
    },
    flush: async () => writing
  }
}

/** Replaces constants that follow a word for something secret. */
export function withoutSecrets(query: string): string {
  const secret =
    /\b(\w*(?:password|passwd|secret|token|credential|access_key|api_key)\w*['"`]?\s*(?:=|:|=>|\s)\s*)'(?:[^']|'')*'?/gi
  return query.replace(secret, "$1'***'")
}

function tableOptions({ ttl }: Config['slow_query']) {
  return { append_mode: true, ...(ttl > 0 && { ttl: formatDuration(ttl) }) }
}

function tableColumns(rows: readonly Row[], threshold: number, added: readonly SlowQueryColumn[]): Column[] {
  const whole = (value: (row: Row) => number): ColumnData => ({
    kind: 'fixed',
    values: BigUint64Array.from(rows, row => BigInt(Math.round(value(row))))
  })
  const times: ColumnData = { kind: 'fixed', values: BigInt64Array.from(rows, ({ time }) => time) }
  const cost = whole(({ cost }) => cost)
  return [
    field('cost', 'UInt64', cost),
    field(
      'threshold',
      'UInt64',
      whole(() => threshold)
    ),
    field('query', 'String', texts(rows.map(({ query }) => query))),
    { name: 'timestamp', type: 'TimestampNanosecond', semantic: 'timestamp', data: times },
    ...added.map(column => field(column.name, column.type, addedData(rows, column)))
  ]
}

function addedData(rows: readonly Row[], { name, type, byDefault }: SlowQueryColumn): ColumnData {
  const found = rows.map(({ values = {} }) => values[name] ?? byDefault)
  const valid = bitmap(rows.length, false)
  for (const [i, value] of found.entries()) if (value !== undefined) setBit(valid, i)
  const integers = () => found.map((value = 0) => BigInt(Math.round(Number(value))))
  if (type === 'Boolean') return { kind: 'fixed', values: Uint8Array.from(found, (value = 0) => Number(value)), valid }
  const array = type === 'UInt64' ? BigUint64Array : BigInt64Array
  return { kind: 'fixed', values: array.from(integers()), valid }
}

function field(name: string, type: ColumnType, data: ColumnData): Column {
  return { name, type, semantic: 'field', data }
}

function texts(values: readonly string[]): BytesData {
  const parts = values.map(value => Buffer.from(value))
  const offsets = new Uint32Array(parts.length + 1)
  parts.forEach((part, i) => {
    offsets[i + 1] = offsets[i]! + part.length
  })
  return { kind: 'bytes', offsets, bytes: Buffer.concat(parts) }
}
