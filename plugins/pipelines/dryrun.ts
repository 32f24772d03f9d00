// Runs a pipeline over sample items and shows the rows it would write.
import {
  type Column,
  DbError,
  decodeItems,
  type Item,
  type ItemBatch,
  type ItemValue,
  isDbError,
  isTimestamp,
  isValid,
  parseJson,
  type RequestContext,
  type TableWrite,
  writeJson
} from '../../core/index.ts'
import type { Pipeline } from './pipeline.ts'
import type { OwnService } from './service.ts'

export interface DryRunRequest {
  readonly body: Buffer
  readonly contentType: string
  readonly query: { readonly pipeline_name?: string; readonly version?: string; readonly ignore_errors?: boolean }
  /** More items than this are refused. */
  readonly maxItems: number
}

/** What to run on what; `inline` pipelines have errors of their own. */
interface Job {
  readonly items: ItemBatch
  readonly inline: boolean
  pipeline(): Pipeline
}

/** JSON text of the rows by table. Throws DbError. */
export function dryRun(service: OwnService, ctx: RequestContext, request: DryRunRequest): string {
  const job = readWrapped(service, request) ?? readPlain(service, request)
  if (job.items.rows > request.maxItems) {
    const limit = `[plugins.pipelines] dry_run_max_items = ${request.maxItems}`
    throw invalid(`a dry run takes at most ${request.maxItems} items, got ${job.items.rows} (${limit})`)
  }
  const pipeline = prefixed(job.inline, 'Failed to build pipeline', () => job.pipeline())
  const { writes } = prefixed(job.inline, 'Failed to exec pipeline', () =>
    service.runCompiled(ctx, pipeline, job.items, {
      table: 'dry_run',
      ignoreErrors: request.query.ignore_errors ?? false
    })
  )
  return `[${writes.map(showWrite).join(',')}]`
}

/** The form with everything in one JSON object; undefined when the body is none. */
function readWrapped(service: OwnService, { body }: DryRunRequest): Job | undefined {
  const root = tryJson(body)
  if (!isObject(root) || root['data'] === undefined) return undefined
  const text = (key: string): string | undefined => {
    const value = root[key] ?? undefined
    if (value === undefined || typeof value === 'string') return value
    throw invalid(`${key} must be a string`)
  }
  const yaml = text('pipeline')
  const name = text('pipeline_name')
  if (yaml === undefined && name === undefined) return undefined
  const data = root['data']
  const type = typeof data === 'string' ? text('data_type') : undefined
  return {
    items: decodeItems(Buffer.from(typeof data === 'string' ? data : writeJson(data)), type ?? 'application/json'),
    inline: yaml !== undefined,
    pipeline: () => {
      if (yaml !== undefined) return service.compile(yaml)
      return service.compiled(service.find(name!, text('pipeline_version')))
    }
  }
}

/** The form whose body is the data itself. */
function readPlain(service: OwnService, { body, contentType, query }: DryRunRequest): Job {
  const { pipeline_name: name, version, ignore_errors: ignoreErrors = false } = query
  if (name === undefined || name === '') throw invalid('pipeline_name is required')
  return {
    items: decodeItems(body, contentType, { ignoreErrors }),
    inline: false,
    pipeline: () => service.compiled(service.find(name, version))
  }
}

function prefixed<T>(inline: boolean, prefix: string, work: () => T): T {
  if (!inline) return work()
  try {
    return work()
  } catch (cause) {
    if (!isDbError(cause)) throw cause
    throw new DbError(cause.code, `${prefix}: ${cause.message}`, { cause })
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

function showWrite(write: TableWrite): string {
  const shown = write.columns.map(column => ({
    column,
    name: JSON.stringify(column.name),
    type: JSON.stringify(typeName(column)),
    semantic: JSON.stringify(column.semantic.toUpperCase())
  }))
  const schema = shown.map(({ column, name, type, semantic }) => {
    const fulltext = column.index?.kind === 'fulltext'
    return `{"name":${name},"data_type":${type},"column_type":${semantic},"fulltext":${fulltext}}`
  })
  const rows = Array.from({ length: write.rows }, (_, row) => {
    const cells = shown.map(({ column, name, type, semantic }) => {
      return `{"key":${name},"value":${showValue(column, row)},"data_type":${type},"semantic_type":${semantic}}`
    })
    return `[${cells.join(',')}]`
  })
  const table = JSON.stringify(write.table)
  return `{"table_name":${table},"schema":[${schema.join(',')}],"rows":[${rows.join(',')}]}`
}

/** `INT32`, `TIMESTAMP_MILLISECOND` … */
function typeName({ type }: Column): string {
  return isTimestamp(type) ? type.replace('Timestamp', 'TIMESTAMP_').toUpperCase() : type.toUpperCase()
}

function showValue({ data, type }: Column, row: number): string {
  if (!isValid(data.valid, row)) return 'null'
  if (data.kind === 'fixed') {
    const value = data.values[row]!
    if (type === 'Boolean') return value === 1 ? 'true' : 'false'
    return typeof value === 'bigint' || !type.startsWith('Float') ? String(value) : writeJson(Number(value))
  }
  if (data.kind === 'dictionary') throw new DbError('Internal', 'pipelines write no dictionaries')
  const text = Buffer.from(data.bytes.subarray(data.offsets[row]!, data.offsets[row + 1]!)).toString()
  return type === 'Json' ? text : JSON.stringify(text)
}

function invalid(message: string): DbError {
  return new DbError('InvalidArguments', `Invalid request parameter: ${message}`)
}
