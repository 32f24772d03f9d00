// What a plugin is: data and two functions, made by definePlugin.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest, FastifyTypeProvider, RawServerDefault } from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { RouteAction } from './auth/permission.ts'
import type { Credentials, User } from './auth/provider.ts'
import { didYouMean } from './config/closest.ts'
import type { PluginCore } from './core.ts'
import type { DbError } from './errors.ts'
import type { RequestContext, ServerKind } from './http/context.ts'
import type { Listener } from './listener/listener.ts'

/** Service interfaces by plugin name. A plugin adds its own by augmenting this interface. */
// biome-ignore lint/suspicious/noEmptyInterface: filled by augmentation
export interface ServiceMap {}

export type ServiceName = keyof ServiceMap & string

/** The services a plugin declared: those it needs are there, those it uses may not be. */
export type Services<K extends ServiceName, U extends ServiceName> = {
  readonly [N in K]: ServiceMap[N]
} & { readonly [N in U]: ServiceMap[N] | undefined }

/** What a plugin must offer others: what the service map says of its name, anything where it says nothing. */
type ServiceOf<N extends string> = N extends ServiceName ? ServiceMap[N] : unknown

/** Gives the parts of a request the types that the route's schemas say. */
export interface SchemaTypes extends FastifyTypeProvider {
  validator: this['schema'] extends TSchema ? Static<this['schema']> : unknown
  serializer: this['schema'] extends TSchema ? Static<this['schema']> : unknown
}

/**
 * The Fastify instance a plugin's `routes` gets: encapsulated under its prefix, with the core, its declared services, and what its own
 * `setup` returned (`Own`).
 */
export type PluginApp<K extends ServiceName = never, U extends ServiceName = never, Own = unknown> = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  SchemaTypes
> & { readonly core: PluginCore; readonly services: Services<K, U> & Own }

/** A protocol's own error body. */
export interface WireError {
  readonly status: number
  readonly contentType: string
  readonly body: string | Uint8Array
  /** Further headers; what a header cannot hold is escaped. */
  readonly headers?: Readonly<Record<string, string>>
}

/** The number of the plugin interface; docs/stability.md says when it rises. */
const pluginApi = 1

/** What `definePlugin` takes and returns: data and functions. */
export interface PluginSpec<
  N extends string = string,
  C extends TSchema = TSchema,
  K extends ServiceName = ServiceName,
  U extends ServiceName = ServiceName,
  S = unknown
> {
  /** TOML key, service name, metric label, test folder and documentation page. */
  readonly name: N
  /** Number of the plugin interface this is written for; a server that does not know it refuses the plugin. Absent: 1. */
  readonly api?: typeof pluginApi
  /** Every route of the plugin lives under it. */
  readonly prefix: '' | `/${string}`
  /** Widest exposure; TOML may narrow it, never widen it. */
  readonly servers: readonly ServerKind[]
  /** Schema of the plugin's own options, with defaults. */
  readonly config: C
  /** Plugins that must be enabled; their services are handed in. */
  readonly needs?: readonly K[]
  /** Plugins whose services are handed in when enabled, else undefined. */
  readonly uses?: readonly U[]
  /** URLs of the modules that reductions of its queries name (`Reduction.module`): the storage engine may load them before. */
  readonly reducers?: readonly string[]
  /** Once per process, after the plugins it depends on. What it returns is the plugin's service; a `close` method of it is called at the stop. */
  setup?(core: PluginCore, config: Static<C>, services: Services<K, U>): S | Promise<S>
  /** Once per server; `app.services` holds the plugin's own service, too. */
  routes?(app: PluginApp<K, U, { readonly [P in N]: S }>, config: Static<C>): void | Promise<void>
  /**
   * Sockets of the plugin's own, beside the HTTP servers: asked for once, opened when everything is set up, closed before services are. Each is
   * named as its table among the options, made with `tcpOptions`, `udpOptions` or `grpcOptions`.
   */
  listeners?(core: PluginCore, config: Static<C>, service: S): readonly Listener[] | Promise<readonly Listener[]>
  /** Formats error bodies on this plugin's routes; absent: the server's own JSON. */
  formatError?(error: DbError, request: FastifyRequest): WireError
  /**
   * With `user_provider = "plugin:NAME"`: who sends these credentials. Throws DbError `UserPasswordMismatch` for whoever is nobody, after the
   * same time whatever is wrong.
   */
  authenticate?(credentials: Credentials, service: S): User | Promise<User>
  /** Reads the protocol's own authentication scheme; undefined: try the standard ones. Throws DbError when malformed. */
  credentials?(request: FastifyRequest): Credentials | undefined
  /**
   * Called after options whose schema says `live: true` changed in the running server, with all options and the plugin's service. The
   * options object is the one `setup` and `routes` were given: whoever reads it each time needs no `reload`. When it throws, the server
   * keeps its old configuration, and calls it once more with the old options.
   */
  reload?(config: Static<C>, service: S): unknown
  /** True: options name files, so that `reload` is called at every reload of the configuration, whatever changed. */
  readonly rereads?: boolean
}

const brand = Symbol.for('weir.plugin')

/**
 * Checks a specification and marks it as a plugin; the default export of a plugin module. TypeError where a member is missing or of the
 * wrong kind, for those who write JavaScript. The type of the service is what `setup` returns, which must stand before `routes` and
 * `reload`; where the service map knows the plugin, it must be what the map says.
 */
export function definePlugin<
  const N extends string,
  C extends TSchema,
  const K extends ServiceName = never,
  const U extends ServiceName = never,
  S extends ServiceOf<N> = ServiceOf<N>
>(spec: PluginSpec<N, C, K, U, S>): PluginSpec<N, C, K, U, S> {
  const wrong = firstWrong(spec as unknown as PluginSpec)
  if (wrong !== undefined) throw new TypeError(`definePlugin: ${wrong}`)
  return Object.freeze(Object.assign(spec, { [brand]: true }))
}

const functions = ['setup', 'routes', 'listeners', 'formatError', 'authenticate', 'credentials', 'reload'] as const
const members: readonly string[] = [
  'name',
  'api',
  'prefix',
  'servers',
  'config',
  'needs',
  'uses',
  'reducers',
  'rereads',
  ...functions
]

function firstWrong(spec: PluginSpec): string | undefined {
  const { name, prefix, servers, config, needs = [], uses = [] } = spec
  if (typeof name !== 'string' || !/^[a-z][a-z0-9_-]*$/i.test(name)) return 'name must be a word such as mine'
  // Before everything else: the other members may mean something else there.
  const otherApi = apiProblem(spec)
  if (otherApi !== undefined) return otherApi
  if (prefix !== '' && !/^\/.*[^/]$/.test(prefix))
    return `prefix of ${name} must be empty or a path such as /v1/${name}`
  if (!Array.isArray(servers) || !servers.every(server => server === 'main' || server === 'public'))
    return `servers of ${name} must be a list of main and public`
  if (typeof config !== 'object' || config === null || (config as { type?: unknown }).type !== 'object')
    return `config of ${name} must be a TypeBox object, Type.Object({}) for no options`
  if (!Array.isArray(needs) || !Array.isArray(uses)) return `needs and uses of ${name} must be lists of plugin names`
  if ([...needs, ...uses].includes(name))
    return `${name} depends on itself: a plugin that builds on the built-in plugin ${name} needs another name`
  const { rereads = false, reducers = [] } = spec
  if (!Array.isArray(reducers) || !reducers.every(module => typeof module === 'string'))
    return `reducers of ${name} must be URLs of modules`
  if (typeof rereads !== 'boolean') return `rereads of ${name} must be true or false`
  const unknown = Object.keys(spec).find(key => !members.includes(key))
  if (unknown !== undefined)
    return `${name} has an unknown member ${unknown}${didYouMean(unknown, members)}: members are ${members.join(', ')}`
  const broken = functions.find(key => spec[key] !== undefined && typeof spec[key] !== 'function')
  return broken && `${broken} of ${name} must be a function`
}

/** What is wrong with the interface number of a plugin, which a newer copy of this package may have let pass. */
export function apiProblem({
  name,
  api = pluginApi
}: {
  readonly name: string
  readonly api?: unknown
}): string | undefined {
  if (api === pluginApi) return undefined
  const newer = typeof api === 'number' && api > pluginApi ? ': the plugin may be written for a newer server' : ''
  return `api of ${name} is ${JSON.stringify(api)}, expected ${pluginApi}${newer}`
}

/** True for a specification made by definePlugin of any copy of this package. */
export function isPlugin(value: unknown): value is PluginSpec {
  return typeof value === 'object' && value !== null && brand in value
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set before a route of a plugin runs. */
    ctx: RequestContext
  }
  /** Beside the framework's own members, which it checks: what a route says of itself and reads by its own rules. */
  interface FastifySchema {
    /** What the route does, in a few words. */
    readonly summary?: string
    /** Parameters of the URL, and of forms where `consumes` has them: an object with a property for each. */
    readonly parameters?: TSchema
    /** Bodies the route takes: content type → schema. */
    readonly consumes?: Readonly<Record<string, TSchema>>
    /** Bodies of the route's answers: content type → schema; empty: it answers 204. */
    readonly produces?: Readonly<Record<string, TSchema>>
  }
  interface FastifyContextConfig {
    /** What the user must be allowed, checked before the route's function is called; absent: the route or the store looks itself. */
    action?: RouteAction
    /** True: no authentication on this route. */
    public?: boolean
    /** True: needs a user outside of /v1, too. */
    private?: boolean
    /** True: `Content-Encoding` is left to the route; `req.body` holds the bytes as they came. */
    rawBody?: boolean
    /** Content codings left to the route, which gets the body with them once all others are undone. */
    ownEncodings?: readonly string[]
    /** True: `Content-Type` says nothing about the body, it is gone before the route runs; even one that is none at all is taken. */
    anyContentType?: boolean
    /** False: the server's time limit does not count here; `x-svc-timeout` still does. */
    timeLimit?: boolean
    /** True: requests of web pages from another origin are refused with 403. */
    sameOrigin?: boolean
    /** Name of the plugin the route belongs to; set by the server. */
    plugin?: string
    /** Whether the plugin has `formatError`; set by the server. */
    ownErrors?: boolean
    /** Set by the server where a known path is asked with another method: the methods it has. */
    allow?: string
  }
}
