// Request bodies: read once into one buffer, counted against the limits, inflated.
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, inflateRaw, type ZlibOptions, zstdDecompress } from 'node:zlib'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { DbError } from '../errors.ts'
import type { Lease } from './budget.ts'
import { drain, readStream } from './read-stream.ts'

type Inflate = (bytes: Buffer, options: ZlibOptions) => Promise<Buffer>

const inflateZlib = promisify(inflate) as Inflate
const inflateBare = promisify(inflateRaw) as Inflate

const codecs: Readonly<Record<string, Inflate>> = {
  gzip: promisify(gunzip) as Inflate,
  deflate: (bytes, options) => (hasZlibHeader(bytes) ? inflateZlib : inflateBare)(bytes, options),
  br: promisify(brotliDecompress) as Inflate,
  zstd: promisify(zstdDecompress) as Inflate
}

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

/** The inflated body within its limits. */
export async function readBody(request: FastifyRequest, limit: number): Promise<Buffer | undefined> {
  const { lease, signal } = request.life
  const encodings = request.routeOptions.config.rawBody ? [] : encodingsOf(request)
  const declared = Number(request.headers['content-length'] ?? 0)
  if (limit > 0 && declared > limit) {
    drain(request.raw)
    throw tooLarge(limit, `${declared} bytes announced`)
  }
  let body = await readStream(request.raw, { declared, limit, lease, signal, tooLarge })
  request.life.received = body.length
  for (const encoding of encodings) body = await decode(body, encoding, limit, lease)
  return body.length === 0 ? undefined : body
}

/** The body of a request as bytes, none where it has none. */
export function bodyBytes({ body }: Pick<FastifyRequest, 'body'>): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0)
}

/** The codings to undo, outermost first. */
function encodingsOf(request: FastifyRequest): string[] {
  const header = request.headers['content-encoding']
  if (header === undefined) return []
  const passed = ['', 'identity', ...(request.routeOptions.config.ownEncodings ?? [])]
  const names = header
    .split(',')
    .map(name => name.trim().toLowerCase().replace(/^x-/, ''))
    .filter(name => !passed.includes(name))
  for (const name of names) {
    if (!Object.hasOwn(codecs, name)) {
      drain(request.raw)
      const allowed = Object.keys(codecs).join(', ')
      throw new DbError('Unsupported', `content encoding ${name} is not supported, use one of ${allowed}, identity`, {
        status: 415
      })
    }
  }
  return names.reverse()
}

async function decode(body: Buffer, encoding: string, limit: number, lease: Lease): Promise<Buffer> {
  if (body.length === 0) return body
  const chunkSize = Math.min(1 << 20, Math.max(1 << 14, body.length * 4))
  try {
    const inflated = await codecs[encoding]!(body, { chunkSize, ...(limit > 0 && { maxOutputLength: limit }) })
    lease.force(Math.max(inflated.length, body.length))
    return inflated
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') {
      throw tooLarge(limit, `${body.length} bytes received, more than the limit after ${encoding} is undone`)
    }
    throw new DbError('InvalidArguments', `the body is not valid ${encoding}: ${(error as Error).message}`, {
      cause: error
    })
  }
}

function hasZlibHeader(bytes: Buffer): boolean {
  return bytes.length > 1 && (bytes[0]! & 0x0f) === 8 && bytes.readUInt16BE(0) % 31 === 0
}

function tooLarge(limit: number, received: string): DbError {
  return new DbError('InvalidArguments', `the body is larger than ${limit} bytes (http.body_limit): ${received}`, {
    status: 413
  })
}
