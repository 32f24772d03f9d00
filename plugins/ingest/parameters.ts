// What an ingest request asks for, from its query and headers.
import type { IncomingHttpHeaders } from 'node:http'
import { DbError, firstValue, itemContentTypes, type Parameters } from '../../core/index.ts'
import type { PipelineRunOptions } from '../services.ts'

export interface IngestRequest {
  readonly pipeline: string
  readonly contentType: string
  readonly options: PipelineRunOptions & { readonly skipError: boolean; readonly ignoreErrors: boolean }
}

/** Throws DbError `InvalidArguments` for what is missing or no flag. Headers win over the query. */
export function readParameters(query: Parameters, headers: IncomingHttpHeaders): IngestRequest {
  const text = (key: string) => firstValue(query, key) || undefined
  const skipAsked = flag(query, 'skip_error')
  const ignoreErrors = flag(query, 'ignore_errors')
  const contentType = headers['content-type']
  if (contentType === undefined) {
    throw invalid(`header content-type is missing, expected: one of ${itemContentTypes.join(', ')}`)
  }
  const table = text('table')
  if (table === undefined) throw invalid('table is required')
  const named = headerText(headers, 'x-svc-pipeline-name') ?? headerText(headers, 'x-svc-log-pipeline-name')
  const pipeline = named ?? text('pipeline_name')
  if (pipeline === undefined) throw invalid('pipeline_name is required')
  const { skipError = skipAsked, maxNestedLevels } = pipelineParameters(headers)
  const version = text('version')
  const customTimeIndex = text('custom_time_index')
  const options = {
    table,
    skipError,
    ignoreErrors,
    ...(version !== undefined && { version }),
    ...(customTimeIndex !== undefined && { customTimeIndex }),
    ...(maxNestedLevels !== undefined && { maxNestedLevels })
  }
  return { pipeline, contentType, options }
}

function flag(query: Parameters, key: string): boolean {
  const text = firstValue(query, key)
  if (text === undefined || text === '') return false
  if (text !== 'true' && text !== 'false') throw invalid(`${key} must be true or false, got ${text}`)
  return text === 'true'
}

function headerText(headers: IncomingHttpHeaders, name: string): string | undefined {
  return String(headers[name] ?? '').trim() || undefined
}

/** Reads `x-svc-pipeline-params: skip_error=yes&max_nested_levels=3`; unknown keys may be another server's. */
function pipelineParameters(headers: IncomingHttpHeaders): { skipError?: boolean; maxNestedLevels?: number } {
  const pairs = new Map(
    (headerText(headers, 'x-svc-pipeline-params') ?? '').split('&').map(pair => {
      const equals = pair.indexOf('=')
      return equals < 0 ? [pair.trim(), ''] : [pair.slice(0, equals).trim(), pair.slice(equals + 1).trim()]
    })
  )
  const skip = pairs.get('skip_error')
  const levels = Number(pairs.get('max_nested_levels'))
  return {
    ...(skip !== undefined && { skipError: /^(true|1|yes|on|t)$/i.test(skip) }),
    ...(Number.isSafeInteger(levels) && levels > 0 && { maxNestedLevels: levels })
  }
}

function invalid(message: string): DbError {
  return new DbError('InvalidArguments', `Invalid request parameter: ${message}`)
}
