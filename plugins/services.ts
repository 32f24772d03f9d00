// Service interfaces of the built-in plugins: types only, for plugins that build on one.
import type { IncomingHttpHeaders } from 'node:http'
import type { DbError, ItemBatch, ItemError, RequestContext, TableWrite, TimeUnit } from '../core/index.ts'

/** Runs log pipelines. */
export interface PipelinesService {
  /**
   * Runs a stored or built-in pipeline over items; writes nothing. The batch is used up. Throws DbError `InvalidArguments` for an
   * unknown pipeline or version and ItemsError for the first item that fails, unless `skipError`.
   */
  run(ctx: RequestContext, name: string, items: ItemBatch, options: PipelineRunOptions): Promise<PipelineResult>
  /** What a request's headers say about pipelines, the same for every protocol. */
  readHeaders(headers: IncomingHttpHeaders): PipelineHeaders
  /** Makes one more kind of processor known, for documents compiled from now on. Throws when the kind is taken. */
  addProcessor(definition: ProcessorDefinition): void
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
  /** What the reference page says of it. */
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
  apply(batch: ItemBatch): void
  /** Fields it fills with a timestamp in every item that passes; lets a pipeline without a transform find its time index. */
  readonly times?: readonly { readonly field: string; readonly unit: TimeUnit }[]
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

declare module '../core/plugin.ts' {
  interface ServiceMap {
    pipelines: PipelinesService
  }
}
