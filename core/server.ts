// Builds one of the two HTTP servers: the same function with different plugin lists.
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import fastifyPlugin from 'fastify-plugin'
import { authoriseAction } from './auth/permission.ts'
import { type Core, pluginCore } from './core.ts'
import { reasonOf } from './errors.ts'
import { auditCalls } from './http/audit.ts'
import { authenticate } from './http/auth.ts'
import { acceptBodies, readSchemaBodies } from './http/body.ts'
import type { Budget } from './http/budget.ts'
import { limitConnections } from './http/connections.ts'
import type { ServerKind } from './http/context.ts'
import { shareWithOrigins } from './http/cors.ts'
import { answerError, answerErrors } from './http/errors.ts'
import { fencePublic } from './http/fence.ts'
import { health, indexPage } from './http/index-page.ts'
import { refuseMalformed } from './http/malformed.ts'
import { completeMethods, type Route } from './http/method.ts'
import { observeRequests } from './http/observe.ts'
import { OneByOne } from './http/one-by-one.ts'
import { openapi } from './http/openapi.ts'
import { parseParameters } from './http/query.ts'
import type { Quotas } from './http/quota.ts'
import { limitRates } from './http/rate-limit.ts'
import { refuseRepeated } from './http/repeated.ts'
import { setContexts } from './http/request.ts'
import { limitLifetimes } from './http/request-lifetime.ts'
import { schemaCompilers, schemaError } from './http/schema-compilers.ts'
import { refuseOtherSites } from './http/site.ts'
import { splitTexts } from './http/split-texts.ts'
import type { Tls } from './http/tls.ts'
import { traceRequests } from './http/trace.ts'
import { inPhase, onBehalfOf } from './phase.ts'
import type { PluginApp, PluginSpec, ServiceName } from './plugin.ts'

/** An enabled plugin, built-in or of a third party. */
export interface EnabledPlugin {
  readonly spec: PluginSpec
  /** Validated, with defaults. */
  readonly options: unknown
  /** The servers it runs on: those of its manifest, unless the configuration narrows them. */
  readonly servers: readonly ServerKind[]
}

/** Shared by both servers. */
export interface ServerDependencies {
  readonly plugins: readonly EnabledPlugin[]
  /** Results of the plugins' `setup`, by plugin name. */
  readonly services: ReadonlyMap<string, unknown>
  readonly budget: Budget
  readonly quotas: Quotas
  /** Undefined: plain HTTP. */
  readonly tls: Tls | undefined
  /** Fires when running requests must end. */
  readonly stopping: AbortSignal
  /** Fires when the start is cancelled. */
  readonly starting?: AbortSignal | undefined
}

/** The server, ready to listen or to `inject`. The public server never registers routes it must not serve. */
export async function buildServer(kind: ServerKind, core: Core, parts: ServerDependencies): Promise<FastifyInstance> {
  const requests = new OneByOne()
  const app = makeServer(core, kind, parts.tls, requests)
  const own = [health, openapi, indexPage].map(spec => ({
    spec: spec as PluginSpec,
    options: {},
    servers: spec.servers
  }))
  const plugins = [...own, ...parts.plugins].filter(plugin => plugin.servers.includes(kind))
  const specs = new Map(plugins.map(({ spec }) => [spec.name, spec]))

  if (kind === 'public') fencePublic(app)
  app.decorate('core', core)
  limitConnections(app, { kind, http: core.config.http, metrics: core.metrics, requests })
  limitLifetimes(app, { http: core.config.http, budget: parts.budget, loop: core.loop, stopping: parts.stopping })
  observeRequests(app, kind, core.metrics)
  traceRequests(app, kind, core.tracing)
  refuseRepeated(app)
  shareWithOrigins(app, origins(core))
  const rates = await limitRates(app, core.config.http, core.metrics)
  rates.byAddress()
  await authenticate(app, {
    users: core.users,
    metrics: core.metrics,
    audit: core.audit,
    server: kind,
    plugins: specs
  })
  rates.byUser()
  refuseOtherSites(app, kind, core.config.http)
  auditCalls(app, kind, core.audit)
  answerErrors(app, specs)
  splitTexts(app)
  setContexts(app, kind, { timezone: core.config.default_timezone, quotas: parts.quotas })
  acceptBodies(app, core.config.http.body_limit)
  readSchemaBodies(app, core.config.http)
  app.addHook('preHandler', (request, _reply, done) => {
    const { action } = request.routeOptions.config
    if (action !== undefined) authoriseAction(request.ctx.user, action)
    done()
  })
  const addMissingMethods = completeMethods(app)
  for (const plugin of plugins) {
    const limits = { limit: core.config.plugin_timeout, signal: parts.starting, where: `on the server ${kind}` }
    await inPhase(plugin.spec, 'routes', limits, () => mount(app, plugin, core, parts.services))
  }
  await app.register(async scope => {
    app.decorate('routes', addMissingMethods(scope))
  })
  await app.ready()
  return app
}

/** The routes of a server without HEAD, by path. */
export function routeTable(app: FastifyInstance): readonly Route[] {
  const routes = app.getDecorator<readonly Route[]>('routes')
  return routes.toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.method < b.method ? -1 : 1))
}

/** Registers a plugin's routes in a scope that contains the services the plugin declared, and no others. */
async function mount(
  app: FastifyInstance,
  plugin: EnabledPlugin,
  core: Core,
  services: ReadonlyMap<string, unknown>
): Promise<void> {
  const { spec, options } = plugin
  const { routes } = spec
  if (routes === undefined) return
  const register = async (scope: FastifyInstance) => {
    scope.addHook('onRoute', route => {
      const { handler } = route
      route.config = { ...route.config, plugin: spec.name, ownErrors: spec.formatError !== undefined }
      route.handler = function (request, reply) {
        return onBehalfOf(spec.name, () => handler.call(this, request, reply))
      }
    })
    scope.setChildLoggerFactory((logger, bindings, more) => logger.child({ ...bindings, plugin: spec.name }, more))
    Object.assign(scope, { core: pluginCore(core, spec.name) })
    scope.decorate('services', declaredServices(spec, services))
    try {
      await routes.call(spec, scope as unknown as PluginApp<ServiceName, ServiceName>, options)
    } catch (thrown) {
      // Fastify treats a thrown undefined or null as success.
      throw thrown instanceof Error ? thrown : new Error(reasonOf(thrown), { cause: thrown })
    }
  }
  const meta = { name: spec.name, fastify: '5.x', encapsulate: true }
  await app.register(fastifyPlugin(register, meta), spec.prefix === '' ? {} : { prefix: spec.prefix })
}

/** The services a plugin names in `needs` and `uses`, and its own once it exists. */
export function declaredServices(
  { name: own, needs = [], uses = [] }: PluginSpec,
  services: ReadonlyMap<string, unknown>
): Readonly<Record<string, unknown>> {
  const declared = [...needs, ...uses].map(name => [name, services.get(name)] as const)
  const mine = services.has(own) ? [[own.split('/')[0]!, services.get(own)] as const] : []
  return Object.freeze(Object.fromEntries([...declared, ...mine]))
}

function makeServer(core: Core, kind: ServerKind, tls: Tls | undefined, requests: OneByOne): FastifyInstance {
  const shared = {
    ...options(core, kind),
    clientErrorHandler: refuseMalformed(core, socket => requests.isAnswering(socket))
  }
  const maxHeaderSize = core.config.http.max_header_size
  const app =
    tls === undefined
      ? Fastify({ ...shared, http: { maxHeaderSize } })
      : // Hooks apply to all routes.
        (Fastify({ ...shared, https: { ...tls.options, maxHeaderSize } }) as unknown as FastifyInstance)
  requests.serve(app.server)
  return app
}

function options(core: Core, kind: ServerKind) {
  const loggerInstance: FastifyBaseLogger = core.log.child({ server: kind })
  return {
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true }),
    // core/http/body.ts limits bodies; this limit is for parsers that a plugin adds.
    bodyLimit: core.config.http.body_limit || Number.MAX_SAFE_INTEGER,
    return503OnClosing: false,
    keepAliveTimeout: Math.min(core.config.http.keep_alive_timeout, 2 ** 31 - 1),
    // Phases of plugins have their own limit.
    pluginTimeout: 0,
    // Handles paths that cannot be decoded and therefore reach no route or hook.
    frameworkErrors: answerError,
    schemaController: { compilersFactory: schemaCompilers() },
    schemaErrorFormatter: schemaError,
    routerOptions: { querystringParser: parseParameters, maxParamLength: 4096 }
  }
}

/** Without users any web page could use the server, so CORS origins must then be named explicitly. */
function origins({ config, users }: Core): readonly string[] {
  if (!config.http.enable_cors) return []
  if (config.http.cors_allowed_origins.length > 0) return config.http.cors_allowed_origins
  return users === undefined ? [] : ['*']
}
