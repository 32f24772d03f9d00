// Errors of the query API: types and statuses as Prometheus gives them.
import type { DbError, WireError } from '../../../core/index.ts'

export function formatApiError(error: DbError): WireError {
  const { type, status } = kindOf(error)
  const message = error.code === 'InvalidSyntax' ? `invalid parameter "query": ${error.message}` : error.message
  return {
    status,
    contentType: 'application/json',
    body: JSON.stringify({ status: 'error', errorType: type, error: message })
  }
}

/** Errors that are not about parameters keep their status. */
const kept: ReadonlySet<number> = new Set([401, 403, 405, 413, 415, 429])

function kindOf({ code, status }: DbError): { readonly type: string; readonly status: number } {
  if (code === 'Cancelled') return { type: 'canceled', status: 499 }
  if (code === 'DeadlineExceeded') return { type: 'timeout', status: 503 }
  if (status === 422) return { type: 'execution', status }
  if (status === 404) return { type: 'not_found', status }
  if (status < 500) return { type: 'bad_data', status: kept.has(status) ? status : 400 }
  return { type: status === 503 ? 'unavailable' : 'internal', status }
}
