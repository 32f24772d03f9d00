// The body of an answer: Export…ServiceResponse, as protobuf or JSON like the request.
import { ProtoWriter } from '../../core/wire/index.ts'
import type { TelemetrySignal } from '../services.ts'
import type { Encoding } from './content.ts'
import type { Taken } from './signal.ts'

const rejectedKeys = { metrics: 'rejectedDataPoints', traces: 'rejectedSpans', logs: 'rejectedLogRecords' } as const

/** Export…ServiceResponse{1 partial_success{1 rejected, 2 error_message}}; empty where nothing was left out. */
export function encodeResponse(signal: TelemetrySignal, encoding: Encoding, { rejected, message }: Taken): Uint8Array {
  const whole = rejected === 0 && message === ''
  if (encoding === 'json') {
    const partial = { partialSuccess: { [rejectedKeys[signal]]: String(rejected), errorMessage: message } }
    // Sent as bytes, because Fastify adds a charset to the content type of strings.
    return Buffer.from(JSON.stringify(whole ? {} : partial))
  }
  if (whole) return new Uint8Array()
  const partial = new ProtoWriter().uint(1, rejected).text(2, message)
  return new ProtoWriter().data(1, partial.bytes).bytes
}
