// Answers of the query API: JSON made piece by piece, compressed where the client takes it.
import { Readable } from 'node:stream'
import { constants, createGzip, gzipSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** Bytes gathered before a piece is sent. A smaller answer is sent at once; compressing it takes one or two milliseconds. */
const chunkSize = 1 << 18

const fast = { level: constants.Z_BEST_SPEED }

/** Bytes below which an answer is not compressed: they fit the initial TCP window of ten packets, so compressing saves no time. */
const minCompressedBytes = 14_000

/** Sends pieces of JSON; a large answer is never held as a whole. */
export function sendJson(request: FastifyRequest, reply: FastifyReply, pieces: Iterable<string>): FastifyReply {
  const chunks = gather(pieces)
  const first = chunks.next().value ?? Buffer.alloc(0)
  const second = chunks.next()
  const others = reply.getHeader('vary')
  const vary = others === undefined ? 'accept-encoding' : `${others}, accept-encoding`
  reply.type('application/json').header('vary', vary)
  const compressed = first.length >= minCompressedBytes && takesGzip(request.headers['accept-encoding'])
  if (second.done && !compressed) return reply.send(first)
  // Not streamed: a stream takes a hundred times as long for a small answer.
  if (second.done) return reply.header('content-encoding', 'gzip').send(gzipSync(first, fast))
  const body = Readable.from(all(first, second.value, chunks), { objectMode: false })
  if (!compressed) return reply.send(body)
  const gzip = createGzip({ ...fast, chunkSize: 1 << 16 })
  body.once('error', error => gzip.destroy(error))
  gzip.once('close', () => body.destroy())
  return reply.header('content-encoding', 'gzip').send(body.pipe(gzip))
}

function* gather(pieces: Iterable<string>): Generator<Buffer, undefined> {
  let held: string[] = []
  let size = 0
  for (const piece of pieces) {
    held.push(piece)
    size += piece.length
    if (size < chunkSize) continue
    yield Buffer.from(held.join(''))
    held = []
    size = 0
  }
  if (size > 0) yield Buffer.from(held.join(''))
}

function* all(first: Buffer, second: Buffer | undefined, rest: Iterable<Buffer>): Generator<Buffer> {
  yield first
  if (second !== undefined) yield second
  yield* rest
}

/** Whether `Accept-Encoding` names gzip, or anything, without `q=0`. */
function takesGzip(header: string | string[] | undefined): boolean {
  const offers = String(header ?? '')
    .toLowerCase()
    .split(',')
    .map(offer => offer.trim().split(/(?<!\s)\s*;\s*/))
  const gzip = offers.find(([name]) => name === 'gzip') ?? offers.find(([name]) => name === '*')
  return gzip !== undefined && !gzip.slice(1).some(parameter => /^q=0(\.0*)?$/.test(parameter))
}
