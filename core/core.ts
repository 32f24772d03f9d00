// What a process has once, whatever its plugins: configuration, log, metrics, users and the store.
import type { TSchema } from 'typebox'
import type { Audit } from './audit.ts'
import { defaultUser, type UserProvider } from './auth/provider.ts'
import type { ComponentReport, Components } from './component.ts'
import type { Config } from './config/schema.ts'
import type { DbError } from './errors.ts'
import type { ResultFormats } from './format/index.ts'
import type { RequestContext, ServerKind } from './http/context.ts'
import type { Logger } from './log/log.ts'
import type { LogSwitch } from './log/switch.ts'
import type { LoopWatch } from './loop.ts'
import type { Metrics } from './metrics/metrics.ts'
import type { SlowQueries } from './slow-query.ts'
import type { Store } from './storage/store.ts'
import type { SystemTables } from './storage/system.ts'
import type { TraceSwitch } from './trace/trace.ts'

/** What a process has once. Plugins are handed it as `PluginCore`. */
export interface Core {
  readonly config: Config
  readonly log: Logger
  /** Tells each line of the log as JSON; returns what ends it. */
  listenToLog(listener: (json: string) => void): () => void
  readonly logLevels: Pick<LogSwitch, 'current' | 'change'>
  readonly metrics: Metrics
  /** What results are answered in; a plugin adds its own in `setup`. */
  readonly formats: ResultFormats
  /** Counts in `svc_refused_total`. */
  countRefused(plugin: string, error: Pick<DbError, 'code'>): void
  readonly components: Components
  /** Told which work runs on the event loop. */
  readonly loop: Pick<LoopWatch, 'note'>
  /** Records what operators want to know of later. */
  readonly audit: Omit<Audit, 'close'>
  readonly tracing: Omit<TraceSwitch, 'close'>
  /** Undefined: every request runs as the default user. */
  readonly users: UserProvider | undefined
  readonly store: Store
  /** For plugins that keep something of their own. */
  readonly system: SystemTables
  /** For whoever runs queries of users. */
  readonly slowQueries: SlowQueries
  /** What runs, in the order it was set up. */
  readonly plugins: readonly PluginInfo[]
  /** Why the server answers, but should get no requests: its storage engine is not done with the start, or takes no writes any more. */
  whyNotReady(): string | undefined
  /** Milliseconds since 1970. */
  readonly startedAt: number
  /** `limit`: see `Engine.close`. */
  close(limit?: AbortSignal): Promise<void>
}

/** The core as one plugin has it: what the plugin says here is said in its own name. */
export interface PluginCore extends Core {
  /** The name of its table: `mine`, or `mine/edge` where the plugin runs once more as `[plugins."mine/edge"]`. */
  readonly plugin: string
  /** Counts what the plugin refused; errors of its routes are counted already. */
  refused(error: Pick<DbError, 'code'>): void
  /** Says how the plugin or a part of it is: shown by `/status` and `/ready`, and in `svc_plugin_status`. It is `ok` from its start on. */
  report(report: ComponentReport): void
  /** The context of work without a request, in `setup` for example: as the default user, without an end. */
  context(db?: string): RequestContext
}

/** The core for the plugin of that name. */
export function pluginCore(core: Core, plugin: string): PluginCore {
  return {
    ...core,
    plugin,
    log: core.log.child({ plugin }),
    refused: error => core.countRefused(plugin, error),
    report: report => core.components.report(plugin, report),
    context: db => internalContext(core, plugin, db)
  }
}

export interface PluginInfo {
  readonly name: string
  readonly servers: readonly ServerKind[]
  /** Schema of its options. */
  readonly options: TSchema
}

/** The context of work the process does by itself, as the default user, without an end: reading a plugin's own tables at the start, for example. */
export function internalContext(core: Pick<Core, 'config' | 'log'>, plugin: string, db = 'public'): RequestContext {
  return {
    db,
    user: defaultUser,
    channel: 'internal',
    timezone: core.config.default_timezone,
    signal: new AbortController().signal,
    log: core.log.child({ plugin }),
    plugin,
    hints: { options: {} }
  }
}
