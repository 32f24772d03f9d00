// The protocol's error body.
import type { DbError, WireError } from '../../core/index.ts'

export function formatError({ status: own, message }: DbError): WireError {
  // Clients of this protocol know no 415.
  const status = own === 415 ? 400 : own
  return { status, contentType: 'application/json', body: JSON.stringify({ error: { code: status, message } }) }
}
