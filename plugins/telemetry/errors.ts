// The protocol's error body: google.rpc.Status, as protobuf or JSON like the request.

import type { FastifyRequest } from 'fastify'
import { type DbError, rpcCode, type WireError } from '../../core/index.ts'
import { ProtoWriter } from '../../core/wire/index.ts'
import { answerEncodingOf, contentTypes } from './content.ts'

/** Status{1 code, 2 message}. */
export function formatError({ status, message }: DbError, { headers }: FastifyRequest): WireError {
  const encoding = answerEncodingOf(headers['content-type'])
  const code = rpcCode(status)
  const contentType = contentTypes[encoding]
  // Sent as bytes, because Fastify adds a charset to the content type of strings.
  if (encoding === 'json') return { status, contentType, body: Buffer.from(JSON.stringify({ code, message })) }
  return { status, contentType, body: new ProtoWriter().uint(1, code).text(2, message).bytes }
}
