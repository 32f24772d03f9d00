// Service interfaces of the built-in plugins: types only, for plugins that build on one.
import type { IncomingHttpHeaders } from 'node:http'
import type {
  DbError,
  ItemBatch,
  ItemError,
  PartRead,
  RecordsAnswer,
  RequestContext,
  SeriesLabel,
  SeriesName,
  ServerKind,
  SqlQuery,
  Steps,
  TableWrite,
  TimeUnit
} from '../core/index.ts'

export type { DashboardHost, DashboardMount, DashboardRequest } from './dashboard/host.ts'

/** Runs log pipelines. */
export interface PipelinesService {
  /**
   * Runs a stored or built-in pipeline over items; writes nothing. The batch is used up. Throws DbError `InvalidArguments` for an
   * unknown pipeline or version and ItemsError for the first item that fails, unless `skipError`.
   */
  run(ctx: RequestContext, name: string, items: ItemBatch, options: PipelineRunOptions): Promise<PipelineResult>
  /**
   * The same with a body that is still to be decoded: one of the content types of `decodeItems`. The body is used up. Throws what
   * `decodeItems` throws, too.
   */
  runBody(
    ctx: RequestContext,
    name: string,
    body: Buffer,
    contentType: string,
    options: PipelineRunOptions
  ): Promise<PipelineResult>
  /** What a request's headers say about pipelines, the same for every protocol. */
  readHeaders(headers: IncomingHttpHeaders): PipelineHeaders
  /**
   * Makes one more kind of processor known, for a plugin's `setup`. Its module is loaded here and in each thread that runs pipelines:
   * a processor never holds the event loop. DbError `InvalidArguments` when the module makes no processor or the kind is taken.
   */
  addProcessor(source: ProcessorModule): Promise<void>
}

/** Where the code of a processor is. */
export interface ProcessorModule {
  /** Its default export is a `ProcessorFactory`: `new URL('./processor.js', import.meta.url)`. */
  readonly module: URL
  /** Handed to the factory: plain data, which passes between threads. */
  readonly settings?: unknown
  /** Receives what the processor sends, in the server's own thread: to count, or to log. */
  readonly onMessage?: (message: unknown) => void
}

/** Makes a kind of processor; called once in each thread. */
export type ProcessorFactory<Settings = never> = (settings: Settings, host: ProcessorHost) => ProcessorDefinition

/** What a processor has of its surroundings. */
export interface ProcessorHost {
  /** Names of the fields that set options of the table instead of becoming columns, `svc_ttl` and the like. */
  readonly variables: ReadonlySet<string>
  /** Hands plain data to `onMessage` of whoever added the processor. */
  send(message: unknown): void
}

/** Members are absent where the request does not say. */
export interface PipelineHeaders {
  /** From `x-svc-pipeline-name`, else `x-svc-log-pipeline-name`. */
  readonly name?: string
  /** From `x-svc-pipeline-version`, else `x-svc-log-pipeline-version`. */
  readonly version?: string
  /** From `skip_error` in `x-svc-pipeline-params`; wins over a parameter of the query, in both directions. */
  readonly skipError?: boolean
  /** From `max_nested_levels` in `x-svc-pipeline-params`. */
  readonly maxNestedLevels?: number
}

export interface PipelineRunOptions {
  /** Target table before any suffix. */
  readonly table: string
  /** Version as text; latest when absent. */
  readonly version?: string
  /** Failing items are left out and reported instead of failing the run. */
  readonly skipError?: boolean
  /** `svc_identity` only: levels of nesting that are flattened, default 10. */
  readonly maxNestedLevels?: number
  /** `svc_identity` only: `field;epoch;<unit>` or `field;datestr;<format>`. */
  readonly customTimeIndex?: string
  /** An unusable custom time value becomes the current time; items that could not be decoded are left out and reported. */
  readonly ignoreErrors?: boolean
  /** How many items that were left out the result tells of, default 10. */
  readonly maxErrors?: number
}

export interface PipelineResult {
  /** One per group of rows with the same table and options; all belong to one atomic write. Groups with equal options share the object. */
  readonly writes: readonly TableWrite[]
  readonly skipped: { readonly count: number; readonly errors: readonly ItemError[] }
  /** Items taken out on purpose by a filter. */
  readonly filtered: number
}

/** A kind of pipeline step. */
export interface ProcessorDefinition {
  /** Its key in a document. */
  readonly kind: string
  /** Checks the options and makes the step; `path` says where it stands, for messages at run time. Throws DbError `InvalidArguments`. */
  compile(options: ProcessorOptions, path: string): Processor
  /** What the reference page says of it. Options that it does not name are warned about. */
  readonly doc?: ProcessorDoc
}

/** A kind of processor for its users. Texts are Markdown without headings. */
export interface ProcessorDoc {
  readonly summary: string
  /** Without `field`, `fields` and `ignore_missing`, unless they mean something of their own. */
  readonly options: readonly {
    readonly name: string
    readonly type: string
    /** Absent: required. */
    readonly default?: string
    readonly text: string
  }[]
  /** One entry of `processors`, with an item before and after. */
  readonly example: { readonly yaml: string; readonly input: string; readonly output: string }
}

/** One step of a compiled pipeline. Works on every live row of a batch and fails those it cannot take; never throws for what is in an item. */
export interface Processor {
  /** `written` is for those whose options do not say which fields they write: they mark what their own text writes, row by row. */
  apply(batch: ItemBatch, written?: WrittenVariables): void
  /** Names of the fields it writes as far as its options say them; absent: those its `field` or `fields` lead to. */
  readonly writes?: readonly string[]
  /** Fields it fills with a timestamp in every item that passes; lets a pipeline without a transform find its time index. */
  readonly times?: readonly { readonly field: string; readonly unit: TimeUnit }[]
}

/** In which rows which of `ProcessorHost.variables` were written by a pipeline's own text. What came with data sets no options. */
export interface WrittenVariables {
  has(name: string, row: number): boolean
  mark(name: string, row: number): void
  unmark(name: string, row: number): void
}

/** What a field option names: read `from`, write `to`; both are the same unless renamed. */
export interface FieldPair {
  readonly from: string
  readonly to: string
}

/** The options of one processor in a document. Every reader throws `error` when the option has another type. */
export interface ProcessorOptions {
  /** As written; integers are bigint, maps are Map. */
  readonly entries: ReadonlyMap<string, unknown>
  /** From `field` or `fields`, whichever stands later. */
  readonly fields: readonly FieldPair[]
  readonly ignoreMissing: boolean
  text(key: string): string | undefined
  flag(key: string): boolean | undefined
  /** A list of texts. */
  texts(key: string): readonly string[] | undefined
  /** DbError `InvalidArguments` that names the processor and its line. */
  error(message: string): DbError
}

/** Evaluates PromQL over the metric tables and every other table with a time index. */
export interface PromqlService {
  /**
   * Runs a query in the context's database. Throws DbError: `InvalidSyntax` for the text, status 422 for what the data do not allow,
   * `DeadlineExceeded`.
   */
  query(ctx: RequestContext, request: PromqlRequest): Promise<PromqlResult>
  /**
   * Label sets of the series that match any of the selectors and have samples in the range, by their labels. Throws DbError
   * `InvalidSyntax` for what is no selector.
   */
  series(ctx: RequestContext, selectors: readonly string[], range: PromqlRange): Promise<readonly PromqlLabels[]>
  /** Names of the labels such series have, sorted; without selectors those of all metrics. */
  labelNames(ctx: RequestContext, selectors: readonly string[], range: PromqlRange): Promise<readonly string[]>
  /** Values of one label, sorted; `__name__`, `__field__`, `__database__` and `__schema__` are labels, too. */
  labelValues(
    ctx: RequestContext,
    label: string,
    selectors: readonly string[],
    range: PromqlRange
  ): Promise<readonly string[]>
  /** A duration as queries write it (`1h30m`), in milliseconds; undefined when it is none. */
  duration(text: string): number | undefined
  /** A query with canonical spaces. */
  format(text: string): string
  /** A query's tree as the Prometheus API shows it. */
  parse(text: string): unknown
}

export interface PromqlRequest {
  readonly text: string
  /** Milliseconds since 1970. */
  readonly start: number
  readonly end: number
  /** Milliseconds; absent in an instant query, whose start is its end. */
  readonly step?: number
  /** Milliseconds a sample counts for. */
  readonly lookback?: number
  /** Milliseconds the query may take, waiting included, where that is less than the plugin's own limit. */
  readonly timeout?: number
  /** Whether `stats` of the result counts what selectors see. */
  readonly counted?: boolean
}

/** Milliseconds since 1970, both ends included; absent: no bound. */
export interface PromqlRange {
  readonly from?: number
  readonly to?: number
}

/** Sorted by name; `__name__` is one of them. */
export type PromqlLabels = Readonly<Record<string, string>>

export interface PromqlResult {
  readonly type: 'scalar' | 'vector' | 'matrix' | 'string'
  /** How many there are. */
  readonly series: number
  readonly warnings: readonly string[]
  readonly infos: readonly string[]
  readonly stats: PromqlStats
  /** `{"resultType":…,"result":…}` as the Prometheus API writes it; at most `limit` series, 0 is no limit. */
  json(limit: number): Iterable<string>
  /** One row per sample, by series and time: the time, the value (`name`, else `svc_value`), a column for each label. */
  records(name?: string): RecordsAnswer
  /** Of an instant query: a vector's samples, or the one of a scalar. */
  samples(): Iterable<PromqlSample>
}

export interface PromqlSample {
  readonly labels: PromqlLabels
  /** Undefined for a native histogram. */
  readonly value: number | undefined
  /** Of a native histogram alone; its counts may have fractions. */
  readonly histogram?: NativeHistogram
}

/** What a query cost. */
export interface PromqlStats {
  /** Milliseconds: waiting for its turn, reading samples, computing, sorting the result. */
  readonly took: {
    readonly waiting: number
    readonly preparing: number
    readonly computing: number
    readonly sorting: number
  }
  /** Samples held at most at a time. */
  readonly peak: number
  /** How the files and memtables of its tables were read. */
  readonly reading: () => readonly PartRead[]
  /** Samples that selectors saw, where they were counted, and by step (milliseconds since 1970). */
  readonly seen?: { readonly total: number; readonly perStep: readonly (readonly [time: number, samples: number])[] }
}

/** Asks SQL for other plugins. */
export interface SqlQueryService {
  /**
   * Runs one statement that reads, in the context's database. `params` are the values of `$1`, `$2` … or of `?` in their order, or by name
   * of `$name`: they are never text of the statement. Throws DbError: `InvalidSyntax`, `AccessDenied` for a statement that would change
   * something, and what the statement itself leads to. What is answered is read once, by batches or with `rowsOf`.
   */
  query(ctx: RequestContext, text: string, params?: SqlParameters): Promise<RecordsAnswer>
  /**
   * Puts the rows of a query into a table and takes away those of it that meet `where` and have the tags and time of none of them: in one
   * write. How many rows it put.
   */
  replace(ctx: RequestContext, rows: ReplacedRows): Promise<number>
  /** A query as the store takes it, for `store.query`: with `follow`, it runs over the rows of its only table that are written from now on. */
  plan(ctx: RequestContext, text: string): Promise<SqlQuery>
  /** Who keeps flows, for the statements about them. */
  useFlows(flows: FlowsService): void
}

export interface ReplacedRows {
  readonly database: string
  readonly table: string
  /** Columns of the table the columns of the query stand for. */
  readonly columns: readonly string[]
  readonly query: string
  /** A condition; empty: all rows. */
  readonly where: string
}

/** A query over windows of time, in parts: between two windows it is `before WHERE condition AND … after`. */
export interface FlowQuery {
  readonly source: { readonly database: string; readonly table: string }
  readonly before: string
  readonly condition: string
  readonly after: string
  /** What stands in FROM. */
  readonly from: string
  /** The time index, and the beginning and length of its window, as SQL. */
  readonly time: string
  readonly window: string
  readonly length: string
  /** Which column of the result the window is. */
  readonly windowColumn: number
}

export interface FlowDefinition {
  readonly database: string
  readonly name: string
  /** Where its rows go. */
  readonly sink: { readonly database: string; readonly table: string }
  /** Of the result, in order. */
  readonly columns: readonly string[]
  readonly query: FlowQuery
  /** The query as written. */
  readonly text: string
  readonly timezone: string
  /** Windows that began so many milliseconds ago stay as they are. */
  readonly expireAfter: number | undefined
  readonly comment: string | undefined
  /** Milliseconds since 1970. */
  readonly createdAt: number
}

/** Keeps tables of aggregates up to date with the tables they are made of. */
export interface FlowsService {
  /** Replaces one of the same name. Answers when its table is filled. */
  create(ctx: RequestContext, flow: FlowDefinition): Promise<void>
  drop(ctx: RequestContext, database: string, name: string): Promise<void>
  /** By name. */
  list(database: string): readonly FlowDefinition[]
  /** Resolves when what was written before is in its table. */
  flush(ctx: RequestContext, database: string, name: string): Promise<void>
}

/** Numbers that are integers are taken as such. */
export type SqlParameter = string | number | bigint | boolean | null
export type SqlParameters = readonly SqlParameter[] | Readonly<Record<string, SqlParameter>>

/** Rules of alerts and recorded series. */
export interface AlertingService {
  /** Groups with rules, as the Prometheus API shows them; those without a rule that is wanted are left out. */
  rules(filter: RuleFilter): readonly unknown[]
  /** Alerts that are pending or fire, of one database or of all. */
  alerts(db: string | undefined): readonly unknown[]
}

/** What is absent or empty wants all. */
export interface RuleFilter {
  readonly db?: string | undefined
  readonly kind?: 'alert' | 'record' | undefined
  readonly names?: readonly string[]
  readonly groups?: readonly string[]
  readonly files?: readonly string[]
  readonly withoutAlerts?: boolean
}

/** Where metrics are kept, whatever protocol brings them: samples as a `SeriesWrite` made of these names, the rest as rows. */
export interface MetricsysService {
  /** Columns of the tables of metrics. */
  readonly timeColumn: string
  readonly valueColumn: string
  /** The physical table of metrics that ask for no other. */
  readonly physicalTable: string
  /** Throws DbError `InvalidArguments` for a name of a metric or a label that cannot be one. */
  checkMetric(name: string): void
  checkLabel(name: string, metric: string): void
  /** Counts the values of label names, for series that were not known. */
  countLabels(labels: readonly SeriesLabel[]): void
  /** For a look at the limits before so many rows are written. */
  quota(db: string, rows: number): MetricsQuota
  /** A write for each table. Throws DbError: see `checkHistogram`. */
  histogramWrites(rows: readonly HistogramRow[], physicalTable: string): Steps<readonly TableWrite[]>
  /** Throws DbError `InvalidArguments` saying what does not fit together. */
  checkHistogram(histogram: NativeHistogram): void
  /** A write for each database. Exemplars of one series and time replace each other. */
  exemplarWrites(rows: readonly ExemplarRow[]): Steps<readonly TableWrite[]>
  /** What is not stored yet of what is known of metrics; undefined when all is. Call `stored` once the write has been answered. */
  metadataWrite(
    db: string,
    rows: readonly MetricMetadata[]
  ): Steps<{ readonly write: TableWrite; stored(): void } | undefined>
  /** `rules` and `alerts` of the query API answer with these from now on. */
  serveRules(rules: AlertingService): void
}

/** The room for metrics there is in a database; both throw LimitReached. Known series always fit. */
export interface MetricsQuota {
  /** For rows of a series. */
  check(name: SeriesName, physicalTable: string): void
  checkExemplar(name: SeriesName): void
}

export interface HistogramRow {
  readonly name: SeriesName
  /** Milliseconds since 1970. */
  readonly time: bigint
  readonly histogram: NativeHistogram
}

/** Buckets that grow by a power of two, as remote write has them. */
export interface NativeHistogram {
  /** Whether counts are numbers with fractions; else they are integers. */
  readonly float: boolean
  readonly schema: number
  readonly zeroThreshold: number
  /** The bits of the sum as a double; those of a series' end are kept. */
  readonly sumBits: bigint
  /** 0 unknown, 1 reset, 2 none, 3 gauge. */
  readonly resetHint: number
  /** Milliseconds since 1970, 0 where unknown. */
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

export interface ExemplarRow {
  /** Of the series it belongs to. */
  readonly name: SeriesName
  /** UTF-8 by name; `trace_id` and `span_id` get columns of their own. */
  readonly labels: ReadonlyMap<string, Uint8Array>
  readonly value: number
  /** Milliseconds since 1970. */
  readonly time: bigint
}

export interface MetricMetadata {
  readonly metric: string
  /** A word of the exposition format: counter, gauge, histogram, summary, unknown … */
  readonly type: string
  readonly unit: string
  readonly help: string
}

/** Takes in OTLP, whatever brings it. */
export interface TelemetryService {
  /**
   * Stores an Export…ServiceRequest. Throws DbError where nothing of it is stored: `InvalidArguments` for what cannot be read or is too
   * large, and what the store refuses.
   */
  receive(signal: TelemetrySignal, request: TelemetryRequest): Promise<TelemetryTaken>
  /** The Export…ServiceResponse that says so, as protobuf; empty where all was taken. */
  answer(taken: TelemetryTaken): Uint8Array
}

export type TelemetrySignal = 'metrics' | 'traces' | 'logs'

export interface TelemetryRequest {
  readonly ctx: RequestContext
  /** `x-svc-…` as over HTTP: tables, pipelines, names of metrics. */
  readonly headers: IncomingHttpHeaders
  /** The Export…ServiceRequest as protobuf. */
  readonly body: Uint8Array
}

/** What became of a request that was taken. */
export interface TelemetryTaken {
  /** Spans, data points or log records that were left out. */
  readonly rejected: number
  /** Why the first of them was, for people; with none rejected, a warning or empty. */
  readonly message: string
}

/** The dashboard, for plugins that add a page to it. */
export interface DashboardService {
  /** Throws TypeError when the name is taken or no word. */
  addPage(page: DashboardPage): void
  /** In the order they were added. */
  pages(): readonly DashboardPage[]
}

/** A page a plugin adds to the dashboard. */
export interface DashboardPage {
  /** A word; its address is `/dashboard/x/{name}`. */
  readonly name: string
  /** What the navigation says. */
  readonly title: string
  /**
   * File of an ES module without imports, JavaScript or, for a plugin that runs from source, TypeScript. Its default export is a
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
    sql: SqlQueryService
    flows: FlowsService
    telemetry: TelemetryService
  }
}
