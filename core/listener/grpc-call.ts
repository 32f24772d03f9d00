// One call of a gRPC listener: authentication, message, the plugin's method, response.
import { constants, type IncomingHttpHeaders, type OutgoingHttpHeaders, type ServerHttp2Stream } from 'node:http2'
import { authorise } from '../auth/permission.ts'
import { DbError } from '../errors.ts'
import { credentialsOf } from '../http/auth.ts'
import { inflateBody } from '../http/body.ts'
import { type Lease, memoryOf } from '../http/budget.ts'
import type { RequestContext } from '../http/context.ts'
import { publicText, toDbError } from '../http/errors.ts'
import { headerText } from '../http/header.ts'
import { readHints } from '../http/hints.ts'
import { readStream } from '../http/read-stream.ts'
import { checkRepeated } from '../http/repeated.ts'
import { inDatabase, zoneName } from '../http/request.ts'
import { onResume } from '../pace.ts'
import { after } from '../timer.ts'
import { type ContentCoding, contentCodings } from '../wire/inflate.ts'
import { errorTrailers } from './grpc-status.ts'
import type { GrpcListener } from './listener.ts'
import type { ListenerScope } from './open.ts'

const codings: readonly string[] = ['identity', ...contentCodings.filter(coding => coding !== 'br')]
const answerHeaders = {
  ':status': 200,
  'content-type': 'application/grpc',
  'grpc-accept-encoding': codings.join()
} as const
/** A gRPC message starts with a byte that tells whether it is compressed, and four bytes of length. */
const prefixSize = 5

interface CallHeaders {
  readonly headers: IncomingHttpHeaders
  /** Each name followed by its value, as they were sent. */
  readonly rawHeaders: readonly string[]
}

/** Answers a call; never rejects. Resolves to the code of its status, as text. */
export async function answerCall(
  stream: ServerHttp2Stream,
  { headers, rawHeaders }: CallHeaders,
  listener: GrpcListener,
  scope: ListenerScope
): Promise<string> {
  const address = stream.session?.socket.remoteAddress
  const lease = scope.budget.lease()
  const end = new AbortController()
  let ctx: RequestContext | undefined
  const gone = () => end.abort(new DbError('Cancelled', 'the client cancelled the call or is gone', { status: 499 }))
  const stop = () => end.abort(new DbError('Suspended', 'the server is stopping', { retryAfter: 1 }))
  const limit = deadline(headers) ?? scope.core.config.http.timeout
  const late = () =>
    end.abort(new DbError('DeadlineExceeded', `no answer within ${limit} ms (grpc-timeout or http.timeout)`))
  const timer = limit > 0 ? after(limit, late) : undefined
  // A broken stream ends the call.
  stream.on('error', () => {}).once('close', gone)
  scope.stopping.addEventListener('abort', stop)
  try {
    if (scope.stopping.aborted) stop()
    checkRequest(headers)
    checkRepeated(headers, rawHeaders)
    const method = methodOf(listener, headers)
    const memory = memoryOf(lease, end.signal)
    ctx = { ...(await contextOf(headers, stream, listener, scope, end.signal)), memory }
    const { received } = scope
    const message = await readMessage(stream, headers, { ...listener.options, received, lease, ctx })
    const work = workOf(headers, ctx)
    const atWork = () => scope.core.loop.note(work)
    onResume(end.signal, atWork)
    atWork()
    const answer = await untilAborted(end.signal, method({ ctx, headers, message }))
    sendMessage(stream, answer)
    return '0'
  } catch (thrown) {
    const error = toDbError(thrown)
    scope.failed(thrown, address)
    return refuse(stream, errorTrailers(error, publicText(error, ctx?.user.mode, scope.core.config)))
  } finally {
    timer?.stop()
    scope.stopping.removeEventListener('abort', stop)
    stream.off('close', gone)
    // Work that continues after the call was given up gets no more memory.
    lease.release()
  }
}

/** Checks that the request is a gRPC call as its specification defines it. Throws DbError. */
function checkRequest(headers: IncomingHttpHeaders): void {
  const type = headers['content-type'] ?? ''
  if (!/^application\/grpc(\+proto)?\s*(;|$)/.test(type))
    throw new DbError('Unsupported', `content type ${type || 'none'} is not supported, expected application/grpc`, {
      status: 415
    })
  if (headers[':method'] !== 'POST') throw new DbError('Unsupported', 'calls are POST requests', { status: 405 })
}

function methodOf({ methods }: GrpcListener, headers: IncomingHttpHeaders) {
  const path = headers[':path'] ?? ''
  if (Object.hasOwn(methods, path)) return methods[path]!
  const known = Object.keys(methods).join(', ')
  throw new DbError('Unsupported', `there is no method ${path.slice(0, 200)}, there are ${known}`, { status: 501 })
}

async function contextOf(
  headers: IncomingHttpHeaders,
  { session }: ServerHttp2Stream,
  { options }: GrpcListener,
  { core, quotas, context, labels }: ListenerScope,
  signal: AbortSignal
): Promise<RequestContext> {
  const socket = session?.socket
  const address = socket?.remoteAddress
  const plain = context(address, signal)
  const user = core.users === undefined ? plain.user : await core.users.authenticate(credentialsOf(headers, socket))
  const scope = inDatabase(user, headerText(headers, 'x-svc-db-name') || options.db)
  authorise(scope.user, 'write')
  const quota = quotas.of(core.users === undefined ? labels.plugin : user.name, address ?? '')
  // Refuses clients that have used up their quota before their message is read.
  quota?.charge('bytes', 0)
  return {
    ...plain,
    ...scope,
    timezone: zoneName(headers) ?? plain.timezone,
    hints: readHints(headers),
    ...(quota && { quota })
  }
}

interface Bounds {
  readonly max_message: number
  readonly received: (bytes: number) => void
  readonly lease: Lease
  readonly ctx: RequestContext
}

async function readMessage(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  { max_message: limit, received, lease, ctx }: Bounds
): Promise<Buffer> {
  const { signal } = ctx
  const coding = codingOf(headers)
  const tooLarge = (_: number, size: string) =>
    new DbError('InvalidArguments', `the message is larger than ${limit} bytes (max_message): ${size}`, {
      status: 413
    })
  stream.on('data', (bytes: Buffer) => received(bytes.length))
  const body = await readStream(stream, { limit: limit + prefixSize, lease, signal, tooLarge })
  ctx.quota?.charge('bytes', body.length)
  if (body.length < prefixSize)
    throw new DbError('InvalidArguments', `the call ended after ${body.length} bytes, before its message`)
  const flag = body[0]!
  const length = body.readUInt32BE(1)
  if (flag > 1) throw new DbError('InvalidArguments', `a message begins with the byte 0 or 1, not ${flag}`)
  if (length > body.length - prefixSize)
    throw new DbError(
      'InvalidArguments',
      `the call ended after ${body.length - prefixSize} of ${length} bytes of its message`
    )
  if (length < body.length - prefixSize)
    throw new DbError('Unsupported', 'the call has several messages, its method takes one', { status: 501 })
  const message = body.subarray(prefixSize)
  if (flag === 0) return message
  if (coding === undefined)
    throw new DbError('InvalidArguments', 'the message is compressed, but grpc-encoding does not say how')
  return inflateBody(message, coding, { limit, lease, signal, tooLarge })
}

function codingOf(headers: IncomingHttpHeaders): ContentCoding | undefined {
  const name = String(headers['grpc-encoding'] ?? 'identity')
  if (!codings.includes(name))
    throw new DbError('Unsupported', `grpc-encoding ${name} is not supported, use one of ${codings.join(', ')}`, {
      status: 501
    })
  return name === 'identity' ? undefined : (name as ContentCoding)
}

const units: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1000, m: 1, u: 1e-3, n: 1e-6 }

/** Milliseconds of header `grpc-timeout`; undefined if it is absent or invalid. */
function deadline(headers: IncomingHttpHeaders): number | undefined {
  const [, digits, unit] = /^(\d{1,8})([HMSmun])$/.exec(String(headers['grpc-timeout'] ?? '')) ?? []
  return digits === undefined ? undefined : Math.max(1, Math.ceil(Number(digits) * units[unit!]!))
}

function workOf(headers: IncomingHttpHeaders, { plugin, user }: RequestContext) {
  return { facts: () => ({ plugin, path: headers[':path'] ?? '', method: 'POST', user: user.name, request: '' }) }
}

function untilAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    work.finally(() => signal.removeEventListener('abort', stop)).then(resolve, reject)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop)
  })
}

function sendMessage(stream: ServerHttp2Stream, message: Uint8Array): void {
  if (stream.destroyed) return
  const prefix = Buffer.alloc(prefixSize)
  prefix.writeUInt32BE(message.length, 1)
  stream.respond(answerHeaders, { waitForTrailers: true })
  stream.once('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
  stream.end(Buffer.concat([prefix, message]))
}

/** Sends a status without a message, and ignores the rest of the request. */
function refuse(stream: ServerHttp2Stream, trailers: OutgoingHttpHeaders): string {
  if (!stream.destroyed && !stream.headersSent) {
    stream.respond({ ...answerHeaders, ...trailers }, { endStream: true })
    if (!stream.readableEnded) stream.close(constants.NGHTTP2_NO_ERROR)
  }
  return String(trailers['grpc-status'])
}
