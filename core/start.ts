// From a configuration to a running server, and back to nothing.
import type { FastifyInstance } from 'fastify'
import { ConfigError, locateProblems } from './config/error.ts'
import { exhaustedWait } from './config/policy.ts'
import type { Config } from './config/schema.ts'
import type { Core } from './core.ts'
import { createCore } from './create.ts'
import { createBudget } from './http/budget.ts'
import type { ServerKind } from './http/context.ts'
import { openTls } from './http/tls.ts'
import type { PluginSpec } from './plugin.ts'
import { type Catalogue, loadPlugins } from './registry.ts'
import { createReload, type Reload } from './reload.ts'
import { buildServer, declaredServices, type EnabledPlugin } from './server.ts'
import { after } from './timer.ts'

export interface Running {
  readonly core: Core
  readonly main: FastifyInstance
  /** Absent where `http.enable_api_server` is false. */
  readonly public?: FastifyInstance
  /** `http://host:port`, `https` with a certificate, of each server, with the port that was really taken. */
  readonly addresses: { readonly main: string; readonly public?: string }
  /** Takes over what a configuration that was loaded anew has changed, as far as that goes without a restart. */
  readonly reload: Reload
  /** Takes no more requests, lets running ones end within `http.shutdown_grace`, then closes everything; safe twice. */
  close(): Promise<void>
}

export interface StartOptions {
  /** Where paths and package names of third-party plugins count from: the configuration file's folder. Default: the current folder. */
  readonly folder?: string
  /** Where a key was set, for the messages about wrong ones. */
  readonly locate?: (path: readonly string[]) => string | undefined
}

/** Starts everything or throws with nothing left running: ConfigError for what the configuration is to blame for. */
export async function start(config: Config, catalogue: Catalogue, options: StartOptions = {}): Promise<Running> {
  const { folder = process.cwd(), locate = () => undefined } = options
  try {
    return await run(config, catalogue, folder)
  } catch (error) {
    throw error instanceof ConfigError ? locateProblems(error, locate) : error
  }
}

/** One Ctrl-C may come twice: from the terminal, and passed on by npm. */
const sameKeystroke = 500

/** Ends the process orderly on SIGTERM and SIGINT; another signal later ends it at once. */
export function stopOnSignals(running: Running): void {
  let stopping: number | undefined
  const stop = async (signal: NodeJS.Signals) => {
    if (stopping !== undefined) {
      if (performance.now() - stopping > sameKeystroke) process.exit(1)
      return
    }
    stopping = performance.now()
    running.core.log.info({ signal }, 'stopping')
    await running.close()
    process.exit(0)
  }
  process.on('SIGTERM', stop).on('SIGINT', stop)
}

async function run(config: Config, catalogue: Catalogue, folder: string): Promise<Running> {
  const plugins = await loadPlugins(config, catalogue, folder)
  const core = await createCore(config, {
    folder,
    plugins: plugins.map(({ spec, servers }) => ({ name: spec.name, servers, options: spec.config }))
  })
  const undo: (() => unknown)[] = [() => core.close()]
  const close = once(() => undoAll(undo, core))
  try {
    const services = await setUp(core, plugins, undo)
    const stopping = new AbortController()
    const budget = createBudget(
      { limit: config.max_in_flight_write_bytes, wait: exhaustedWait(config.write_bytes_exhausted_policy) ?? 0 },
      core.metrics
    )
    const tls = openTls(config.http.tls, core.log, core.metrics)
    const parts = { plugins, services, budget, tls, stopping: stopping.signal }
    const kinds: ServerKind[] = config.http.enable_api_server ? ['main', 'public'] : ['main']
    const servers = await Promise.all(kinds.map(kind => buildServer(kind, core, parts)))
    undo.push(() => stopServers(servers, stopping, config.http.shutdown_grace))
    const certificate = tls?.follow(servers)
    undo.push(() => certificate?.close())
    const [main, open] = servers
    const mainUrl = await listen(main!, config.http.addr, 'http.addr')
    const openUrl = open && (await listen(open, config.http.api_server_addr, 'http.api_server_addr'))
    core.log.info({ main: mainUrl, public: openUrl, plugins: plugins.map(({ spec }) => spec.name) }, 'started')
    return {
      core,
      main: main!,
      addresses: { main: mainUrl, ...(openUrl !== undefined && { public: openUrl }) },
      ...(open !== undefined && { public: open }),
      reload: createReload({ core, plugins, services, certificate }),
      close
    }
  } catch (error) {
    await close()
    throw error
  }
}

async function setUp(core: Core, plugins: readonly EnabledPlugin[], undo: (() => unknown)[]) {
  const services = new Map<string, unknown>()
  for (const { spec, options } of plugins) {
    const service = await setUpOne(core, spec, options, services)
    services.set(spec.name, service)
    const closable = service as { close?: () => unknown } | undefined
    if (typeof closable?.close === 'function') undo.push(() => closable.close?.())
  }
  return services
}

async function setUpOne(core: Core, spec: PluginSpec, options: unknown, services: ReadonlyMap<string, unknown>) {
  try {
    return await spec.setup?.(core, options, declaredServices(spec, services) as never)
  } catch (error) {
    throw new Error(`plugin ${spec.name} cannot start: ${(error as Error).message}`, { cause: error })
  }
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

async function stopServers(servers: readonly FastifyInstance[], stopping: AbortController, grace: number) {
  const end = after(grace, () => {
    stopping.abort()
    after(500, () => {
      for (const { server } of servers) server.closeAllConnections()
    }).unref()
  })
  await Promise.all(servers.map(app => app.close()))
  end.stop()
}

async function listen(app: FastifyInstance, address: string, key: string): Promise<string> {
  const end = address.lastIndexOf(':')
  const host = address.slice(0, end).replace(/^\[|\]$/g, '')
  try {
    await app.listen({ host, port: Number(address.slice(end + 1)) })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const reason = code === 'EADDRINUSE' ? 'the address is already in use' : message
    throw new Error(`cannot listen on ${address} (${key}): ${reason}`, { cause: error })
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
