// Compiles and runs pipelines, on the main thread and in pipeline threads. These differ in how documents and tables are looked up.
import { DbError, formatSize, type ItemBatch, type Limit, type RequestContext, type Table } from '../../core/compute.ts'
import type { PipelineResult, PipelineRunOptions } from '../services.ts'
import { parseTimeIndex } from './column/time-index.ts'
import { compilePipeline, type ProcessorKinds } from './document/compile.ts'
import type { Identity, Pipeline } from './pipeline.ts'
import { type RunObserver, type RunSettings, runPipeline } from './run/run.ts'
import { currentTime, parseVersion } from './version.ts'

/** A stored document. */
export interface Version {
  readonly name: string
  /** Nanoseconds since 1970; identifies the version. */
  readonly created: bigint
  readonly yaml: string
}

/** The parts of a request that a run needs. */
export type RunContext = Pick<RequestContext, 'db'> & {
  readonly hints: Pick<RequestContext['hints'], 'options' | 'autoCreate'>
}

/** Options of the plugin that may change while it runs. */
export interface RunLimits {
  readonly variables_from_input: boolean
  readonly max_dispatch_depth: number
  readonly max_groups: number
  /** Bytes. */
  readonly max_document_size: number
}

interface RunnerContext {
  readonly kinds: ProcessorKinds
  limits(): RunLimits
  /** Largest number of columns of a table of the database. */
  columns(database: string): Limit
  /** The stored version, the latest where none is named; throws DbError `InvalidArguments` when there is none. */
  find(name: string, version: string | undefined): Version
  table(database: string, name: string): Table | undefined
}

export interface Runner {
  /** Compiles a document that is not stored; throws DbError `InvalidArguments`, also for one that is too large. */
  compile(yaml: string): Pipeline
  find(name: string, version: string | undefined): Version
  compiled(version: Version): Pipeline
  /** Runs a stored or built-in pipeline. */
  runNamed(ctx: RunContext, name: string, items: ItemBatch, options: PipelineRunOptions): PipelineResult
  runCompiled(
    ctx: RunContext,
    pipeline: Pipeline | Identity,
    items: ItemBatch,
    options: PipelineRunOptions,
    observer?: RunObserver
  ): PipelineResult
}

export const identityName = 'svc_identity'
const defaultNestedLevels = 10

/** How many compiled versions are cached. */
const maxCompiled = 1000

export function createRunner({ kinds, limits, columns, find, table }: RunnerContext): Runner {
  const cache = new Map<string, Pipeline>()
  const compiled = (version: Version): Pipeline => {
    const key = `${version.name}@${version.created}`
    const known = cache.get(key) ?? compilePipeline(version.yaml, kinds)
    cache.delete(key)
    cache.set(key, known)
    if (cache.size > maxCompiled) cache.delete(cache.keys().next().value!)
    return known
  }
  const named = (name: string, version: string | undefined, options: PipelineRunOptions): Pipeline | Identity => {
    if (name !== identityName) return compiled(find(name, version))
    // The built-in pipeline has one version, but a malformed version is still an error.
    if (version !== undefined) parseVersion(version)
    return {
      kind: 'identity',
      maxNestedLevels: options.maxNestedLevels ?? defaultNestedLevels,
      lenientTime: options.ignoreErrors ?? false,
      ...(options.customTimeIndex !== undefined && { timeIndex: parseTimeIndex(options.customTimeIndex) })
    }
  }
  const runCompiled: Runner['runCompiled'] = (ctx, pipeline, items, options, observer) => {
    const { customTimeIndex: _, ...inherited } = options
    const { variables_from_input, max_dispatch_depth, max_groups } = limits()
    const settings: RunSettings = {
      table: options.table,
      skipError: options.skipError ?? false,
      ignoreErrors: options.ignoreErrors ?? false,
      now: currentTime(),
      variablesFromInput: variables_from_input,
      maxDispatchDepth: max_dispatch_depth,
      maxGroups: max_groups,
      columns: columns(ctx.db),
      ...(options.maxErrors !== undefined && { maxErrors: options.maxErrors }),
      ...(observer && { observer }),
      options: ctx.hints.options,
      ...(ctx.hints.autoCreate !== undefined && { autoCreate: ctx.hints.autoCreate }),
      pipeline: name => named(name, undefined, inherited),
      existing: name => table(ctx.db, name)
    }
    return runPipeline(pipeline, items, settings)
  }
  return {
    compile(yaml) {
      checkDocumentSize(Buffer.byteLength(yaml), limits().max_document_size)
      return compilePipeline(yaml, kinds)
    },
    find,
    compiled,
    runNamed: (ctx, name, items, options) => runCompiled(ctx, named(name, options.version, options), items, options),
    runCompiled
  }
}

/** Throws DbError `InvalidArguments` for a document of more bytes, or one within a form that adds more than `around` to it. */
export function checkDocumentSize(bytes: number, limit: number, around = 0): void {
  if (bytes <= limit + around) return
  const key = `[plugins.pipelines] max_document_size = "${formatSize(limit)}"`
  const [what, more] =
    around === 0 ? ['pipeline document', ''] : ['form', ` and ${around} for what else the form holds`]
  throw new DbError('InvalidArguments', `the ${what} has ${bytes} bytes, at most are ${limit} (${key})${more}`)
}
