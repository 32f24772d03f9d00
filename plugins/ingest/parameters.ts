// Parameters of an ingest request, from query and headers.
import type { IncomingHttpHeaders } from 'node:http'
import { firstValue, invalidParameter, itemContentTypes, type Parameters } from '../../core/index.ts'
import type { PipelineHeaders, PipelineRunOptions } from '../services.ts'

interface IngestRequest {
  readonly pipeline: string
  readonly contentType: string
  readonly options: PipelineRunOptions & { readonly skipError: boolean; readonly ignoreErrors: boolean }
}

/**
 * Throws DbError `InvalidArguments` for a missing or invalid parameter. `named` comes from the headers and takes precedence over the query,
 * except for the version.
 */
export function readParameters(query: Parameters, headers: IncomingHttpHeaders, named: PipelineHeaders): IngestRequest {
  const text = (key: string) => firstValue(query, key) || undefined
  const skipAsked = flag(query, 'skip_error')
  const ignoreErrors = flag(query, 'ignore_errors')
  const contentType = headers['content-type']
  if (contentType === undefined) {
    throw invalidParameter(`header content-type is missing, expected: one of ${itemContentTypes.join(', ')}`)
  }
  const table = text('table')
  if (table === undefined) throw invalidParameter('table is required')
  const pipeline = named.name ?? text('pipeline_name')
  if (pipeline === undefined) throw invalidParameter('pipeline_name is required')
  const { skipError = skipAsked, maxNestedLevels } = named
  const version = text('version') ?? named.version
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
  if (text !== 'true' && text !== 'false') throw invalidParameter(`${key} must be true or false, got ${text}`)
  return text === 'true'
}
