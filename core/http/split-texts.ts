// Sends long texts piece by piece: the system takes all it is given in one go, and the event loop would be held until it has.
import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'

/** Characters of a piece, and of a text that is sent as one. */
const [pieceLength, maxWhole] = [1 << 16, 1 << 18]

/** Makes streams of answers that routes give as long texts. */
export function splitTexts(app: FastifyInstance): void {
  app.addHook('onSend', (request, _reply, payload, done) => {
    const isLong = typeof payload === 'string' && payload.length > maxWhole && request.method !== 'HEAD'
    done(null, isLong ? Readable.from(pieces(payload), { objectMode: false, highWaterMark: pieceLength }) : payload)
  })
}

function* pieces(text: string): Generator<Buffer> {
  for (let from = 0, to = 0; from < text.length; from = to) {
    to = Math.min(from + pieceLength, text.length)
    // Both halves of a character beyond 16 bits belong to one piece.
    if (isHighHalf(text.charCodeAt(to - 1)) && to < text.length) to++
    yield Buffer.from(text.slice(from, to))
  }
}

function isHighHalf(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00
}
