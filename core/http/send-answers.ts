// Streams results to a client. Headers are sent with the first piece, so that errors before it keep their status.
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { Answer, EncodeOptions, ResultFormat } from '../format/answer.ts'
import { encodeAnswers } from '../format/index.ts'
import { Pace } from '../pace.ts'

/** Small pieces are gathered to this many bytes. */
const pieceSize = 1 << 16

/** Sends answers in a result format with its headers. A slow client slows down the query (back-pressure). */
export async function sendAnswers(
  reply: FastifyReply,
  format: ResultFormat,
  answers: readonly Answer[],
  options: Omit<EncodeOptions, 'elapsed'> = {}
): Promise<FastifyReply> {
  const elapsed = () => reply.elapsedTime
  const { lifetime } = reply.request
  const pieces = gather(encodeAnswers(format, answers, { ...options, elapsed }), new Pace(lifetime), () =>
    lifetime.atWork()
  )
  const first = await pieces.next().catch((error: unknown) => {
    for (const answer of answers) if (answer.kind === 'records') answer.close?.()
    throw error
  })
  reply
    .header('content-type', format.contentType)
    .header('x-svc-format', format.header)
    .header('x-svc-execution-time', String(Math.round(elapsed())))
  if (first.done) return reply.send(Buffer.alloc(0))
  // Only the last piece is shorter: an answer of one piece needs no stream.
  if (first.value.length < pieceSize && (await pieces.next()).done) return reply.send(first.value)
  return reply.send(Readable.from(join(first.value, pieces), { objectMode: false, highWaterMark: pieceSize }))
}

/** Calls `atWork` whenever it encodes something. */
async function* gather(
  parts: AsyncIterable<string | Uint8Array>,
  pace: Pace,
  atWork: () => void
): AsyncGenerator<Buffer, undefined> {
  let held: Buffer[] = []
  let size = 0
  for await (const part of parts) {
    if (pace.isDue) await pace.pause()
    atWork()
    const bytes = typeof part === 'string' ? Buffer.from(part) : Buffer.from(part.buffer, part.byteOffset, part.length)
    held.push(bytes)
    size += bytes.length
    if (size < pieceSize) continue
    yield Buffer.concat(held)
    held = []
    size = 0
  }
  if (size > 0) yield Buffer.concat(held)
}

async function* join(first: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield first
  yield* rest
}
