// Errors as gRPC reports them: a code, a message, and when a retry may succeed.
import type { OutgoingHttpHeaders } from 'node:http2'
import type { DbError } from '../errors.ts'
import { ProtoWriter } from '../wire/protobuf.ts'

/** google.rpc.Code by HTTP status. */
const codes: Readonly<Record<number, number>> = {
  400: 3,
  401: 16,
  403: 7,
  404: 5,
  405: 12,
  408: 4,
  413: 3,
  415: 3,
  429: 8,
  499: 1,
  501: 12,
  503: 14,
  504: 4
}

/** The google.rpc.Code for an HTTP status; 3 (INVALID_ARGUMENT) or 13 (INTERNAL) for those that have none of their own. */
export function rpcCode(status: number): number {
  return codes[status] ?? (status < 500 ? 3 : 13)
}

/** Statuses of temporary errors. */
const passing: ReadonlySet<number> = new Set([429, 503])

/** Maximum characters of a message, because all headers together are limited. */
const maxMessage = 2000

/** Trailers of a refused call; `text` is what the client may see. */
export function errorTrailers({ status, retryAfter }: DbError, text: string): OutgoingHttpHeaders {
  const code = rpcCode(status)
  const message = text.length > maxMessage ? `${text.slice(0, maxMessage)}...` : text
  const trailers = { 'grpc-status': String(code), 'grpc-message': escaped(message) }
  if (!passing.has(status)) return trailers
  const details = new ProtoWriter()
    .uint(1, code)
    .text(2, message)
    .data(3, retryInfo(retryAfter ?? 1)).bytes
  return { ...trailers, 'grpc-status-details-bin': Buffer.from(details).toString('base64') }
}

/** Any{1 type_url, 2 value: RetryInfo{1 retry_delay: Duration{1 seconds}}}. */
function retryInfo(seconds: number): Uint8Array {
  const delay = new ProtoWriter().uint(1, Math.ceil(seconds)).bytes
  const info = new ProtoWriter().data(1, delay).bytes
  return new ProtoWriter().text(1, 'type.googleapis.com/google.rpc.RetryInfo').data(2, info).bytes
}

/** Percent-encodes UTF-8 bytes that a header cannot hold, and the percent sign. */
function escaped(text: string): string {
  return text.replace(/[^\x20-\x24\x26-\x7e]+/g, part =>
    Array.from(Buffer.from(part), byte => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('')
  )
}
