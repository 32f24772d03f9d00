// The protocol's error body, with the members that clients of version 1 and of version 2 read.
import type { DbError, WireError } from '../../core/index.ts'

const words: Readonly<Record<number, string>> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not found',
  405: 'method not allowed',
  413: 'request too large',
  429: 'too many requests',
  503: 'unavailable'
}

export function formatError({ status: own, message }: DbError): WireError {
  // Clients of this protocol do not expect a 415.
  const status = own === 415 ? 400 : own
  const code = words[status] ?? (status < 500 ? 'invalid' : 'internal error')
  return {
    status,
    contentType: 'application/json',
    body: JSON.stringify({ code, message, error: message }),
    headers: { 'x-influxdb-error': message }
  }
}
