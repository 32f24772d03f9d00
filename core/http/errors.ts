// One way to fail: every error becomes one DbError, one log line and one answer.
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { PermissionMode } from '../auth/provider.ts'
import { foldersOf, nameFolders } from '../config/folders.ts'
import type { Config } from '../config/schema.ts'
import type { Core } from '../core.ts'
import { DbError, errorCodes, isDbError } from '../errors.ts'
import type { PluginSpec, WireError } from '../plugin.ts'

const masked: ReadonlySet<string> = new Set(['Unknown', 'Internal'])
const maxHeaderLength = 1000

/** Answers errors of every route with `{code, error, execution_time_ms}` or in the shape its plugin gives them. */
export function answerErrors(app: FastifyInstance, plugins: ReadonlyMap<string, PluginSpec>): void {
  let closing = false
  app.addHook('preClose', done => {
    closing = true
    done()
  })
  app.setErrorHandler((error: unknown, request, reply) => {
    // The framework would cut the connection while the client still sends; http/body.ts lets refused bodies run dry, so that it reads why.
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

/** A plugin, or a part of one with error bodies of its own. */
export type ErrorShape = Pick<PluginSpec, 'name' | 'formatError'>

/** Logs an error and sends it, in the shape of the plugin if that has one. */
export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply, plugin?: ErrorShape): void {
  const known = toDbError(error)
  logError(known, request)
  coreOf(request)?.countRefused(request.routeOptions.config?.plugin ?? 'core', known)
  sendError(known, request, reply, plugin)
}

function refuseUnknown(request: FastifyRequest): never {
  throw new DbError('Unsupported', `there is no ${pathOf(request)}`, { status: 404 })
}

/** What a function of a plugin returned that must not be asynchronous; nobody waits for it, so what it rejects with is part of the error. */
export function atOnce<T>(value: T, name: string): T {
  if (!(value instanceof Promise)) return value
  value.catch(() => {})
  throw new TypeError(`${name} returned a promise: it must answer at once`)
}

/** Any thrown value as a DbError; what is not ours or the framework's is a defect and becomes `Internal`. */
export function toDbError(error: unknown): DbError {
  if (isDbError(error)) return error
  const { statusCode, message } = (error ?? {}) as Partial<FastifyError>
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new DbError('InvalidArguments', message ?? '', { status: statusCode, cause: error })
  }
  return new DbError('Internal', 'unexpected failure', { cause: error })
}

/** What engines call the errors that quote a value. */
const valueErrors = /\b(?:Conversion|Invalid Input|Out of Range|Constraint|Mismatch Type|Invalid Type) Error\b/

/** The text a client may see: no values for who may not read, no folders of the server for anybody. */
export function publicText(error: DbError, mode: PermissionMode | undefined, config: Config | undefined): string {
  if (masked.has(error.code)) return `Internal error: ${errorCodes[error.code].code}`
  const quotes = error.quotesValues || error.code === 'EngineExecuteQuery' || valueErrors.test(error.message)
  if (quotes && mode === 'wo') {
    const kind = valueErrors.exec(error.message)?.[0] ?? 'Error'
    return `${kind} in a value of the statement or of a table; what it is, only users are told who may read`
  }
  return config === undefined ? error.message : nameFolders(error.message, foldersOf(config))
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

/** Characters of a text in the log: who may not even log in fills it with 60 kB a request otherwise. */
const maxLogged = 500

function cut(text: string): string {
  return text.length > maxLogged ? `${text.slice(0, maxLogged)}…` : text
}

function sendError(error: DbError, request: FastifyRequest, reply: FastifyReply, plugin: ErrorShape | undefined): void {
  // A request refused before anybody looked who sends it has no user.
  const { mode } = request.ctx?.user ?? request.user ?? {}
  const text = publicText(error, mode, coreOf(request)?.config)
  const elapsed = Math.round(reply.elapsedTime)
  const wire: WireError = shapeError(error, text, request, plugin) ?? {
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

function shapeError(
  error: DbError,
  text: string,
  request: FastifyRequest,
  plugin: ErrorShape | undefined
): WireError | undefined {
  try {
    const wire = plugin?.formatError?.(text === error.message ? error : withText(error, text), request)
    return wire && atOnce(wire, `formatError of plugin ${plugin?.name}`)
  } catch (cause) {
    request.log.error({ err: cause }, `plugin ${plugin?.name} cannot shape its error`)
    return undefined
  }
}

/** The same error to whoever shapes it, with what the client may see: nothing of what caused it. */
function withText(error: DbError, text: string): DbError {
  const { status } = error
  return new DbError(
    error.code,
    text,
    error.retryAfter === undefined ? { status } : { status, retryAfter: error.retryAfter }
  )
}

/** Header values hold printable ASCII only: line breaks go, other characters are escaped as in JSON. */
function headerText(text: string): string {
  const cut = text.length > maxHeaderLength ? `${text.slice(0, maxHeaderLength)}...` : text
  return cut
    .replace(/[\r\n\t]+/g, ' ')
    .replace(/[^\x20-\x7e]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Without the query, which may hold credentials. */
function pathOf(request: FastifyRequest): string {
  const end = request.url.indexOf('?')
  return end < 0 ? request.url : request.url.slice(0, end)
}
