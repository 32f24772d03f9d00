// The pipelines service: finds pipelines by name and version, compiles each once, runs them.
import {
  type Core,
  checkGrowth,
  DbError,
  formatSize,
  type ItemBatch,
  type RequestContext,
  tableLimits
} from '../../core/index.ts'
import type { PipelineResult, PipelineRunOptions, PipelinesService, ProcessorDefinition } from '../services.ts'
import { parseTimeIndex } from './column/time-index.ts'
import { countScripts, createCounters, createStopwatch } from './counters.ts'
import { compilePipeline } from './document/compile.ts'
import { refuseUnknownKeys } from './document/unknown-keys.ts'
import { readHeaders } from './headers.ts'
import type { DocumentWarning, Identity, Pipeline } from './pipeline.ts'
import { builtInKinds } from './processor/index.ts'
import { createJsonParse } from './processor/json-parse.ts'
import { createJsonPath } from './processor/json-path.ts'
import { createVrl } from './processor/vrl.ts'
import { type RunObserver, type RunSettings, runPipeline } from './run/run.ts'
import type { ScriptLimits } from './script/limits.ts'
import { currentTime, openVersions, parseVersion, type Version } from './versions.ts'

const identityName = 'svc_identity'
const defaultNestedLevels = 10

export interface ServiceOptions {
  readonly variables_from_input: boolean
  readonly max_dispatch_depth: number
  readonly json_path_max_values: number
  readonly max_groups: number
  readonly max_tables: number
  readonly max_columns: number
  readonly max_series: number
  /** Bytes. */
  readonly max_document_size: number
  readonly vrl_max_length: number
  readonly vrl_max_output: number
  readonly vrl_max_time: number
  readonly vrl_max_rows: number
  readonly vrl_max_logs: number
  readonly vrl_max_request_time: number
  readonly vrl_max_request_output: number
}

/** What the plugin's own routes need on top. */
export interface OwnService extends PipelinesService {
  /** Compiles a document that is not stored; throws DbError `InvalidArguments`, also for one that is too large. */
  compile(yaml: string): Pipeline
  /** The stored version; throws DbError `InvalidArguments` when there is none. */
  find(name: string, version: string | undefined): Version
  compiled(version: Version): Pipeline
  /** Unknown keys of the document are answered, or an error of it when `strict`. */
  create(ctx: RequestContext, name: string, yaml: string, strict: boolean): Promise<Created>
  /** False where there is no such version. */
  remove(ctx: RequestContext, name: string, version: string): Promise<boolean>
  /** Runs a compiled pipeline; writes nothing. */
  runCompiled(
    ctx: RequestContext,
    pipeline: Pipeline | Identity,
    items: ItemBatch,
    options: PipelineRunOptions,
    observer?: RunObserver
  ): PipelineResult
}

export interface Created extends Version {
  readonly warnings: readonly DocumentWarning[]
}

export async function createService(core: Core, config: ServiceOptions): Promise<OwnService> {
  const versions = await openVersions(core)
  const kinds = new Map(builtInKinds.map(definition => [definition.kind, definition]))
  kinds.set('vrl', createScripts(core, config))
  kinds.set(
    'json_parse',
    createJsonParse(() => core.config.http.max_body_values)
  )
  kinds.set('json_path', createJsonPath(config.json_path_max_values))
  const count = createCounters(core.metrics)
  const timed = createStopwatch(core.metrics)
  const cache = new WeakMap<Version, Pipeline>()
  const compileNew = (yaml: string) => {
    checkSize(yaml, config.max_document_size)
    return compilePipeline(yaml, kinds)
  }

  const find = (name: string, text: string | undefined): Version => {
    if (name === identityName) throw builtIn()
    const found = versions.find(name, text === undefined ? undefined : parseVersion(text))
    if (found !== undefined) return found
    throw new DbError('InvalidArguments', `Pipeline not found, name: ${name}, version: ${text ?? 'latest'}`)
  }
  const compiled = (version: Version): Pipeline => {
    const known = cache.get(version) ?? compilePipeline(version.yaml, kinds)
    cache.set(version, known)
    return known
  }
  const named = (name: string, version: string | undefined, options: PipelineRunOptions): Pipeline | Identity => {
    if (name !== identityName) return compiled(find(name, version))
    // It has one version only; what is no version at all is still an error.
    if (version !== undefined) parseVersion(version)
    return {
      kind: 'identity',
      maxNestedLevels: options.maxNestedLevels ?? defaultNestedLevels,
      lenientTime: options.ignoreErrors ?? false,
      ...(options.customTimeIndex !== undefined && { timeIndex: parseTimeIndex(options.customTimeIndex) })
    }
  }
  const runCompiled: OwnService['runCompiled'] = (ctx, pipeline, items, options, observer) => {
    const { customTimeIndex: _, ...inherited } = options
    const settings: RunSettings = {
      table: options.table,
      skipError: options.skipError ?? false,
      ignoreErrors: options.ignoreErrors ?? false,
      now: currentTime(),
      variablesFromInput: config.variables_from_input,
      maxDispatchDepth: config.max_dispatch_depth,
      maxGroups: config.max_groups,
      columns: tableLimits('pipelines', config).columns,
      ...(observer && { observer }),
      options: ctx.hints.options,
      ...(ctx.hints.autoCreate !== undefined && { autoCreate: ctx.hints.autoCreate }),
      pipeline: name => named(name, undefined, inherited),
      existing: table => core.store.table(ctx.db, table)
    }
    return runPipeline(pipeline, items, settings)
  }
  return {
    compile: compileNew,
    find,
    compiled,
    runCompiled,
    readHeaders,
    run: async (ctx, name, items, options) => {
      const undecoded = items.failures.length
      const facts = { 'weir.pipeline': name, 'weir.items': items.rows }
      const result = await core.tracing.span('pipeline', facts, async () =>
        runCompiled(ctx, named(name, options.version, options), items, options)
      )
      count(ctx.plugin, result, undecoded)
      checkGrowth(core.store, ctx.db, result.writes, tableLimits('pipelines', config))
      return result
    },
    create: (ctx, name, yaml, strict) =>
      timed('create', async () => {
        const { warnings } = compileNew(yaml)
        if (strict) refuseUnknownKeys(warnings)
        return { ...(await versions.add(ctx, name, yaml)), warnings }
      }),
    remove: (ctx, name, version) => timed('delete', async () => versions.remove(ctx, name, parseVersion(version))),
    addProcessor: definition => addKind(kinds, definition)
  }
}

/** The kind `vrl` as this server has it. */
function createScripts({ log, metrics }: Core, config: ServiceOptions): ProcessorDefinition {
  const limits: ScriptLimits = {
    length: config.vrl_max_length,
    output: config.vrl_max_output,
    time: config.vrl_max_time,
    rows: config.vrl_max_rows,
    logs: config.vrl_max_logs,
    requestTime: config.vrl_max_request_time,
    requestOutput: config.vrl_max_request_output
  }
  const logger = log.child({ plugin: 'pipelines' })
  return createVrl({
    limits,
    count: countScripts(metrics),
    log: (level, message) => logger[level]({ script: message }, 'a script of a pipeline logs')
  })
}

function checkSize(yaml: string, limit: number): void {
  const bytes = Buffer.byteLength(yaml)
  if (bytes <= limit) return
  const key = `[plugins.pipelines] max_document_size = "${formatSize(limit)}"`
  throw new DbError('InvalidArguments', `the pipeline document has ${bytes} bytes, at most are ${limit} (${key})`)
}

function builtIn(): DbError {
  return new DbError(
    'InvalidArguments',
    `Pipeline not found, name: ${identityName}: it is built in, so it can neither be read nor tried out`
  )
}

function addKind(kinds: Map<string, ProcessorDefinition>, definition: ProcessorDefinition): void {
  if (kinds.has(definition.kind)) {
    throw new DbError('InvalidArguments', `a processor of kind ${definition.kind} is registered already`)
  }
  kinds.set(definition.kind, definition)
}
