// Request bodies: read once into one buffer, counted against the limits, inflated.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { DbError } from '../errors.ts'
import { type ContentCoding, contentCodings, inflate } from '../wire/inflate.ts'
import { holdBytes, type Lease } from './budget.ts'
import { drain, readStream } from './read-stream.ts'

/**
 * Makes every body reach its route as `req.body`: a Buffer, undefined when empty. `limit` is in bytes before and after inflating, 0 for
 * none.
 */
export function acceptBodies(app: FastifyInstance, limit: number): void {
  app.removeAllContentTypeParsers()
  app.addHook('onRequest', (request, _reply, done) => {
    // The framework refuses what is no media type before anybody reads the body.
    if (request.routeOptions.config.anyContentType === true) delete request.headers['content-type']
    done()
  })
  app.addContentTypeParser('*', (request: FastifyRequest) => readBody(request, limit))
}

/** Makes the error of a body beyond a limit. */
type TooLarge = (limit: number, received: string) => DbError

/** The inflated body within its limits. */
export async function readBody(
  request: FastifyRequest,
  limit: number,
  tooLarge: TooLarge = bodyTooLarge
): Promise<Buffer | undefined> {
  const { lease, signal } = request.life
  const encodings = request.routeOptions.config.rawBody ? [] : encodingsOf(request)
  const declared = Number(request.headers['content-length'] ?? 0)
  if (limit > 0 && declared > limit) {
    drain(request.raw)
    throw tooLarge(limit, `${declared} bytes announced`)
  }
  let body = await readStream(request.raw, { limit, lease, signal, tooLarge })
  request.life.received = body.length
  for (const encoding of encodings) body = await decode(body, encoding, { limit, lease, signal, tooLarge })
  return body.length === 0 ? undefined : body
}

/** The body of a request as bytes, none where it has none. */
export function bodyBytes({ body }: Pick<FastifyRequest, 'body'>): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0)
}

/** The codings to undo, outermost first. */
function encodingsOf(request: FastifyRequest): ContentCoding[] {
  const header = request.headers['content-encoding']
  if (header === undefined) return []
  const passed = ['', 'identity', ...(request.routeOptions.config.ownEncodings ?? [])]
  const names: ContentCoding[] = []
  for (const part of header.split(',')) {
    const name = part.trim().toLowerCase().replace(/^x-/, '')
    if (passed.includes(name)) continue
    if (!isContentCoding(name)) {
      drain(request.raw)
      const allowed = contentCodings.join(', ')
      throw new DbError('Unsupported', `content encoding ${name} is not supported, use one of ${allowed}, identity`, {
        status: 415
      })
    }
    names.push(name)
  }
  return names.reverse()
}

interface Bounds {
  readonly limit: number
  readonly lease: Lease
  readonly signal: AbortSignal
  readonly tooLarge: TooLarge
}

async function decode(body: Buffer, encoding: ContentCoding, bounds: Bounds): Promise<Buffer> {
  if (body.length === 0) return body
  const { limit, lease, signal, tooLarge } = bounds
  const received = `${body.length} bytes received, more than the limit after ${encoding} is undone`
  const hold = (bytes: number) => holdBytes(lease, Math.max(bytes, body.length), signal)
  return inflate(body, encoding, { limit, signal, hold, tooLarge: () => tooLarge(limit, received) })
}

function isContentCoding(name: string): name is ContentCoding {
  return (contentCodings as readonly string[]).includes(name)
}

function bodyTooLarge(limit: number, received: string): DbError {
  return new DbError('InvalidArguments', `the body is larger than ${limit} bytes (http.body_limit): ${received}`, {
    status: 413
  })
}
