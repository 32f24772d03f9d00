// Opens the listeners of all plugins after everything else, and closes them before any service.
import { type Core, pluginCore } from '../core.ts'
import { reasonOf } from '../errors.ts'
import { listenFailure } from '../http/address.ts'
import type { Budget } from '../http/budget.ts'
import type { RequestContext } from '../http/context.ts'
import { toDbError } from '../http/errors.ts'
import type { Quotas } from '../http/quota.ts'
import { inPhase } from '../phase.ts'
import type { ServerDependencies } from '../server.ts'
import { openGrpc } from './grpc.ts'
import type { Listener, ListenerAddress } from './listener.ts'
import { openTcp } from './tcp.ts'
import { openUdp } from './udp.ts'

export interface OpenListener {
  readonly address: ListenerAddress
  /** Accepts nothing new, and resolves when everything received is handled. */
  close(): Promise<void>
}

/** Parts of the server that a listener uses. */
export interface ListenerScope {
  /** The context for work of a sender at this address. */
  context(address: string | undefined, signal: AbortSignal): RequestContext
  /** Fires when the server no longer waits for running work. */
  readonly stopping: AbortSignal
  /** Counts and logs an error while handling something received. */
  failed(error: unknown, from: string | undefined): void
  received(bytes: number): void
  dropped(reason: 'connections' | 'queue'): void
  connections(open: number): void
  report(state: 'ok' | 'degraded' | 'failed', reason?: string): void
  readonly core: Core
  /** Labels of its metrics. */
  readonly labels: { readonly plugin: string; readonly listener: string }
  readonly budget: Budget
  readonly quotas: Quotas
  /** Path of its options in the configuration. */
  readonly path: readonly string[]
}

export interface Listeners {
  /** Keyed by `plugin.listener`. */
  readonly addresses: ReadonlyMap<string, ListenerAddress>
  close(): Promise<void>
}

/** Shared with the HTTP servers. */
type ListenerDependencies = Pick<ServerDependencies, 'plugins' | 'services' | 'budget' | 'quotas' | 'stopping'>

/** Opens all listeners; if one fails, closes the others and throws. */
export async function openListeners(core: Core, parts: ListenerDependencies): Promise<Listeners> {
  const { plugins, services } = parts
  const opened = new Map<string, OpenListener>()
  const close = async () => {
    await Promise.all([...opened.values()].map(listener => listener.close()))
  }
  try {
    for (const { spec, options } of plugins) {
      const limits = { limit: core.config.plugin_timeout }
      await inPhase(spec, 'listeners', limits, async () => {
        for (const listener of (await spec.listeners?.(
          pluginCore(core, spec.name),
          options,
          services.get(spec.name)
        )) ?? []) {
          const { addr } = listener.options
          if (addr === '') continue
          const scope = scopeOf(core, spec.name, listener, parts)
          const one = await openOne(listener, scope).catch(error => {
            const reason = listenFailure(error)
            throw new Error(`cannot listen on ${addr} (${[...scope.path, 'addr'].join('.')}): ${reason}`, {
              cause: error
            })
          })
          opened.set(`${spec.name}.${listener.name}`, one)
          scope.report('ok')
          core.log.info({ plugin: spec.name, listener: listener.name, ...one.address }, 'listening')
        }
      })
    }
  } catch (error) {
    await close()
    throw error
  }
  return { addresses: new Map([...opened].map(([name, { address }]) => [name, address])), close }
}

function openOne(listener: Listener, scope: ListenerScope): Promise<OpenListener> {
  switch (listener.transport) {
    case 'tcp':
      return openTcp(listener, scope)
    case 'udp':
      return openUdp(listener, scope)
    case 'grpc':
      return openGrpc(listener, scope)
  }
}

function scopeOf(
  core: Core,
  plugin: string,
  { name, options }: Listener,
  { budget, quotas, stopping }: ListenerDependencies
): ListenerScope {
  const { metrics } = core
  const labels = { plugin, listener: name }
  const names = ['plugin', 'listener']
  const received = metrics.counter('svc_listener_received_bytes_total', 'Bytes that arrived at listeners.', names)
  const help =
    'What listeners did not take: `connections` beyond max_connections, datagrams beyond max_queue (`queue`).'
  const dropped = metrics.counter('svc_listener_dropped_total', help, [...names, 'reason'])
  const open = metrics.gauge('svc_listener_connections', 'Connections of listeners.', names)
  const log = core.log.child({ plugin, listener: name })
  return {
    core,
    labels,
    budget,
    quotas,
    stopping,
    path: ['plugins', plugin, name],
    context: (address, signal) => ({
      db: options.db,
      user: { name: plugin, mode: 'wo' },
      channel: 'internal',
      ...(address !== undefined && { address }),
      timezone: core.config.default_timezone,
      signal,
      log,
      plugin,
      hints: { options: {} }
    }),
    failed(error, from) {
      const known = toDbError(error)
      core.countRefused(plugin, known)
      const facts = { from, code: known.code }
      if (known.code === 'Internal') log.error({ ...facts, err: error }, 'a listener failed to handle what it received')
      else log.info(facts, reasonOf(error))
    },
    received: bytes => received.add(bytes, labels),
    dropped: reason => dropped.add(1, { ...labels, reason }),
    connections: count => open.set(count, labels),
    report: (state, reason) =>
      core.components.report(plugin, { component: name, state, ...(reason !== undefined && { reason }) })
  }
}
