// Service interfaces of the built-in plugins: types only, for plugins that build on one.
import type { ItemBatch, ItemError, RequestContext, TableWrite } from '../core/index.ts'

/** Runs log pipelines. */
export interface PipelinesService {
  /**
   * Runs a stored or built-in pipeline over items; writes nothing. Throws DbError `InvalidArguments` for an unknown pipeline or version
   * and ItemsError for the first item that fails, unless `skipError`.
   */
  run(ctx: RequestContext, name: string, items: ItemBatch, options: PipelineRunOptions): Promise<PipelineResult>
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
  /** An unusable custom time value becomes the current time. */
  readonly ignoreErrors?: boolean
}

export interface PipelineResult {
  /** One per group of rows with the same table and options; all belong to one atomic write. */
  readonly writes: readonly TableWrite[]
  readonly skipped: { readonly count: number; readonly errors: readonly ItemError[] }
  /** Items taken out on purpose by a filter. */
  readonly filtered: number
}

declare module '../core/plugin.ts' {
  interface ServiceMap {
    pipelines: PipelinesService
  }
}
