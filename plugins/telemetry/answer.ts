// Bodies of answers: Export…ServiceResponse and google.rpc.Status, as protobuf or JSON.
import { type DbError, ProtoWriter, rpcCode, type WireError } from '../../core/index.ts'
import type { TelemetrySignal as SignalName } from '../services.ts'
import { contentTypes, type Encoding } from './content.ts'
import type { Taken } from './signal.ts'

const rejectedKeys = { metrics: 'rejectedDataPoints', traces: 'rejectedSpans', logs: 'rejectedLogRecords' } as const

/** Export…ServiceResponse{1 partial_success{1 rejected, 2 error_message}}; unset where everything was taken. */
export function successBody(signal: SignalName, encoding: Encoding, { rejected, message }: Taken): Uint8Array {
  const whole = rejected === 0 && message === ''
  if (encoding === 'json') {
    const partial = { partialSuccess: { [rejectedKeys[signal]]: String(rejected), errorMessage: message } }
    return bytesOf(whole ? {} : partial)
  }
  if (whole) return new Uint8Array()
  const partial = new ProtoWriter().uint(1, rejected).text(2, message)
  return new ProtoWriter().data(1, partial.bytes).bytes
}

/** Bytes, so that the content type stays as it is. */
function bytesOf(value: object): Uint8Array {
  return Buffer.from(JSON.stringify(value))
}

/** Status{1 code, 2 message}. */
export function errorBody({ status, message }: DbError, encoding: Encoding): WireError {
  const code = rpcCode(status)
  const contentType = contentTypes[encoding]
  if (encoding === 'json') return { status, contentType, body: bytesOf({ code, message }) }
  return { status, contentType, body: new ProtoWriter().uint(1, code).text(2, message).bytes }
}
