// Errors of the query API: types and statuses as Prometheus gives them.
import type { DbError } from '../../../core/index.ts'

export function formatApiError(error: DbError): { readonly status: number; readonly body: string } {
  const { type, status } = kindOf(error)
  const message = error.code === 'InvalidSyntax' ? `invalid parameter "query": ${error.message}` : error.message
  return { status, body: JSON.stringify({ status: 'error', errorType: type, error: message }) }
}

function kindOf({ code, status }: DbError): { readonly type: string; readonly status: number } {
  if (code === 'Cancelled') return { type: 'canceled', status: 499 }
  if (code === 'DeadlineExceeded') return { type: 'timeout', status: 503 }
  if (status === 422) return { type: 'execution', status }
  if (status === 404) return { type: 'not_found', status }
  if (status < 500)
    return { type: 'bad_data', status: status === 401 || status === 403 || status === 429 ? status : 400 }
  return { type: status === 503 ? 'unavailable' : 'internal', status }
}
