// The client: `weir-server/client`, for Node and browsers, without dependencies.
import { readEvents } from './events.ts'
import { type ClientOptions, createSend, type RequestOptions, type Send, textOf, WeirError } from './http.ts'
import { bodiesOf, type Item } from './items.ts'
import { type Column, type MakeRow, parseJson, type Row, readRows, rowMaker } from './records.ts'

export type { ClientOptions, RequestOptions } from './http.ts'
export { WeirError } from './http.ts'
export type { Item } from './items.ts'
export type { Column, Row } from './records.ts'

export interface IngestOptions extends RequestOptions {
  readonly table: string
  /** Name of the pipeline; default `svc_identity`, which stores items unchanged. */
  readonly pipeline?: string
  readonly version?: string
  /** Whether items that fail are left out and reported, instead of failing the whole request. */
  readonly skipErrors?: boolean
}

export interface Ingested {
  readonly rows: number
  /** Number of items left out, and the first few errors; `index` counts from the first item passed to the method. */
  readonly skipped: { readonly count: number; readonly errors: readonly { index: number; message: string }[] }
}

/** A value of a parameter `$1` or `$name` of a statement. */
export type SqlValue = string | number | boolean | null

export interface QueryOptions extends RequestOptions {
  /** Values of `$1`, `$2` … in order, or of `$name`. */
  readonly params?: readonly SqlValue[] | Readonly<Record<string, SqlValue>>
  /** Maximum number of rows. */
  readonly limit?: number
}

export interface Result<R> {
  readonly columns: readonly Column[]
  readonly rows: R[]
}

export interface PromqlQuery {
  readonly query: string
  /** A point in time: a Date, Unix seconds, or an RFC 3339 string. */
  readonly start: Date | number | string
  readonly end: Date | number | string
  /** A duration such as `15s`, or seconds. */
  readonly step: string | number
}

export interface StoredPipeline {
  readonly name: string
  readonly version: string
  /** The YAML document, if it was requested. */
  readonly pipeline?: string
}

export interface Pipelines {
  /** Stores a YAML document as a new version; `warnings` are about its unknown keys. */
  create(name: string, document: string, options?: RequestOptions): Promise<StoredPipeline & { warnings: unknown[] }>
  get(name: string, options?: RequestOptions & { readonly version?: string }): Promise<StoredPipeline>
  /** Resolves to whether the version existed. */
  remove(name: string, version: string, options?: RequestOptions): Promise<boolean>
  /** The CREATE TABLE statement of the table that the pipeline writes to. */
  ddl(name: string, table: string, options?: RequestOptions): Promise<string>
  /** Runs a stored pipeline or a document on items without storing them, and returns the resulting rows. */
  dryRun(
    of: { readonly name: string } | { readonly document: string },
    items: readonly Item[],
    options?: RequestOptions
  ): Promise<unknown>
}

export interface TailOptions extends RequestOptions {
  /** Called when the server skipped lines because this client reads too slowly. */
  onLost?(rows: number): void
}

export interface Client {
  /** Stores items in requests of some thousands, one after the other. If a request fails, the items of the requests before it are stored. */
  ingest(items: Iterable<Item> | AsyncIterable<Item>, options: IngestOptions): Promise<Ingested>
  /** All rows of one statement, held in memory. `R` is the type of a row. */
  query<R extends object = Row>(sql: string, options?: QueryOptions): Promise<Result<R>>
  /** Yields the rows of one statement while they arrive; leaving the loop ends the query. */
  stream<R extends object = Row>(sql: string, options?: QueryOptions): AsyncGenerator<R, void>
  /** Runs statements that change data; resolves to the number of affected rows. */
  execute(sql: string, options?: QueryOptions): Promise<number>
  /** The rows of one statement as an Arrow IPC stream, for `tableFromIPC` of apache-arrow or DuckDB. */
  arrow(
    sql: string,
    options?: QueryOptions & { readonly compression?: 'zstd' | 'lz4' }
  ): Promise<ReadableStream<Uint8Array<ArrayBuffer>>>
  /** Rows of a PromQL query over a time range: a column for the time, the value and each label. */
  promql<R extends object = Row>(query: PromqlQuery, options?: RequestOptions): Promise<Result<R>>
  readonly pipelines: Pipelines
  /** Log lines as they are stored: docs/logquery.md says what a query is. Ends when the server ends it; leaving the loop ends it, too. */
  tail<R extends object = Row>(query: object, options?: TailOptions): AsyncGenerator<R, void>
}

/** A client of one server. Every method rejects with WeirError, and with the reason of its signal. */
export function createClient(options: ClientOptions): Client {
  const send = createSend(options)
  const run = (sql: string, { params, limit, ...rest }: QueryOptions, more: Readonly<Record<string, string>> = {}) => {
    const body = new URLSearchParams({ ...more, sql })
    if (params !== undefined) body.set('params', JSON.stringify(params))
    if (limit !== undefined) body.set('limit', String(limit))
    return send('v1/sql', { ...rest, body, repeatable: isReading(sql) })
  }
  return {
    async ingest(items, { table, pipeline = 'svc_identity', version, skipErrors = false, ...rest }) {
      const query = { table, pipeline_name: pipeline, version, skip_error: skipErrors }
      const sum = { rows: 0, count: 0, items: 0 }
      const errors: { index: number; message: string }[] = []
      for await (const body of bodiesOf(items)) {
        const sending = { ...rest, query, body, type: 'application/x-ndjson', repeatable: false }
        const { output, skipped } = await json<IngestAnswer>(send('v1/ingest', sending))
        for (const { affectedrows } of output) sum.rows += affectedrows
        sum.count += skipped?.count ?? 0
        for (const { index, message } of skipped?.errors ?? []) errors.push({ index: sum.items + index, message })
        sum.items += body.split('\n').length
      }
      return { rows: sum.rows, skipped: { count: sum.count, errors } }
    },
    query: async (sql, more = {}) => collect(await run(sql, more)),
    async *stream<R extends object>(sql: string, more: QueryOptions = {}) {
      yield* readRows(textOf(await run(sql, more)), () => {}) as AsyncGenerator<R, void>
    },
    async execute(sql, more = {}) {
      const { output } = await json<{ output: readonly { affectedrows?: number }[] }>(run(sql, more))
      return output.reduce((sum, { affectedrows = 0 }) => sum + affectedrows, 0)
    },
    async arrow(sql, { compression, ...more } = {}) {
      return (await run(sql, more, { format: 'arrow', ...(compression && { compression }) })).body!
    },
    async promql({ query, start, end, step }, more = {}) {
      const times = { start: momentOf(start), end: momentOf(end), step: String(step) }
      return collect(
        await send('v1/promql', { ...more, body: new URLSearchParams({ query, ...times }), repeatable: true })
      )
    },
    pipelines: pipelinesOf(send),
    async *tail<R extends object>(query: object, { onLost, ...more }: TailOptions = {}) {
      const sending = { ...more, body: JSON.stringify(query), type: 'application/json', repeatable: true }
      let make: MakeRow | undefined
      for await (const { event, data } of readEvents(textOf(await send('v1/logs/tail', sending)))) {
        const told = parseJson(data) as TailEvent
        if (event === 'schema')
          make = rowMaker(told.column_schemas!.map(each => ({ name: each.name, type: each.data_type })))
        else if (event === 'rows') for (const cells of told.rows as unknown[][]) yield make!(cells) as R
        else if (event === 'lost') onLost?.(told.rows as number)
        else if (event === 'failure') throw new WeirError(told.error ?? 'the tail failed', 0, told.code)
        else if (event === 'end') return
      }
    }
  }
}

interface IngestAnswer {
  readonly output: readonly { readonly affectedrows: number }[]
  readonly skipped?: { readonly count: number; readonly errors: readonly { index: number; message: string }[] }
}

interface TailEvent {
  readonly column_schemas?: readonly { readonly name: string; readonly data_type: string }[]
  readonly rows?: unknown[][] | number
  readonly error?: string
  readonly code?: number
}

function pipelinesOf(send: Send): Pipelines {
  const path = (name: string) => `v1/pipelines/${encodeURIComponent(name)}`
  return {
    async create(name, body, options = {}) {
      const sending = { ...options, body, type: 'application/x-yaml', repeatable: false }
      const { pipelines, warnings = [] } = await json<{ pipelines: StoredPipeline[]; warnings?: unknown[] }>(
        send(path(name), sending)
      )
      return { ...pipelines[0]!, warnings }
    },
    async get(name, { version, ...options } = {}) {
      const sending = { ...options, method: 'GET', query: { version }, repeatable: true } as const
      return (await json<{ pipelines: StoredPipeline[] }>(send(path(name), sending))).pipelines[0]!
    },
    async remove(name, version, options = {}) {
      const sending = { ...options, method: 'DELETE', query: { version }, repeatable: false } as const
      return (await json<{ pipelines: unknown[] }>(send(path(name), sending))).pipelines.length > 0
    },
    async ddl(name, table, options = {}) {
      const sending = { ...options, method: 'GET', query: { table }, repeatable: true } as const
      return (await json<{ sql: { sql: string } }>(send(`${path(name)}/ddl`, sending))).sql.sql
    },
    dryRun(of, items, options = {}) {
      const what = 'name' in of ? { pipeline_name: of.name } : { pipeline: of.document }
      const body = JSON.stringify({ ...what, data: items })
      return json(send('v1/pipelines/_dryrun', { ...options, body, type: 'application/json', repeatable: true }))
    }
  }
}

async function json<T>(sent: Promise<Response>): Promise<T> {
  return parseJson(await (await sent).text()) as T
}

async function collect<R extends object>(response: Response): Promise<Result<R>> {
  let columns: readonly Column[] = []
  const rows: R[] = []
  const read = readRows(textOf(response), found => {
    columns = found
  })
  for await (const row of read) rows.push(row as R)
  return { columns, rows }
}

/** Statements that change nothing: a retry is safe when it is unknown whether the request arrived. */
function isReading(sql: string): boolean {
  return /^\s*(?:select|with|show|describe|desc|explain|tql|values|from)\b/i.test(sql) && !/;\s*\S/.test(sql)
}

function momentOf(time: Date | number | string): string {
  return time instanceof Date ? time.toISOString() : String(time)
}
