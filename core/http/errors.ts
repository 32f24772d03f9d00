// Error handling: every error becomes one DbError, one log line and one response.

import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { PermissionMode } from '../auth/provider.ts'
import { foldersOf, nameFolders } from '../config/folders.ts'
import type { Config } from '../config/schema.ts'
import type { Core } from '../core.ts'
import { DbError, errorCodes, isDbError } from '../errors.ts'
import { shorten } from '../model/shorten.ts'
import type { PluginSpec, WireError } from '../plugin.ts'

const masked: ReadonlySet<string> = new Set(['Unknown', 'Internal'])
const maxHeaderLength = 1000

/** Answers errors of all routes as `{code, error, execution_time_ms}`, or in the format of the route's plugin. */
export function answerErrors(app: FastifyInstance, plugins: ReadonlyMap<string, PluginSpec>): void {
  let closing = false
  app.addHook('preClose', done => {
    closing = true
    done()
  })
  app.setErrorHandler((error: unknown, request, reply) => {
    // Fastify would close the connection while the client still sends. http/body.ts reads refused bodies to their end instead, so that the
    // client can read the response.
    if (!closing) reply.removeHeader('connection')
    answerError(error, request, reply, plugins.get(request.routeOptions.config.plugin ?? ''))
  })
  app.setNotFoundHandler(refuseUnknown)
  app.addHook('onRequest', (request, reply, done) => {
    if (request.is404) refuseUnknown(request)
    const allow = request.routeOptions.config.allow
    if (allow === undefined) return done()
    reply.header('allow', allow)
    throw new DbError('Unsupported', `${request.method} is not a method of ${pathOf(request)}, it has ${allow}`, {
      status: 405
    })
  })
}

/** A plugin, or a part of one, that formats its own errors. */
type ErrorFormatter = Pick<PluginSpec, 'name' | 'formatError'>

/** Logs an error and sends it, in the format of the plugin if it has one. */
export function answerError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  plugin?: ErrorFormatter
): void {
  const known = toDbError(error)
  logError(known, request)
  coreOf(request)?.countRefused(request.routeOptions.config?.plugin ?? 'core', known)
  sendError(known, request, reply, plugin)
}

function refuseUnknown(request: FastifyRequest): never {
  throw new DbError('Unsupported', `there is no ${pathOf(request)}`, { status: 404 })
}

/** The result of a plugin's function that must not be asynchronous. Throws TypeError if it is a promise, whose rejection is then ignored. */
export function atOnce<T>(value: T, name: string): T {
  if (!(value instanceof Promise)) return value
  value.catch(() => {})
  throw new TypeError(`${name} returned a promise: it must answer at once`)
}

/** Any thrown value as a DbError. Values that are neither ours nor Fastify's are defects and become `Internal`. */
export function toDbError(error: unknown): DbError {
  if (isDbError(error)) return error
  const { statusCode, message } = (error ?? {}) as Partial<FastifyError>
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new DbError('InvalidArguments', message ?? '', { status: statusCode, cause: error })
  }
  return new DbError('Internal', 'unexpected failure', { cause: error })
}

/** Kinds of engine errors whose messages quote a value. */
const valueErrors = /\b(?:Conversion|Invalid Input|Out of Range|Constraint|Mismatch Type|Invalid Type) Error\b/

/** The text a client may see: without stored values for users who may not read, and without folders of the server. */
export function publicText(error: DbError, mode: PermissionMode | undefined, config: Config | undefined): string {
  if (masked.has(error.code)) return `Internal error: ${errorCodes[error.code].code}`
  const quotes = error.quotesValues || error.code === 'EngineExecuteQuery' || valueErrors.test(error.message)
  if (quotes && mode === 'wo') {
    const kind = valueErrors.exec(error.message)?.[0] ?? 'Error'
    return `${kind} in a value of the statement or of a table; what it is, only users are told who may read`
  }
  return cutLong(config === undefined ? error.message : nameFolders(error.message, foldersOf(config)))
}

/** Maximum characters of a word, and of the whole text, in a response. */
const maxWord = 120
const maxAnswered = 8192

const longWords = new RegExp(`([^\\s"'\`]{${maxWord}})[^\\s"'\`]{2,}`, 'g')

/**
 * Names and values in a request may have a megabyte. The beginning of a word is kept, because it identifies the value, and the end of the
 * text, because it tells the position.
 */
function cutLong(text: string): string {
  const short = text.replace(longWords, '$1…')
  return short.length > maxAnswered ? `${short.slice(0, maxAnswered / 2)}…${short.slice(-maxAnswered / 2)}` : short
}

function coreOf({ server }: FastifyRequest): Pick<Core, 'config' | 'countRefused'> | undefined {
  return server.hasDecorator('core') ? server.getDecorator('core') : undefined
}

function logError(error: DbError, request: FastifyRequest): void {
  const facts = {
    code: error.code,
    status: error.status,
    method: request.method,
    path: cut(pathOf(request)),
    remote: request.ip
  }
  if (error.status >= 500 && error.code !== 'Cancelled') request.log.error({ ...facts, err: error }, cut(error.message))
  else request.log.info(facts, cut(error.message))
}

/** Maximum characters of a text in the log; otherwise strangers who cannot log in could write 60 kB per request. */
const maxLogged = 500

function cut(text: string): string {
  return shorten(text, maxLogged)
}

function sendError(
  error: DbError,
  request: FastifyRequest,
  reply: FastifyReply,
  plugin: ErrorFormatter | undefined
): void {
  // A request that was refused before authentication has no user.
  const { mode } = request.ctx?.user ?? request.user ?? {}
  const text = publicText(error, mode, coreOf(request)?.config)
  const elapsed = Math.round(reply.elapsedTime)
  const wire: WireError = formatWith(error, text, request, plugin) ?? {
    status: error.status,
    contentType: 'application/json',
    body: JSON.stringify({ code: errorCodes[error.code].code, error: text, execution_time_ms: elapsed })
  }
  if (error.status === 401) reply.header('www-authenticate', 'Basic realm="svc"')
  if (error.retryAfter !== undefined) reply.header('retry-after', String(error.retryAfter))
  for (const [name, value] of Object.entries(wire.headers ?? {})) reply.header(name, headerText(value))
  reply
    .code(wire.status)
    .header('x-svc-err-code', String(errorCodes[error.code].code))
    .header('x-svc-err-msg', headerText(`error: ${text}, execution_time_ms: ${elapsed}`))
    .header('content-type', wire.contentType)
    .send(wire.body)
}

function formatWith(
  error: DbError,
  text: string,
  request: FastifyRequest,
  plugin: ErrorFormatter | undefined
): WireError | undefined {
  try {
    const wire = plugin?.formatError?.(text === error.message ? error : withText(error, text), request)
    return wire && atOnce(wire, `formatError of plugin ${plugin?.name}`)
  } catch (cause) {
    request.log.error(
      { err: cause },
      `formatError of plugin ${plugin?.name} failed: the error is sent as the server's own JSON`
    )
    return undefined
  }
}

/** The error with another text and without its cause, for code that formats it for a client. */
function withText(error: DbError, text: string): DbError {
  const { status } = error
  return new DbError(
    error.code,
    text,
    error.retryAfter === undefined ? { status } : { status, retryAfter: error.retryAfter }
  )
}

/** Header values are printable ASCII: line breaks are removed, other characters escaped as in JSON. */
function headerText(text: string): string {
  const cut = text.length > maxHeaderLength ? `${text.slice(0, maxHeaderLength)}...` : text
  return cut
    .replace(/[\r\n\t]+/g, ' ')
    .replace(/[^\x20-\x7e]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** The path without the query, which may hold credentials. */
function pathOf(request: FastifyRequest): string {
  const end = request.url.indexOf('?')
  return end < 0 ? request.url : request.url.slice(0, end)
}
