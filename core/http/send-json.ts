// Sends large values as JSON piece by piece, so that neither the event loop is held nor all of the text is in memory.
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { Pace } from '../pace.ts'

/** Characters per piece. */
const pieceLength = 1 << 16

/**
 * Sends a value as JSON. Objects and arrays in the first `levels` levels are written member by member, deeper values with one
 * `JSON.stringify` each.
 */
export function sendJson(reply: FastifyReply, value: unknown, levels: number): FastifyReply {
  const pace = new Pace(reply.request.lifetime)
  return reply.type('application/json').send(Readable.from(pieces(pace, value, levels), { objectMode: false }))
}

async function* pieces(pace: Pace, value: unknown, levels: number): AsyncGenerator<Buffer> {
  let text = ''
  for (const part of parts(value, levels)) {
    text += part
    if (text.length >= pieceLength) {
      yield Buffer.from(text)
      text = ''
    }
    if (pace.isDue) await pace.pause()
  }
  yield Buffer.from(text)
}

function* parts(value: unknown, levels: number): Generator<string> {
  if (levels === 0 || typeof value !== 'object' || value === null) {
    yield JSON.stringify(value) ?? 'null'
    return
  }
  let separator = ''
  if (Array.isArray(value)) {
    yield '['
    for (const item of value) {
      yield separator
      yield* parts(item, levels - 1)
      separator = ','
    }
    yield ']'
    return
  }
  yield '{'
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue
    yield `${separator}${JSON.stringify(key)}:`
    yield* parts(member, levels - 1)
    separator = ','
  }
  yield '}'
}
