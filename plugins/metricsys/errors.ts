// Error bodies of remote write and read. A sender drops a batch on 4xx and repeats it on 5xx; the status is chosen accordingly.
import type { DbError, WireError } from '../../core/index.ts'

export function formatError({ code, status, message }: DbError): WireError {
  if (status === 415) return { status, contentType: 'text/plain; charset=utf-8', body: message }
  const late = code === 'DeadlineExceeded'
  return { status: late ? 504 : status, contentType: 'application/json', body: JSON.stringify({ error: message }) }
}
