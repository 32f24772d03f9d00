// Request bodies: read once into one buffer, checked against the limits, decompressed.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { DbError } from '../errors.ts'
import { checkJsonValues } from '../model/json-count.ts'
import { Pace, runPaced } from '../pace.ts'
import { type ContentCoding, contentCodings, inflate } from '../wire/inflate.ts'
import { BodyMemory } from './body-memory.ts'
import { holdBytes, type Lease } from './budget.ts'
import { drain, readStream } from './read-stream.ts'

/**
 * Provides every body as `req.body`: a Buffer, or undefined when empty. `limit` is in bytes, applies before and after decompression, and 0
 * means none.
 */
export function acceptBodies(app: FastifyInstance, limit: number): void {
  const memory = new BodyMemory()
  app.removeAllContentTypeParsers()
  app.addHook('onRequest', (request, _reply, done) => {
    // Fastify would refuse an invalid media type before the body is read.
    if (request.routeOptions.config.anyContentType === true) delete request.headers['content-type']
    done()
  })
  app.addContentTypeParser('*', (request: FastifyRequest) => readBody(request, limit, bodyTooLarge, memory))
}

/**
 * Parses the bodies of routes with `schema.body` as JSON before Fastify validates them, so that a handler gets what its types say. Parsing
 * does not yield, so bytes and values are limited; 0 means no limit.
 */
export function readSchemaBodies(
  app: FastifyInstance,
  http: { readonly max_form_size: number; readonly max_body_values: number }
): void {
  app.addHook('preValidation', async request => {
    const { body, routeOptions, lifetime } = request
    if (routeOptions.schema?.body === undefined || !Buffer.isBuffer(body)) return
    const { max_form_size: max, max_body_values: values } = http
    if (max > 0 && body.length > max)
      throw new DbError('InvalidArguments', `the body is larger than ${max} bytes (http.max_form_size)`, {
        status: 413
      })
    await runPaced(new Pace(lifetime), checkJsonValues(body, values))
    request.body = parseBody(body)
  })
}

function parseBody(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch (cause) {
    throw new DbError('InvalidArguments', `the body is not valid JSON: ${(cause as Error).message}`, { cause })
  }
}

/** Makes the error for a body beyond a limit. */
type TooLarge = (limit: number, received: string) => DbError

/**
 * Reads and decompresses the body; undefined if it is empty. `limit` is in bytes, before and after decompression, 0 for none. An uncompressed body
 * may lie in `memory`, until the route calls `lifetime.returnBody`. Rejects with the result of `tooLarge` (default: DbError `InvalidArguments`
 * with status 413), with `InvalidArguments` for invalid compressed bytes (status 415 for an unknown coding), `Cancelled` if the client is gone.
 */
export async function readBody(
  request: FastifyRequest,
  limit: number,
  tooLarge: TooLarge = bodyTooLarge,
  memory?: BodyMemory
): Promise<Buffer | undefined> {
  const { lease, signal } = request.lifetime
  const encodings = request.routeOptions.config.rawBody ? [] : encodingsOf(request)
  const declared = Number(request.headers['content-length'] ?? 0)
  if (limit > 0 && declared > limit) {
    drain(request.raw)
    throw tooLarge(limit, `${declared} bytes announced`)
  }
  const isWhole = request.routeOptions.config.rawBody && request.headers['transfer-encoding'] === undefined
  const into = isWhole ? memory?.acquire(declared) : undefined
  let body = await readStream(request.raw, { limit, lease, signal, tooLarge, into })
  if (into !== undefined) request.lifetime.returnBody = once(() => memory!.give(into))
  request.lifetime.received = body.length
  for (const encoding of encodings) body = await inflateBody(body, encoding, { limit, lease, signal, tooLarge })
  return body.length === 0 ? undefined : body
}

function once(run: () => void): () => void {
  let isDone = false
  return () => {
    if (!isDone) run()
    isDone = true
  }
}

/** The decompressed body of a request as bytes; empty if there is none, or if `acceptForms` has parsed it. */
export function bodyBytes({ body }: Pick<FastifyRequest, 'body'>): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0)
}

/** The content codings to decode, outermost first. */
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

/** Decompresses the body within the limits. */
export async function inflateBody(body: Buffer, encoding: ContentCoding, bounds: Bounds): Promise<Buffer> {
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
