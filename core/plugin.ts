// What a plugin is: data and two functions, made by definePlugin.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest, FastifyTypeProvider, RawServerDefault } from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { RouteAction } from './auth/permission.ts'
import type { Credentials, User } from './auth/provider.ts'
import { didYouMean } from './config/closest.ts'
import type { PluginCore } from './core.ts'
import { DbError } from './errors.ts'
import type { RequestContext, ServerKind } from './http/context.ts'
import type { Listener } from './listener/listener.ts'

/** Service interfaces by plugin name. A plugin adds its own by augmenting this interface. */
// biome-ignore lint/suspicious/noEmptyInterface: filled by augmentation
export interface ServiceMap {}

export type ServiceName = keyof ServiceMap & string

/** The services a plugin declared: those in `needs` are present, those in `uses` may be undefined. */
type Services<K extends ServiceName, U extends ServiceName> = {
  readonly [N in K]: ServiceMap[N]
} & { readonly [N in U]: ServiceMap[N] | undefined }

/** The type of a plugin's service: the one `ServiceMap` gives for its name; any type when the map has no such name. */
type ServiceOf<N extends string> = N extends ServiceName ? ServiceMap[N] : unknown

/** Types the parts of a request by the route's schemas. */
interface SchemaTypes extends FastifyTypeProvider {
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

/** An error as a protocol writes it: status, headers and body. */
export interface WireError {
  readonly status: number
  readonly contentType: string
  readonly body: string | Uint8Array
  /** Further headers. Characters that a header cannot hold are escaped. */
  readonly headers?: Readonly<Record<string, string>>
}

/** The number of the plugin interface; docs/stability.md says when it rises. */
const pluginApi = 1

/** What `definePlugin` takes: a plugin's data and functions. */
interface PluginDefinition<
  N extends string = string,
  C extends TSchema = TSchema,
  K extends ServiceName = ServiceName,
  U extends ServiceName = ServiceName,
  S = unknown
> {
  /** TOML key, service name, metric label, test folder and documentation page. */
  readonly name: N
  /** Version of the plugin interface this plugin is written for; a server that does not know it refuses the plugin. Absent: 1. */
  readonly api?: typeof pluginApi
  /** Path prefix of all routes of the plugin. Absent: `/v1/NAME`. */
  readonly prefix?: '' | `/${string}`
  /** The servers the plugin may run on. The configuration may name fewer, never more. */
  readonly servers: readonly ServerKind[]
  /** Schema of the plugin's own options, with defaults. */
  readonly config: C
  /** Plugins that must be enabled; `setup` and `app.services` get their services. */
  readonly needs?: readonly K[]
  /** Plugins that are used when enabled; their services are undefined otherwise. */
  readonly uses?: readonly U[]
  /**
   * URLs of the modules that this plugin's queries name as `Reduction.module`. The storage engine may load them early, so that the first query does
   * not wait.
   */
  readonly reducers?: readonly string[]
  /**
   * Called once per process, after the plugins this one depends on. Its result is the plugin's service. If the service has a method `close`, it is
   * called when the server stops.
   */
  setup?(core: PluginCore, config: Static<C>, services: Services<K, U>): S | Promise<S>
  /** Called once per server, to add routes. `app.services` holds the plugin's own service, too. */
  routes?(app: PluginApp<K, U, { readonly [P in N]: S }>, config: Static<C>): void | Promise<void>
  /**
   * The plugin's own sockets beside the HTTP servers. Called once; the sockets open after all plugins are set up and close before services do. Each
   * socket is named after its table in the options, which `tcpOptions`, `udpOptions` or `grpcOptions` describes.
   */
  listeners?(core: PluginCore, config: Static<C>, service: S): readonly Listener[] | Promise<readonly Listener[]>
  /** Writes an error body as the plugin's protocol wants it. Absent: the server's own JSON. */
  formatError?(error: DbError, request: FastifyRequest): WireError
  /**
   * Makes this plugin the user provider for `user_provider = "plugin:NAME"`: returns the user these credentials belong to. Throws DbError
   * `UserPasswordMismatch` for unknown users and wrong passwords alike, after the same time.
   */
  authenticate?(credentials: Credentials, service: S): User | Promise<User>
  /**
   * Reads credentials from the protocol's own authentication scheme; undefined: the standard schemes are tried. Throws DbError for malformed ones.
   */
  credentials?(request: FastifyRequest): Credentials | undefined
  /**
   * Called when options marked `live: true` in the schema have changed in the running server, with all options and the plugin's service. The options
   * object is the same one that `setup` and `routes` got, so a plugin that reads it at each use needs no `reload`. If it throws, the server keeps its
   * old configuration and calls `reload` again with the old options.
   */
  reload?(config: Static<C>, service: S): unknown
  /** True: options name files, so `reload` is called at each reload of the configuration, even if no option changed. */
  readonly rereads?: boolean
}

/** A plugin, as `definePlugin` returns it. */
export interface PluginSpec extends PluginDefinition {
  readonly prefix: '' | `/${string}`
}

const brand = Symbol.for('weir.plugin')

/**
 * Checks a specification and marks it as a plugin; use it for the default export of a plugin module. Throws TypeError if a member is missing or has
 * the wrong kind. The type of the service is what `setup` returns, so `setup` must stand before `routes` and `reload`; if `ServiceMap` knows the
 * plugin, the service must match it.
 */
export function definePlugin<
  const N extends string,
  C extends TSchema,
  const K extends ServiceName = never,
  const U extends ServiceName = never,
  S extends ServiceOf<N> = ServiceOf<N>
>(definition: PluginDefinition<N, C, K, U, S>): PluginSpec {
  const prefix = definition.prefix ?? `/v1/${definition.name}`
  const spec = Object.assign(definition, { prefix }) as unknown as PluginSpec
  const wrong = firstWrong(spec)
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
  // Checked first, because other versions of the interface may give the members another meaning.
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

/**
 * The reason why this server cannot run a plugin written for another version of the interface; undefined if it can. A newer copy of this package may
 * have made the plugin.
 */
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

/**
 * The service of a plugin in `uses`, for work that cannot be done without it. Throws DbError `Unsupported` if that plugin is off; the message
 * begins with `what`, such as `a pipeline`.
 */
export function enabledService<S>(service: S | undefined, plugin: string, what: string): S {
  if (service === undefined) throw new DbError('Unsupported', needsPlugin(what, plugin))
  return service
}

/** The message of everything that a plugin which is off would have done. */
export function needsPlugin(what: string, plugin: string): string {
  return `${what} needs the plugin ${plugin}, which is off ([plugins.${plugin}] enabled = false)`
}

/** True for a specification made by definePlugin of any copy of this package. */
export function isPlugin(value: unknown): value is PluginSpec {
  return typeof value === 'object' && value !== null && brand in value
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Who sends the request, for which database and until when; set before a plugin's route runs. */
    ctx: RequestContext
  }
  /** What a route documents about itself for `/v1/openapi.json`, beside the members that Fastify checks. */
  interface FastifySchema {
    /** What the route does, in a few words. */
    readonly summary?: string
    /** Query parameters, and form fields if `consumes` has forms: an object schema with a property for each. */
    readonly parameters?: TSchema
    /** Request bodies: content type → schema. */
    readonly consumes?: Readonly<Record<string, TSchema>>
    /** Response bodies: content type → schema; an empty object means 204 without a body. */
    readonly produces?: Readonly<Record<string, TSchema>>
  }
  interface FastifyContextConfig {
    /** The permission a user needs, checked before the route runs. Absent: the route or the store checks. */
    action?: RouteAction
    /** True: the route needs no authentication. */
    public?: boolean
    /** True: the route needs a user even though its path is not below /v1. */
    private?: boolean
    /** True: the server does not decode `Content-Encoding`; `req.body` holds the bytes as they were sent. */
    rawBody?: boolean
    /** Content codings that the route decodes itself. The server decodes all others first. */
    ownEncodings?: readonly string[]
    /** True: the server ignores and removes `Content-Type`, even an invalid one, before the route runs. */
    anyContentType?: boolean
    /** False: the server's time limit does not apply; `x-svc-timeout` still does. */
    timeLimit?: boolean
    /** True: requests of web pages from another origin get 403. */
    sameOrigin?: boolean
    /** Name of the plugin the route belongs to; set by the server. */
    plugin?: string
    /** Whether the plugin has `formatError`; set by the server. */
    ownErrors?: boolean
    /** Set by the server when a known path is requested with another method: the methods it allows. */
    allow?: string
  }
}
