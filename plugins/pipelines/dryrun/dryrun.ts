// Runs a pipeline over sample items and shows the rows it would write.
import {
  checkJsonValues,
  decodeItems,
  type Item,
  type ItemBatch,
  type ItemValue,
  invalidParameter,
  isDbError,
  parseJson,
  runAtOnce,
  withMessage,
  writeJson
} from '../../../core/compute.ts'
import { refuseUnknownKeys } from '../document/unknown-keys.ts'
import type { Pipeline } from '../pipeline.ts'
import type { RunContext, Runner } from '../runner.ts'
import { writesText } from './rows-text.ts'
import { createTrace } from './trace.ts'

export interface DryRunRequest {
  readonly body: Buffer
  readonly contentType: string
  readonly query: {
    readonly pipeline_name?: string
    readonly version?: string
    readonly ignore_errors?: boolean
    readonly trace?: boolean
    readonly strict?: boolean
  }
  /** Maximum values of the body, and of the data in it; 0 means no limit. */
  readonly maxValues: number
  /** More items than this are refused. */
  readonly maxItems: number
}

/** The pipeline to run and its input; `inline` pipelines have errors of their own. */
interface Job {
  readonly items: ItemBatch
  readonly inline: boolean
  /** Whether the record after each processor is requested; then no item fails the run. */
  readonly trace: boolean
  /** Unknown keys of the document are an error. */
  readonly strict: boolean
  pipeline(): Pipeline
}

/** JSON text of the rows by table; `{output, …}` with a trace and where the document has unknown keys. Throws DbError. */
export function dryRun(service: Runner, ctx: RunContext, request: DryRunRequest): string {
  runAtOnce(checkJsonValues(request.body, request.maxValues))
  const job = readWrapped(service, request) ?? readPlain(service, request)
  if (job.items.rows > request.maxItems) {
    const limit = `[plugins.pipelines] dry_run_max_items = ${request.maxItems}`
    throw invalidParameter(`a dry run takes at most ${request.maxItems} items, got ${job.items.rows} (${limit})`)
  }
  const pipeline = prefixed(job.inline, 'Failed to build pipeline', () => {
    const compiled = job.pipeline()
    if (job.strict) refuseUnknownKeys(compiled.warnings)
    return compiled
  })
  const trace = job.trace ? createTrace(job.items) : undefined
  const options = { table: 'dry_run', ignoreErrors: request.query.ignore_errors ?? false, skipError: job.trace }
  const { writes, skipped } = prefixed(job.inline, 'Failed to exec pipeline', () =>
    service.runCompiled(ctx, pipeline, job.items, options, trace?.observer)
  )
  const output = writesText(writes)
  const { warnings } = pipeline
  if (trace === undefined && warnings.length === 0) return output
  const traced = trace === undefined ? '' : `,"trace":${trace.text(skipped.errors)}`
  const warned = warnings.length === 0 ? '' : `,"warnings":${JSON.stringify(warnings)}`
  return `{"output":${output}${traced}${warned}}`
}

/** The request form with all parameters in one JSON object; undefined for any other body. */
function readWrapped(service: Runner, { body, query, maxValues }: DryRunRequest): Job | undefined {
  const root = tryJson(body)
  if (!isObject(root) || root['data'] === undefined) return undefined
  const text = (key: string): string | undefined => {
    const value = root[key] ?? undefined
    if (value === undefined || typeof value === 'string') return value
    throw invalidParameter(`${key} must be a string`)
  }
  const yaml = text('pipeline')
  const name = text('pipeline_name')
  if (yaml === undefined && name === undefined) return undefined
  const data = root['data']
  const type = typeof data === 'string' ? text('data_type') : undefined
  const flag = (key: 'trace' | 'strict'): boolean => {
    const value = root[key] ?? query[key] ?? false
    if (typeof value !== 'boolean') throw invalidParameter(`${key} must be true or false`)
    return value
  }
  const trace = flag('trace')
  const bytes = Buffer.from(typeof data === 'string' ? data : writeJson(data))
  return {
    items: decodeItems(bytes, type ?? 'application/json', { skipError: trace, maxValues }),
    inline: yaml !== undefined,
    trace,
    strict: flag('strict'),
    pipeline: () => {
      if (yaml !== undefined) return service.compile(yaml)
      return service.compiled(service.find(name!, text('pipeline_version')))
    }
  }
}

/** The request form whose body is the data itself. */
function readPlain(service: Runner, { body, contentType, query, maxValues }: DryRunRequest): Job {
  const { pipeline_name: name, version, ignore_errors: ignoreErrors = false, trace = false, strict = false } = query
  if (name === undefined || name === '') {
    // The body is an envelope that lacks a member.
    if (/^application\/json\b/i.test(contentType.trim())) checkJson(body)
    throw invalidParameter('pipeline_name is required')
  }
  return {
    items: decodeItems(body, contentType, { ignoreErrors, skipError: trace, maxValues }),
    inline: false,
    trace,
    strict,
    pipeline: () => service.compiled(service.find(name, version))
  }
}

function prefixed<T>(inline: boolean, prefix: string, work: () => T): T {
  if (!inline) return work()
  try {
    return work()
  } catch (cause) {
    if (!isDbError(cause)) throw cause
    throw withMessage(cause, `${prefix}: ${cause.message}`)
  }
}

function checkJson(body: Buffer): void {
  try {
    parseJson(body)
  } catch (cause) {
    if (!isDbError(cause)) throw cause
    throw invalidParameter(`the body is not valid JSON: ${cause.message}`)
  }
}

function tryJson(body: Buffer): ItemValue | undefined {
  try {
    return parseJson(body)
  } catch {
    return undefined
  }
}

function isObject(value: ItemValue | undefined): value is Item {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
