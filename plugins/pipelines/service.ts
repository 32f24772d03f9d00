// The pipelines service: finds pipelines by name and version and runs them, large ones in threads beside the server's own.
import { availableParallelism } from 'node:os'
import {
  authoriseAll,
  type Core,
  checkGrowth,
  DbError,
  type DecodeOptions,
  decodeItems,
  formatDuration,
  type ItemBatch,
  type RequestContext,
  tableLimits
} from '../../core/index.ts'
import type { PipelineResult, PipelineRunOptions, PipelinesService, ProcessorDefinition } from '../services.ts'
import { countScripts, countThreads, createCounters, createStopwatch } from './counters.ts'
import { inferredDdl } from './document/ddl.ts'
import { refuseUnknownKeys } from './document/unknown-keys.ts'
import type { DryRunRequest } from './dryrun/dryrun.ts'
import { dryRun } from './dryrun/dryrun.ts'
import { readHeaders } from './headers.ts'
import { createKinds } from './kinds.ts'
import type { DocumentWarning } from './pipeline.ts'
import { createRunner, identityName, type RunContext, type RunLimits, type Version } from './runner.ts'
import type { ScriptLimits } from './script/limits.ts'
import { packItems } from './thread/items.ts'
import { errorOf, type Question, type Results, type Work } from './thread/task.ts'
import { createThreads, type RunOptions, type Threads } from './thread/threads.ts'
import { parseVersion } from './version.ts'
import { openVersions } from './versions.ts'
import { isLight } from './weight.ts'

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
  readonly max_text_length: number
  /** Milliseconds. */
  readonly max_request_time: number
  readonly dry_run_max_time: number
  readonly threads: number
  /** Bytes. */
  readonly thread_memory: number
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
  /** The stored version; throws DbError `InvalidArguments` when there is none. */
  find(name: string, version: string | undefined): Version
  /** Unknown keys of the document are answered, or an error of it when `strict`. */
  create(ctx: RequestContext, name: string, yaml: string, strict: boolean): Promise<Created>
  /** False where there is no such version. */
  remove(ctx: RequestContext, name: string, version: string): Promise<boolean>
  /** JSON text of what a pipeline makes of some items; writes nothing. */
  dryRun(ctx: RequestContext, request: DryRunRequest): Promise<string>
  /** The statement that makes the table of a pipeline, and whether it may also write to others. */
  ddl(ctx: RequestContext, name: string, version: string | undefined, table: string): Promise<Results['ddl']>
  close(): Promise<void>
}

export interface Created extends Version {
  readonly warnings: readonly DocumentWarning[]
}

export async function createService(core: Core, config: ServiceOptions): Promise<OwnService> {
  const versions = await openVersions(core)
  const scripts = scriptLimits(config)
  const countScript = countScripts(core.metrics)
  const logger = core.log.child({ plugin: 'pipelines' })
  const logScript = (level: 'trace' | 'debug' | 'info' | 'warn' | 'error', message: string) =>
    logger[level]({ script: message }, 'a script of a pipeline logs')
  const mostValues = () => core.config.http.max_body_values
  const kinds = createKinds({
    scripts,
    count: countScript,
    log: logScript,
    pathValues: config.json_path_max_values,
    textLength: config.max_text_length,
    mostValues
  })
  const foreign: string[] = []
  const count = createCounters(core.metrics)
  const timed = createStopwatch(core.metrics)
  const limits = (): RunLimits => {
    const { variables_from_input, max_dispatch_depth, max_groups, max_document_size } = config
    const { columns } = tableLimits('pipelines', config)
    return { variables_from_input, max_dispatch_depth, max_groups, max_document_size, columns }
  }
  const find = (name: string, text: string | undefined): Version => {
    if (name === identityName) throw builtIn()
    const found = versions.find(name, text === undefined ? undefined : parseVersion(text))
    if (found !== undefined) return found
    throw new DbError('InvalidArguments', `Pipeline not found, name: ${name}, version: ${text ?? 'latest'}`)
  }
  const table = (database: string, name: string) => core.store.table(database, name)
  const runner = createRunner({ kinds, limits, find, table })

  const counted = countThreads(core.metrics)
  const threads = (
    use: 'run' | 'dry_run',
    key: 'max_request_time' | 'dry_run_max_time',
    size: () => number
  ): Threads => {
    const made: Threads = createThreads({
      size,
      memory: config.thread_memory,
      budget: () => ({ most: config[key], key: `[plugins.pipelines] ${key} = "${formatDuration(config[key])}"` }),
      start: () => ({ scripts, pathValues: config.json_path_max_values, textLength: config.max_text_length, foreign }),
      answer: (question: Question) =>
        question.kind === 'find' ? find(question.name, question.version) : table(question.database, question.name),
      onMessage: message =>
        message.kind === 'count' ? countScript(message.reason) : logScript(message.level, message.message),
      onEnd: result => counted.end(use, result)
    })
    counted.watch(use, () => made.waiting)
    return made
  }
  // Whoever may only read keeps no writer waiting.
  const forRuns = threads(
    'run',
    'max_request_time',
    () => config.threads || Math.max(1, Math.min(4, availableParallelism() - 1))
  )
  const forTrials = threads('dry_run', 'dry_run_max_time', () => 1)

  /** In a thread; here where another plugin's processor is needed, which the threads do not have. */
  const work = async <K extends Work['kind']>(
    pool: Threads,
    ctx: RequestContext,
    work: Extract<Work, { readonly kind: K }>,
    here: () => Results[K],
    moved: RunOptions['moved'] = []
  ): Promise<Results[K]> => {
    const task = { work, ctx: runContext(ctx), limits: limits(), mostValues: mostValues() }
    const outcome = await pool.run(task, { user: ctx.user.name, signal: ctx.signal, moved })
    if ('error' in outcome) throw errorOf(outcome.error)
    return 'foreign' in outcome ? here() : (outcome.value as Results[K])
  }
  /** Whether so many bytes of text are quickly done by a pipeline. */
  const isShort = (name: string, version: string | undefined, bytes: number): boolean => {
    const stored = name === identityName ? undefined : find(name, version)
    return isForeign(stored) || isLight(stored, bytes)
  }
  /** Whether a document may need a processor that only this thread has. */
  const isForeign = (stored: Version | undefined): boolean =>
    stored !== undefined && foreign.length > 0 && ['dispatcher', ...foreign].some(word => stored.yaml.includes(word))
  const finish = (ctx: RequestContext, { result, undecoded }: Results['run']): PipelineResult => {
    count(ctx.plugin, result, undecoded)
    checkGrowth(core.store, ctx.db, result.writes, tableLimits('pipelines', config))
    return result
  }
  const traced = (ctx: RequestContext, name: string, run: () => Promise<Results['run']>): Promise<PipelineResult> =>
    core.tracing.span('pipeline', { 'weir.pipeline': name }, async span => {
      const found = await run()
      span.set({ 'weir.items': found.items })
      return finish(ctx, found)
    })

  const runHere = (
    ctx: RequestContext,
    name: string,
    items: ItemBatch,
    options: PipelineRunOptions
  ): Results['run'] => {
    const undecoded = items.failures.length
    return { result: runner.runNamed(ctx, name, items, options), items: items.rows, undecoded }
  }
  return {
    find,
    readHeaders,
    run: (ctx, name, items, options) =>
      traced(ctx, name, async () => {
        if (isShort(name, options.version, items.bytes.length)) return runHere(ctx, name, items, options)
        const { items: packed, moved } = packItems(items)
        return work(forRuns, ctx, { kind: 'run', name, options, input: { items: packed } }, notHere, moved)
      }),
    runBody: (ctx, name, body, contentType, options) =>
      traced(ctx, name, async () => {
        const decoding: DecodeOptions = { mostValues: mostValues() }
        if (isShort(name, options.version, body.length)) {
          return runHere(ctx, name, decodeItems(body, contentType, { ...decoding, ...options }), options)
        }
        const { bytes, moved } = ownMemory(body)
        const input = { body: bytes, contentType, decoding }
        return work(forRuns, ctx, { kind: 'run', name, options, input }, notHere, moved)
      }),
    create: (ctx, name, yaml, strict) =>
      timed('create', async () => {
        authoriseAll(ctx.user, 'write')
        const warnings = await work(forTrials, ctx, { kind: 'check', yaml, strict }, () => {
          const { warnings } = runner.compile(yaml)
          if (strict) refuseUnknownKeys(warnings)
          return warnings
        })
        return { ...(await versions.add(ctx, name, yaml)), warnings }
      }),
    remove: (ctx, name, version) => timed('delete', async () => versions.remove(ctx, name, parseVersion(version))),
    dryRun: (ctx, request) => work(forTrials, ctx, { kind: 'dryrun', request }, () => dryRun(runner, ctx, request)),
    ddl: (ctx, name, version, table) => {
      find(name, version)
      return work(forTrials, ctx, { kind: 'ddl', name, version, table }, () => {
        const pipeline = runner.compiled(runner.find(name, version))
        const moves = pipeline.dispatcher !== undefined || pipeline.suffix !== undefined
        return { sql: inferredDdl(pipeline, table), moves }
      })
    },
    addProcessor(definition) {
      addKind(kinds, definition)
      foreign.push(definition.kind)
    },
    async close() {
      await Promise.all([forRuns.close(), forTrials.close()])
    }
  }
}

/** Documents that need this thread have been told apart before. */
function notHere(): never {
  throw new DbError('Internal', 'a thread has met a processor it does not have')
}

/** What of a request a run needs; the rest does not pass to threads. */
function runContext({ db, hints }: RequestContext): RunContext {
  const { options, autoCreate } = hints
  return { db, hints: { options, ...(autoCreate !== undefined && { autoCreate }) } }
}

/** The bytes in memory that can move: their own, or a copy. */
function ownMemory(bytes: Buffer): { readonly bytes: Uint8Array; readonly moved: readonly ArrayBuffer[] } {
  const own = bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes)
  return { bytes: own, moved: [own.buffer as ArrayBuffer] }
}

function scriptLimits(config: ServiceOptions): ScriptLimits {
  return {
    length: config.vrl_max_length,
    output: config.vrl_max_output,
    time: config.vrl_max_time,
    rows: config.vrl_max_rows,
    logs: config.vrl_max_logs,
    requestTime: config.vrl_max_request_time,
    requestOutput: config.vrl_max_request_output
  }
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
