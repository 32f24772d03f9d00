// Starts and stops the server.
import type { FastifyInstance } from 'fastify'
import { isPluginProvider } from './auth/plugin.ts'
import { checkConfig } from './check.ts'
import { ConfigError, locateProblems } from './config/error.ts'
import { exhaustedWait } from './config/policy.ts'
import type { Config } from './config/schema.ts'
import { type Core, pluginCore } from './core.ts'
import { createCore } from './create.ts'
import { listenFailure, parseAddress } from './http/address.ts'
import { createBudget } from './http/budget.ts'
import type { ServerKind } from './http/context.ts'
import { createQuotas } from './http/quota.ts'
import { openTls } from './http/tls.ts'
import type { ListenerAddress } from './listener/listener.ts'
import { type Listeners, openListeners } from './listener/open.ts'
import { createLogger } from './log/log.ts'
import { inPhase } from './phase.ts'
import type { Catalogue } from './registry.ts'
import { createReload, type Reload } from './reload.ts'
import { buildServer, declaredServices, type EnabledPlugin } from './server.ts'
import { after } from './timer.ts'

/** A running server. */
export interface Running {
  readonly core: Core
  readonly main: FastifyInstance
  /** Absent if `http.enable_api_server` is false. */
  readonly public?: FastifyInstance
  /** URL of each server, `http://host:port` or `https://…`, with the actual port. */
  readonly addresses: { readonly main: string; readonly public?: string }
  /** Actual addresses of the plugins' listeners, keyed by `plugin.listener`. */
  readonly listeners: ReadonlyMap<string, ListenerAddress>
  /** Applies a newly loaded configuration, as far as possible without a restart. */
  readonly reload: Reload
  /**
   * Accepts no more requests, lets running ones end within `http.shutdown_grace`, uses the rest of that time to flush rows to files, and
   * closes everything. May be called twice.
   */
  close(): Promise<void>
}

/** Options of a start besides the configuration. */
export interface StartOptions {
  /** Cancels the start: everything opened is closed and the start rejects with the signal's reason. */
  readonly signal?: AbortSignal

  /** Paths and package names of third-party plugins are relative to it: the configuration file's folder. Default: the current folder. */
  readonly folder?: string
  /** Where a key was set, for error messages. */
  readonly locate?: (path: readonly string[]) => string | undefined
}

/** Starts the server. If it throws, nothing is left running. Throws ConfigError for problems of the configuration. */
export async function start(config: Config, catalogue: Catalogue, options: StartOptions = {}): Promise<Running> {
  const { folder = process.cwd(), locate = () => undefined, signal } = options
  try {
    return await run(config, catalogue, folder, signal)
  } catch (error) {
    throw error instanceof ConfigError ? locateProblems(error, locate) : error
  }
}

async function run(
  config: Config,
  catalogue: Catalogue,
  folder: string,
  signal: AbortSignal | undefined
): Promise<Running> {
  // Warnings are dropped here; they are repeated once the configured log is open.
  const quiet = createLogger({ ...config.logging, append_stdout: false, max_log_files: 0 })
  const plugins = await checkConfig(config, catalogue, folder, quiet)
  signal?.throwIfAborted()
  const core = await createCore(config, {
    folder,
    plugins: plugins.map(({ spec, servers }) => ({ name: spec.name, servers, options: spec.config })),
    reducers: plugins.flatMap(({ spec }) => spec.reducers ?? [])
  })
  const limit = new AbortController()
  const undo: (() => unknown)[] = [() => core.close(limit.signal)]
  const close = once(() => {
    const grace = config.http.shutdown_grace
    // What is flushed is decided at once, before any timer fires.
    if (grace === 0) limit.abort()
    else after(grace, () => limit.abort()).unref()
    return undoAll(undo, core)
  })
  try {
    const services = await setUp(core, plugins, undo, signal)
    bindUsers(core, plugins, services)
    const stopping = new AbortController()
    const budget = createBudget(
      { limit: config.max_in_flight_write_bytes, wait: exhaustedWait(config.write_bytes_exhausted_policy) ?? 0 },
      core.metrics
    )
    const tls = openTls(config.http.tls, core.log, core.metrics)
    const quotas = createQuotas(config.http, core.metrics)
    const parts = { plugins, services, budget, quotas, tls, stopping: stopping.signal, starting: signal }
    const kinds: ServerKind[] = config.http.enable_api_server ? ['main', 'public'] : ['main']
    const servers = await Promise.all(kinds.map(kind => buildServer(kind, core, parts)))
    let listeners: Listeners | undefined
    undo.push(() => stopServers(servers, listeners, stopping, config.http.shutdown_grace))
    for (const { plugin, component, state } of core.components.list())
      if (state === 'starting' && component === undefined) core.components.report(plugin, { state: 'ok' })
    const certificate = tls?.follow(servers)
    undo.push(() => certificate?.close())
    signal?.throwIfAborted()
    listeners = await openListeners(core, parts)
    signal?.throwIfAborted()
    const [main, open] = servers
    const mainUrl = await listen(main!, config.http.addr, 'http.addr')
    const openUrl = open && (await listen(open, config.http.api_server_addr, 'http.api_server_addr'))
    signal?.throwIfAborted()
    core.loop.start()
    core.log.info({ main: mainUrl, public: openUrl, plugins: plugins.map(({ spec }) => spec.name) }, 'started')
    return {
      core,
      main: main!,
      listeners: listeners.addresses,
      addresses: { main: mainUrl, ...(openUrl !== undefined && { public: openUrl }) },
      ...(open !== undefined && { public: open }),
      reload: createReload({
        core,
        plugins,
        services,
        certificate,
        check: changed => checkConfig(changed, catalogue, folder, core.log)
      }),
      close
    }
  } catch (error) {
    await close()
    throw error
  }
}

async function setUp(
  core: Core,
  plugins: readonly EnabledPlugin[],
  undo: (() => unknown)[],
  signal: AbortSignal | undefined
) {
  const services = new Map<string, unknown>()
  const limit = core.config.plugin_timeout
  for (const { spec, options } of plugins) {
    core.components.report(spec.name, { state: 'starting' })
    const declared = declaredServices(spec, services) as never
    const service = await inPhase(spec, 'setup', { limit, signal }, () =>
      spec.setup?.(pluginCore(core, spec.name), options, declared)
    )
    services.set(spec.name, service)
    const closable = service as { close?: () => unknown } | undefined
    if (typeof closable?.close !== 'function') continue
    undo.push(() => inPhase(spec, 'close', { limit: core.config.plugin_timeout }, () => closable.close?.()))
  }
  return services
}

/** Connects the user provider with the plugin that `user_provider` names. */
function bindUsers({ users }: Core, plugins: readonly EnabledPlugin[], services: ReadonlyMap<string, unknown>): void {
  if (!isPluginProvider(users)) return
  const { spec } = plugins.find(({ spec }) => spec.authenticate !== undefined && users.name === `plugin:${spec.name}`)!
  users.bind(credentials => spec.authenticate!(credentials, services.get(spec.name)))
}

async function undoAll(undo: readonly (() => unknown)[], core: Core): Promise<void> {
  for (const step of undo.toReversed()) {
    try {
      await step()
    } catch (error) {
      core.log.error({ err: error }, 'failure while stopping')
    }
  }
}

async function stopServers(
  servers: readonly FastifyInstance[],
  listeners: Listeners | undefined,
  stopping: AbortController,
  grace: number
) {
  const end = after(grace, () => {
    stopping.abort()
    after(500, () => {
      for (const { server } of servers) server.closeAllConnections()
    }).unref()
  })
  await Promise.all([...servers.map(app => app.close()), listeners?.close()])
  end.stop()
}

async function listen(app: FastifyInstance, address: string, key: string): Promise<string> {
  const { host, port: wanted } = parseAddress(address)
  try {
    await app.listen({ host, port: wanted })
  } catch (error) {
    throw new Error(`cannot listen on ${address} (${key}): ${listenFailure(error)}`, { cause: error })
  }
  const { port } = app.server.address() as { port: number }
  return `${'setSecureContext' in app.server ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`
}

function once(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  return () => {
    running ??= run()
    return running
  }
}
