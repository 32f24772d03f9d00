// The pipelines service: finds pipelines by name and version and runs them, large ones in threads beside the server's own.

import { availableParallelism } from 'node:os'
import {
  authoriseAll,
  cellMemory,
  DbError,
  type DecodeOptions,
  formatDuration,
  type ItemBatch,
  itemSteps,
  Pace,
  type PluginCore,
  type RequestContext,
  runPaced,
  type Steps,
  systemDatabase,
  type TableWrite
} from '../../core/index.ts'
import { fromPlainError } from '../../core/wire/index.ts'
import type { PipelineResult, PipelineRunOptions, PipelinesService } from '../services.ts'
import { countThreads, createCounters, createStopwatch } from './counters.ts'
import { missingKinds } from './document/compile.ts'
import type { DryRunRequest } from './dryrun/dryrun.ts'
import { readHeaders } from './headers.ts'
import { addKind, createKinds, type ModuleNote } from './kinds.ts'
import type { DocumentWarning } from './pipeline.ts'
import { createRunner, identityName, type RunContext, type RunLimits, type Version } from './runner.ts'
import { packItems } from './thread/items.ts'
import type { Question, Results, Work } from './thread/task.ts'
import { createThreads, type RunOptions, type Threads } from './thread/threads.ts'
import { parseVersion } from './version.ts'
import { openVersions } from './versions.ts'
import { areLight, isLight, longDocument, maxLightMemory } from './weight.ts'

interface ServiceOptions {
  readonly variables_from_input: boolean
  readonly max_dispatch_depth: number
  readonly json_path_max_values: number
  readonly max_groups: number
  /** Bytes. */
  readonly max_document_size: number
  readonly max_text_length: number
  /** Milliseconds. */
  readonly max_request_time: number
  readonly dry_run_max_time: number
  readonly threads: number
  /** Bytes. */
  readonly thread_memory: number
}

/** The parts of the service that only the plugin's own routes use. */
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
  /** Logs the pipelines with unknown processors: their plugin is off, or not installed. */
  checkStored(): Promise<void>
  close(): Promise<void>
}

/** A processor of a plugin. */
interface AddedProcessor extends ModuleNote {
  receive(message: unknown): void
}

interface Created extends Version {
  readonly warnings: readonly DocumentWarning[]
}

export async function createService(core: PluginCore, config: ServiceOptions): Promise<OwnService> {
  const versions = await openVersions(core)
  const maxValues = () => core.config.http.max_body_values
  const kinds = createKinds({
    pathValues: config.json_path_max_values,
    textLength: config.max_text_length,
    maxValues
  })
  const added: AddedProcessor[] = []
  const addedKinds: string[] = []
  const count = createCounters(core.metrics)
  const timed = createStopwatch(core.metrics)
  const limits = (): RunLimits => {
    const { variables_from_input, max_dispatch_depth, max_groups, max_document_size } = config
    return { variables_from_input, max_dispatch_depth, max_groups, max_document_size }
  }
  const columns = (db: string) => core.store.limits(db).columns
  const find = (name: string, text: string | undefined): Version => {
    if (name === identityName) throw builtIn()
    const found = versions.find(name, text === undefined ? undefined : parseVersion(text))
    if (found !== undefined) return found
    throw new DbError('InvalidArguments', `Pipeline not found, name: ${name}, version: ${text ?? 'latest'}`)
  }
  const table = (database: string, name: string) => core.store.table(database, name)
  const runner = createRunner({ kinds, limits, columns, find, table })

  const counted = countThreads(core.metrics)
  const threads = (
    use: 'run' | 'dry_run',
    key: 'max_request_time' | 'dry_run_max_time',
    size: () => number
  ): Threads => {
    const made: Threads = createThreads({
      size,
      memory: config.thread_memory,
      budget: () => ({ max: config[key], key: `[plugins.pipelines] ${key} = "${formatDuration(config[key])}"` }),
      start: () => ({
        pathValues: config.json_path_max_values,
        textLength: config.max_text_length,
        modules: added.map(({ module, settings }) => ({ module, settings }))
      }),
      answer: (question: Question) =>
        question.kind === 'find' ? find(question.name, question.version) : table(question.database, question.name),
      onMessage: ({ module, message }) => added[module]!.receive(message),
      onEnd: result => counted.end(use, result)
    })
    counted.watch(use, () => made.waiting)
    return made
  }
  // Users who may only read do not delay writers.
  const forRuns = threads(
    'run',
    'max_request_time',
    () => config.threads || Math.max(1, Math.min(4, availableParallelism() - 1))
  )
  const forTrials = threads('dry_run', 'dry_run_max_time', () => 1)

  const work = async <K extends Work['kind']>(
    pool: Threads,
    ctx: RequestContext,
    work: Extract<Work, { readonly kind: K }>,
    options: Pick<RunOptions, 'moved' | 'take'> = {}
  ): Promise<Results[K]> => {
    const task = { work, ctx: runContext(ctx), limits: limits(), columns: columns(ctx.db), maxValues: maxValues() }
    const outcome = await pool.run(task, { user: ctx.user.name, signal: ctx.signal, ...options })
    if ('error' in outcome) throw fromPlainError(outcome.error)
    return outcome.value as Results[K]
  }
  /** The unknown kinds of processors in a stored document. */
  const missingIn = async (name: string, yaml: string): Promise<readonly string[]> => {
    if (yaml.length <= longDocument) return missingKinds(yaml, kinds)
    return work(forTrials, core.context(systemDatabase), { kind: 'missing', yaml }).catch((error: unknown) => {
      core.log.warn({ pipeline: name, err: error }, 'a stored pipeline could not be checked')
      return []
    })
  }
  /** Whether a pipeline processes items of this many bytes within some 10 ms. */
  const isShort = (name: string, version: string | undefined, bytes: number): boolean =>
    isLight(name === identityName ? undefined : find(name, version), bytes, addedKinds)
  const runInThread = (
    ctx: RequestContext,
    run: Omit<Extract<Work, { readonly kind: 'run' }>, 'kind'>,
    moved: readonly ArrayBuffer[]
  ): Promise<Results['run']> => {
    const take = (done: unknown) => ctx.memory?.hold(columnMemory((done as Results['run']).result.writes))
    return work(forRuns, ctx, { kind: 'run', ...run }, { moved, take })
  }
  const finish = (ctx: RequestContext, { result, undecoded }: Results['run']): PipelineResult => {
    count(ctx.plugin, result, undecoded)
    return result
  }
  const traced = (ctx: RequestContext, name: string, run: () => Promise<Results['run']>): Promise<PipelineResult> =>
    core.tracing.span('pipeline', { 'weir.pipeline': name }, async span => {
      const found = await run()
      span.set({ 'weir.items': found.items })
      return finish(ctx, found)
    })

  const runHere = async (
    ctx: RequestContext,
    name: string,
    items: ItemBatch,
    options: PipelineRunOptions,
    pace: Pace
  ): Promise<Results['run']> => {
    if (pace.isDue) await pace.pause()
    const undecoded = items.failures.length
    return { result: runner.runNamed(ctx, name, items, options), items: items.rows, undecoded }
  }
  const run: PipelinesService['run'] = (ctx, name, items, options) =>
    traced(ctx, name, async () => {
      const pace = new Pace(ctx)
      if (isShort(name, options.version, items.bytes.length) && areLight(items))
        return runHere(ctx, name, items, options, pace)
      const { items: packed, moved } = await runPaced(pace, packItems(items))
      return runInThread(ctx, { name, options, input: { items: packed } }, moved)
    })
  return {
    find,
    readHeaders,
    requested(headers, given = {}) {
      const { name, ...options } = { ...readHeaders(headers), ...given }
      return name === undefined
        ? undefined
        : { run: (ctx, items, target) => run(ctx, name, items, { ...options, ...target }) }
    },
    run,
    runBody: (ctx, name, body, contentType, options) =>
      traced(ctx, name, async () => {
        const decoding: DecodeOptions = { maxValues: maxValues() }
        if (isShort(name, options.version, body.length)) {
          const pace = new Pace(ctx)
          const items = await runPaced(pace, lightItems(itemSteps(body, contentType, { ...decoding, ...options })))
          if (items !== undefined) return runHere(ctx, name, items, options, pace)
        }
        const { bytes, moved } = ownMemory(body)
        return runInThread(ctx, { name, options, input: { body: bytes, contentType, decoding } }, moved)
      }),
    create: (ctx, name, yaml, strict) =>
      timed('create', async () => {
        authoriseAll(ctx.user, 'write')
        const warnings = await work(forTrials, ctx, { kind: 'check', yaml, strict })
        return { ...(await versions.add(ctx, name, yaml)), warnings }
      }),
    remove: (ctx, name, version) => timed('delete', async () => versions.remove(ctx, name, parseVersion(version))),
    dryRun(ctx, request) {
      const { bytes: body, moved } = ownMemory(request.body)
      return work(forTrials, ctx, { kind: 'dryrun', request: { ...request, body } }, { moved })
    },
    ddl: (ctx, name, version, table) => {
      find(name, version)
      return work(forTrials, ctx, { kind: 'ddl', name, version, table })
    },
    async addProcessor({ module, settings, onMessage: receive = () => undefined }) {
      const note = { module: module.href, settings: plain(settings, module.href) }
      addedKinds.push(await addKind(kinds, note, receive))
      added.push({ ...note, receive })
    },
    async checkStored() {
      const pace = new Pace()
      const broken: string[] = []
      for (const { name, yaml } of versions.latest()) {
        if (pace.isDue) await pace.pause()
        const [missing] = await missingIn(name, yaml)
        if (missing !== undefined) broken.push(`${name} (${missing})`)
      }
      if (broken.length === 0) return
      const reason = `pipelines name processors of plugins that are off: ${listed(broken)}`
      core.log.warn(`${reason}; they refuse items until [plugins.NAME] enabled = true`)
      core.report({ component: 'documents', state: 'degraded', reason })
    },
    async close() {
      versions.close()
      await Promise.all([forRuns.close(), forTrials.close()])
    }
  }
}

/** The parts of a request that a run needs; others cannot be sent to threads. */
function runContext({ db, hints }: RequestContext): RunContext {
  const { options, autoCreate } = hints
  return { db, hints: { options, ...(autoCreate !== undefined && { autoCreate }) } }
}

/** The items, or undefined for some that take much memory, and so time, for their bytes: many keys in few items each, many that are invalid. */
function* lightItems(steps: Steps<ItemBatch>): Steps<ItemBatch | undefined> {
  try {
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done) return step.value.memory <= maxLightMemory ? step.value : undefined
      if (step.value !== undefined && step.value > maxLightMemory) return undefined
      yield step.value
    }
  } finally {
    // Frees the items decoded so far.
    steps.return(undefined as never)
  }
}

function columnMemory(writes: readonly TableWrite[]): number {
  return writes.reduce((sum, { columns, rows }) => sum + cellMemory(columns.length, rows), 0)
}

/** The bytes in a buffer that can be transferred: their own, or a copy. */
function ownMemory(bytes: Buffer): { readonly bytes: Uint8Array; readonly moved: readonly ArrayBuffer[] } {
  const own = bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes)
  return { bytes: own, moved: [own.buffer as ArrayBuffer] }
}

/** The first ten names, and the number of further ones. */
function listed(names: readonly string[]): string {
  const more = names.length > 10 ? ` and ${names.length - 10} more` : ''
  return names.slice(0, 10).join(', ') + more
}

/** A structured clone. Throws DbError `InvalidArguments` for values that cannot be sent to threads. */
function plain(settings: unknown, module: string): unknown {
  try {
    return structuredClone(settings)
  } catch (cause) {
    throw new DbError('InvalidArguments', `settings of ${module} must be plain data`, { cause })
  }
}

function builtIn(): DbError {
  return new DbError(
    'InvalidArguments',
    `Pipeline not found, name: ${identityName}: it is built in, so it can neither be read nor tried out`
  )
}
