// Error bodies of the protocol.
import type { DbError, WireError } from '../../core/index.ts'

export function formatError({ status, message }: DbError): WireError {
  return { status, contentType: 'application/json', body: JSON.stringify({ error: message }) }
}
