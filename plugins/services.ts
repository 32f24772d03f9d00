// Service interfaces of the built-in plugins, for plugins that build on one, and how a request's pipeline is found.
import type { IncomingHttpHeaders } from 'node:http'
import {
  type DbError,
  enabledService,
  type ItemBatch,
  type ItemError,
  type PartRead,
  type RecordsAnswer,
  type RequestContext,
  type SeriesLabel,
  type SeriesName,
  type ServerKind,
  type SqlQuery,
  type Steps,
  type TableWrite,
  type TimeUnit
} from '../core/index.ts'

export type { DashboardHost, DashboardMount, DashboardRequest } from './dashboard/host.ts'

/** Runs log pipelines. */
export interface PipelinesService {
  /**
   * Runs a stored or built-in pipeline over items; writes nothing. The batch must not be used afterwards. Throws DbError `InvalidArguments`
   * for an unknown pipeline or version, and ItemsError for the first item that fails, unless `skipError`.
   */
  run(ctx: RequestContext, name: string, items: ItemBatch, options: PipelineRunOptions): Promise<PipelineResult>
  /**
   * Like `run`, with a body that has one of the content types of `decodeItems`. The body must not be used afterwards. Also throws what
   * `decodeItems` throws.
   */
  runBody(
    ctx: RequestContext,
    name: string,
    body: Buffer,
    contentType: string,
    options: PipelineRunOptions
  ): Promise<PipelineResult>
  /** Reads the headers about pipelines, which are the same for every protocol. */
  readHeaders(headers: IncomingHttpHeaders): PipelineHeaders
  /** The pipeline that headers name, ready to run; undefined if they name none. `given` are values that override the headers. */
  requested(headers: IncomingHttpHeaders, given?: PipelineHeaders): RequestedPipeline | undefined
  /**
   * Registers a kind of processor; for a plugin's `setup`. Its module is loaded here and in each thread that runs pipelines, because
   * pipelines run off the event loop. Throws DbError `InvalidArguments` if the module does not export a processor, or the kind is taken.
   */
  addProcessor(source: ProcessorModule): Promise<void>
}

/** The module with a processor's code. */
export interface ProcessorModule {
  /** URL of the module, for example `new URL('./processor.js', import.meta.url)`. Its default export is a `ProcessorFactory`. */
  readonly module: URL
  /** Passed to the factory: plain data, cloned for other threads. */
  readonly settings?: unknown
  /** Called on the main thread with each message the processor sends, for example to count or log. */
  readonly onMessage?: (message: unknown) => void
}

/** Makes a kind of processor. Called once per thread. */
export type ProcessorFactory<Settings = never> = (settings: Settings, host: ProcessorHost) => ProcessorDefinition

/** The server as a processor sees it. */
export interface ProcessorHost {
  /** Names of fields that set options of the table instead of becoming columns, such as `svc_ttl`. */
  readonly variables: ReadonlySet<string>
  /** Sends plain data to `onMessage` of the plugin that added the processor. */
  send(message: unknown): void
}

/** The options for pipelines in a request's headers; absent members were not given. */
export interface PipelineHeaders {
  /** From `x-svc-pipeline-name`, else `x-svc-log-pipeline-name`. */
  readonly name?: string
  /** From `x-svc-pipeline-version`, else `x-svc-log-pipeline-version`. */
  readonly version?: string
  /** From `skip_error` in `x-svc-pipeline-params`; overrides the query parameter, in both directions. */
  readonly skipError?: boolean
  /** From `max_nested_levels` in `x-svc-pipeline-params`. */
  readonly maxNestedLevels?: number
}

/**
 * The pipeline that a request's headers name, ready to run; undefined if they name none. `given` are values that override the headers.
 * Throws DbError `Unsupported` if one is named while the plugin `pipelines` is off: storing the data in another form than was asked for would
 * be worse.
 */
export function requestedPipeline(
  pipelines: PipelinesService | undefined,
  headers: IncomingHttpHeaders,
  given: PipelineHeaders = {}
): RequestedPipeline | undefined {
  const names = [given.name, headers['x-svc-pipeline-name'], headers['x-svc-log-pipeline-name']]
  if (pipelines === undefined && names.every(name => !name?.toString().trim())) return undefined
  return enabledService(pipelines, 'pipelines', 'a pipeline').requested(headers, given)
}

/** A pipeline that a request names. */
export interface RequestedPipeline {
  /** Runs it with the request's options, like `PipelinesService.run`. */
  run(ctx: RequestContext, items: ItemBatch, target: PipelineTarget): Promise<PipelineResult>
}

/** The parts of `PipelineRunOptions` that a protocol decides. */
export type PipelineTarget = Pick<PipelineRunOptions, 'table' | 'customTimeIndex'>

/** Options of one run of a pipeline. */
export interface PipelineRunOptions {
  /** Target table, without the suffix that the pipeline may add. */
  readonly table: string
  /** Version as text; absent: the latest. */
  readonly version?: string
  /** True: failing items are left out and reported, instead of failing the run. */
  readonly skipError?: boolean
  /** `svc_identity` only: levels of nesting that are flattened; default 10. */
  readonly maxNestedLevels?: number
  /** `svc_identity` only: `field;epoch;<unit>` or `field;datestr;<format>`. */
  readonly customTimeIndex?: string
  /** True: an invalid custom time becomes the current time, and items that could not be decoded are left out and reported. */
  readonly ignoreErrors?: boolean
  /** Number of left-out items that the result describes; default 10. */
  readonly maxErrors?: number
}

/** The result of running a pipeline over items. */
export interface PipelineResult {
  /**
   * One write per group of rows with the same table and options; store all with one `Store.write`. Groups with equal options share the
   * object.
   */
  readonly writes: readonly TableWrite[]
  readonly skipped: { readonly count: number; readonly errors: readonly ItemError[] }
  /** Number of items that a filter removed. */
  readonly filtered: number
}

/** A kind of processor. */
export interface ProcessorDefinition {
  /** Its key in a pipeline document. */
  readonly kind: string
  /**
   * Checks the options and makes the processor. `path` is its path in the document, for error messages. Throws DbError `InvalidArguments`.
   */
  compile(options: ProcessorOptions, path: string): Processor
  /** Its reference documentation. Options it does not name cause a warning. */
  readonly doc?: ProcessorDoc
}

/** Documentation of a kind of processor. Texts are Markdown without headings. */
export interface ProcessorDoc {
  readonly summary: string
  /** Without `field`, `fields` and `ignore_missing`, unless they have a meaning of their own. */
  readonly options: readonly {
    readonly name: string
    readonly type: string
    /** Absent: the option is required. */
    readonly default?: string
    readonly text: string
  }[]
  /** One entry of `processors`, with an item before and after. */
  readonly example: { readonly yaml: string; readonly input: string; readonly output: string }
}

/**
 * A processor in a compiled pipeline. It handles every live row of a batch and fails rows it cannot handle; it never throws because of an
 * item's content.
 */
export interface Processor {
  /** `written` is for processors whose script, not their options, decides which fields are written: they mark variables row by row. */
  apply(batch: ItemBatch, written?: WrittenVariables): void
  /** Names of the fields it writes, as far as the options tell; absent: those in `field` or `fields`. */
  readonly writes?: readonly string[]
  /** Fields that it sets to a timestamp in every item that passes; a pipeline without a transform finds its time index in them. */
  readonly times?: readonly { readonly field: string; readonly unit: TimeUnit }[]
}

/**
 * Rows in which a pipeline's own script has written a field of `ProcessorHost.variables`. Values that came with the data set no table
 * options.
 */
export interface WrittenVariables {
  has(name: string, row: number): boolean
  mark(name: string, row: number): void
  unmark(name: string, row: number): void
}

/** A field to read (`from`) and one to write (`to`); both are the same unless renamed. */
export interface FieldPair {
  readonly from: string
  readonly to: string
}

/** The options of a processor in a document. Every reader throws `error` if the option has another type. */
export interface ProcessorOptions {
  /** All options as written; integers are bigint, maps are Map. */
  readonly entries: ReadonlyMap<string, unknown>
  /** From `field` or `fields`, whichever comes later. */
  readonly fields: readonly FieldPair[]
  readonly ignoreMissing: boolean
  text(key: string): string | undefined
  flag(key: string): boolean | undefined
  /** A list of texts. */
  texts(key: string): readonly string[] | undefined
  /** A DbError `InvalidArguments` that names the processor and its line. */
  error(message: string): DbError
}

/** Evaluates PromQL over metrics, and over every other table with a time index. */
export interface PromqlService {
  /**
   * Evaluates a query in the context's database. Throws DbError: `InvalidSyntax` for invalid text, status 422 if the data do not allow it,
   * `DeadlineExceeded`.
   */
  query(ctx: RequestContext, request: PromqlRequest): Promise<PromqlResult>
  /**
   * Label sets of the series that match any selector and have samples in the range, sorted by labels. Throws DbError `InvalidSyntax` for an
   * invalid selector.
   */
  series(ctx: RequestContext, selectors: readonly string[], range: PromqlRange): Promise<readonly PromqlLabels[]>
  /** Label names of such series, sorted; without selectors, of all metrics. */
  labelNames(ctx: RequestContext, selectors: readonly string[], range: PromqlRange): Promise<readonly string[]>
  /** Values of one label, sorted. `__name__`, `__field__`, `__database__` and `__schema__` count as labels. */
  labelValues(
    ctx: RequestContext,
    label: string,
    selectors: readonly string[],
    range: PromqlRange
  ): Promise<readonly string[]>
  /** Milliseconds of a PromQL duration (`1h30m`); undefined if invalid. */
  duration(text: string): number | undefined
  /** A query with canonical white space. */
  format(text: string): string
  /** A query's syntax tree, as the Prometheus API returns it. */
  parse(text: string): unknown
}

/** A PromQL query and its range of time. */
export interface PromqlRequest {
  readonly text: string
  /** Milliseconds since 1970. */
  readonly start: number
  readonly end: number
  /** Milliseconds; absent for an instant query, whose `start` and `end` are equal. */
  readonly step?: number
  /** Lookback delta in milliseconds. */
  readonly lookback?: number
  /** Time limit in milliseconds, including waiting; effective if below the plugin's own limit. */
  readonly timeout?: number
  /** True: `stats.seen` counts the samples that selectors see. */
  readonly counted?: boolean
}

/** Milliseconds since 1970, both ends included; absent: no bound. */
export interface PromqlRange {
  readonly from?: number
  readonly to?: number
}

/** Labels sorted by name, including `__name__`. */
export type PromqlLabels = Readonly<Record<string, string>>

/** The result of a PromQL query. */
export interface PromqlResult {
  readonly type: 'scalar' | 'vector' | 'matrix' | 'string'
  /** Number of series. */
  readonly series: number
  readonly warnings: readonly string[]
  readonly infos: readonly string[]
  readonly stats: PromqlStats
  /** `{"resultType":…,"result":…}` as the Prometheus API writes it, with at most `limit` series; 0 means no limit. */
  json(limit: number): Iterable<string>
  /** One row per sample, by series and time: the time, the value (named `name`, default `svc_value`), and a column for each label. */
  records(name?: string): RecordsAnswer
  /** Instant queries only: the samples of a vector, or the sample of a scalar. */
  samples(): Iterable<PromqlSample>
}

/** A sample of an instant query. */
export interface PromqlSample {
  readonly labels: PromqlLabels
  /** Undefined for a native histogram. */
  readonly value: number | undefined
  /** A native histogram; its counts may have fractions. */
  readonly histogram?: NativeHistogram
}

/** The cost of a query. */
export interface PromqlStats {
  /** Milliseconds spent waiting for admission, reading samples, computing, and sorting the result. */
  readonly took: {
    readonly waiting: number
    readonly preparing: number
    readonly computing: number
    readonly sorting: number
  }
  /** Maximum number of samples held at a time. */
  readonly peak: number
  /** How the files and memtables of its tables were read. */
  readonly reading: () => readonly PartRead[]
  /** Samples that selectors saw, in total and per step (milliseconds since 1970); only with `counted`. */
  readonly seen?: { readonly total: number; readonly perStep: readonly (readonly [time: number, samples: number])[] }
}

/** The record of slow queries, for every plugin that runs queries of users. */
export interface SlowQueryService {
  /** Runs a query and observes it once it has failed or its rows have been read. `query` is its text. */
  watch<T extends object>(ctx: RequestContext, query: string, run: () => Promise<T>): Promise<T>
  /** Records the query if it took `slow_query.threshold` or longer. Never throws and returns at once. */
  observe(ctx: RequestContext, query: SlowQuery): void
}

/** A query that has ended. */
export interface SlowQuery {
  /** The query as the user wrote it. Only its beginning is stored, without constants that follow a word such as `password`. */
  readonly query: string
  /** Milliseconds the server worked on it, without the time a slow client took to read the rows. */
  readonly cost: number
  /** Of PromQL: milliseconds since 1970, and milliseconds; an instant query has no step. */
  readonly promql?: Pick<PromqlRequest, 'start' | 'end' | 'step'>
}

/** SQL queries for other plugins. */
export interface SqlQueryService {
  /**
   * Runs one reading statement in the context's database. `params` are the values of `$1`, `$2` …, of `?` in order, or of `$name`; they never
   * become part of the text. Throws DbError: `InvalidSyntax`, `AccessDenied` for a statement that would change something, and errors of the
   * statement itself. The answer can be read once, by batches or with `rowsOf`.
   */
  query(ctx: RequestContext, text: string, params?: SqlParameters): Promise<RecordsAnswer>
  /**
   * Replaces rows of a table in one write: puts the rows of a query, and deletes those that meet `where` and have tags and time of no row of
   * the query. Returns the number of rows put.
   */
  replace(ctx: RequestContext, rows: ReplacedRows): Promise<number>
  /** The plan of a query, for `store.query`; with `follow`, it runs over the rows of its only table as they are written. */
  plan(ctx: RequestContext, text: string): Promise<SqlQuery>
  /** Registers the service that stores flows, for statements about flows. */
  useFlows(flows: FlowsService): void
}

/** A replacement of rows, for `SqlQueryService.replace`. */
export interface ReplacedRows {
  readonly database: string
  readonly table: string
  /** Columns of the table, in the order of the query's columns. */
  readonly columns: readonly string[]
  readonly query: string
  /** An SQL condition; empty: all rows. */
  readonly where: string
}

/** A query that aggregates by windows of time, in parts. For some windows it is `before WHERE condition AND … after`. */
export interface FlowQuery {
  readonly source: { readonly database: string; readonly table: string }
  readonly before: string
  readonly condition: string
  readonly after: string
  /** The text of its FROM. */
  readonly from: string
  /** SQL of the time index, and of the beginning and length of its window. */
  readonly time: string
  readonly window: string
  readonly length: string
  /** Index of the result column that holds the window. */
  readonly windowColumn: number
}

/** A flow: a query that keeps its sink table up to date. */
export interface FlowDefinition {
  readonly database: string
  readonly name: string
  /** The table that gets its rows. */
  readonly sink: { readonly database: string; readonly table: string }
  /** Columns of the result, in order. */
  readonly columns: readonly string[]
  readonly query: FlowQuery
  /** The query as the user wrote it. */
  readonly text: string
  readonly timezone: string
  /** Windows that began longer ago than this (milliseconds) are not computed again. */
  readonly expireAfter: number | undefined
  readonly comment: string | undefined
  /** Milliseconds since 1970. */
  readonly createdAt: number
}

/** Keeps aggregate tables up to date with their source tables (materialised views). */
export interface FlowsService {
  /**
   * Creates a flow; `existing` says what becomes of one of the same name. Resolves when its sink is filled. Throws DbError `InvalidArguments` where the
   * other one forbids it, where there are too many, and where its rows would come back to the table it reads.
   */
  create(ctx: RequestContext, flow: FlowDefinition, existing: 'keep' | 'replace' | 'refuse'): Promise<void>
  drop(ctx: RequestContext, database: string, name: string): Promise<void>
  /** Sorted by name. */
  list(database: string): readonly FlowDefinition[]
  /** Resolves when everything written before the call is in the sink. */
  flush(ctx: RequestContext, database: string, name: string): Promise<void>
}

/** A value of a parameter; a number that is an integer counts as one. */
export type SqlParameter = string | number | bigint | boolean | null
/** Values by position, or by name. */
export type SqlParameters = readonly SqlParameter[] | Readonly<Record<string, SqlParameter>>

/** Alerting and recording rules. */
export interface AlertingService {
  /** Groups with their rules, as the Prometheus API returns them. Groups without a matching rule are left out. */
  rules(filter: RuleFilter): readonly unknown[]
  /** Pending and firing alerts, of one database or of all. */
  alerts(db: string | undefined): readonly unknown[]
}

/** Selects rules; absent or empty members match all. */
export interface RuleFilter {
  readonly db?: string | undefined
  readonly kind?: 'alert' | 'record' | undefined
  readonly names?: readonly string[]
  readonly groups?: readonly string[]
  readonly files?: readonly string[]
  readonly withoutAlerts?: boolean
}

/** How metrics are stored, for every protocol that brings some: samples as a `SeriesWrite` with these names, everything else as rows. */
export interface MetricsysService {
  /** Columns of metric tables. */
  readonly timeColumn: string
  readonly valueColumn: string
  /** The default physical table of metrics. */
  readonly physicalTable: string
  /** Throws DbError `InvalidArguments` for an invalid metric name or label name. */
  checkMetric(name: string): void
  checkLabel(name: string, metric: string): void
  /** Counts label values per label name, for new series. */
  countLabels(labels: readonly SeriesLabel[]): void
  /** The quota for a write of so many rows. */
  quota(db: string, rows: number): MetricsQuota
  /** One write per table. Throws DbError, see `checkHistogram`. */
  histogramWrites(rows: readonly HistogramRow[], physicalTable: string): Steps<readonly TableWrite[]>
  /** Throws DbError `InvalidArguments` that tells what is inconsistent. */
  checkHistogram(histogram: NativeHistogram): void
  /** One write per database. Exemplars of the same series and time replace each other. */
  exemplarWrites(rows: readonly ExemplarRow[]): Steps<readonly TableWrite[]>
  /** The metadata that is not stored yet; undefined if all is. Call `stored` once the write has resolved. */
  metadataWrite(
    db: string,
    rows: readonly MetricMetadata[]
  ): Steps<{ readonly write: TableWrite; stored(): void } | undefined>
  /** Registers the service that answers `rules` and `alerts` of the query API. */
  serveRules(rules: AlertingService): void
}

/** The metrics that a request may still add; both methods throw LimitReached. Known series always fit. */
export interface MetricsQuota {
  /** Checks a row of a series. */
  check(name: SeriesName, physicalTable: string): void
  checkExemplar(name: SeriesName): void
}

/** A sample that is a native histogram. */
export interface HistogramRow {
  readonly name: SeriesName
  /** Milliseconds since 1970. */
  readonly time: bigint
  readonly histogram: NativeHistogram
}

/** A histogram with exponential buckets, as remote write defines it. */
export interface NativeHistogram {
  /** True: counts may have fractions; false: they are integers. */
  readonly float: boolean
  readonly schema: number
  readonly zeroThreshold: number
  /** The bits of the sum as a double; this keeps the NaN that marks a stale series. */
  readonly sumBits: bigint
  /** 0 unknown, 1 reset, 2 none, 3 gauge. */
  readonly resetHint: number
  /** Milliseconds since 1970, 0 if unknown. */
  readonly startTime: bigint
  readonly customValues: readonly number[]
  readonly count: bigint | number
  readonly zeroCount: bigint | number
  readonly positive: HistogramBuckets
  readonly negative: HistogramBuckets
}

/** Absolute counts of the buckets that the spans cover. */
export interface HistogramBuckets {
  readonly spans: readonly { readonly offset: number; readonly length: number }[]
  readonly counts: readonly (bigint | number)[]
}

/** An exemplar: a measured value, for example with the trace it belongs to. */
export interface ExemplarRow {
  /** The series it belongs to. */
  readonly name: SeriesName
  /** UTF-8 values by name; `trace_id` and `span_id` have columns of their own. */
  readonly labels: ReadonlyMap<string, Uint8Array>
  readonly value: number
  /** Milliseconds since 1970. */
  readonly time: bigint
}

/** Type, unit and description of a metric. */
export interface MetricMetadata {
  readonly metric: string
  /** A type of the exposition format: counter, gauge, histogram, summary, unknown … */
  readonly type: string
  readonly unit: string
  readonly help: string
}

/** Stores OTLP requests, for every transport. */
export interface TelemetryService {
  /**
   * Stores an Export…ServiceRequest. Throws DbError if nothing of it is stored: `InvalidArguments` if it is invalid or too large, and errors
   * of the store.
   */
  receive(signal: TelemetrySignal, request: TelemetryRequest): Promise<TelemetryTaken>
  /** The Export…ServiceResponse as protobuf; empty if everything was taken. */
  answer(taken: TelemetryTaken): Uint8Array
}

/** A kind of OTLP data. */
export type TelemetrySignal = 'metrics' | 'traces' | 'logs'

/** An OTLP request. */
export interface TelemetryRequest {
  readonly ctx: RequestContext
  /** Headers `x-svc-…` as over HTTP: tables, pipelines, names of metrics. */
  readonly headers: IncomingHttpHeaders
  /** The Export…ServiceRequest as protobuf. */
  readonly body: Uint8Array
}

/** The result of an OTLP request. */
export interface TelemetryTaken {
  /** Number of spans, data points or log records that were left out. */
  readonly rejected: number
  /** The reason for the first of them; if there are none, a warning or an empty text. */
  readonly message: string
}

/** The dashboard, for plugins that add pages. */
export interface DashboardService {
  /** Throws TypeError if the name is taken or not a word. */
  addPage(page: DashboardPage): void
  /** In the order they were added. */
  pages(): readonly DashboardPage[]
}

/** A page that a plugin adds to the dashboard. */
export interface DashboardPage {
  /** A word; the page's address is `/dashboard/x/{name}`. */
  readonly name: string
  /** Its entry in the navigation. */
  readonly title: string
  /**
   * File of an ES module without imports: JavaScript, or TypeScript for a plugin that runs from source. Its default export is a
   * DashboardMount (docs/dashboard.md).
   */
  readonly module: string | URL
  /** Default: both. */
  readonly servers?: readonly ServerKind[]
}

declare module '../core/plugin.ts' {
  interface ServiceMap {
    dashboard: DashboardService
    metricsys: MetricsysService
    promql: PromqlService
    pipelines: PipelinesService
    slowquery: SlowQueryService
    sql: SqlQueryService
    flows: FlowsService
    telemetry: TelemetryService
  }
}
