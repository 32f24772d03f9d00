// The parts that exist once per process: configuration, log, metrics, users and the store.
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
import type { Store } from './storage/store.ts'
import type { SystemTables } from './storage/system.ts'
import type { TraceSwitch } from './trace/trace.ts'

/** The parts that exist once per process. Plugins get them as `PluginCore`. */
export interface Core {
  readonly config: Config
  readonly log: Logger
  /** Calls `listener` with each log line as JSON; the returned function ends that. */
  listenToLog(listener: (json: string) => void): () => void
  readonly logLevels: Pick<LogSwitch, 'current' | 'change'>
  readonly metrics: Metrics
  /** The result formats. A plugin adds its own in `setup`. */
  readonly formats: ResultFormats
  /** Counts in `svc_refused_total`. */
  countRefused(plugin: string, error: Pick<DbError, 'code'>): void
  readonly components: Components
  /** Records which work runs on the event loop, so that a late loop can be explained. */
  readonly loop: Pick<LoopWatch, 'start' | 'note'>
  /** Writes to the audit log. */
  readonly audit: Omit<Audit, 'close'>
  readonly tracing: Omit<TraceSwitch, 'close'>
  /** Undefined: every request runs as the default user. */
  readonly users: UserProvider | undefined
  readonly store: Store
  /** Tables in the system database, for plugins that store data of their own. */
  readonly system: SystemTables
  /** The enabled plugins, in the order of their setup. */
  readonly plugins: readonly PluginInfo[]
  /**
   * Why the server answers but is not ready for requests: its storage engine is still starting, or takes no more writes. Undefined when it is ready.
   */
  whyNotReady(): string | undefined
  /** Start of the process in milliseconds since 1970. */
  readonly startedAt: number
  /** `limit`: see `Engine.close`. */
  close(limit?: AbortSignal): Promise<void>
}

/** The core as one plugin gets it: counts, reports and contexts carry the plugin's name. */
export interface PluginCore extends Core {
  /** The plugin's name in the configuration: `mine`, or `mine/edge` for a second instance `[plugins."mine/edge"]`. */
  readonly plugin: string
  /** Counts a refusal in `svc_refused_total`, labelled with this plugin. Errors that leave a route are counted already. */
  refused(error: Pick<DbError, 'code'>): void
  /** Reports the state of the plugin, or of a part of it. `/status`, `/ready` and `svc_plugin_status` show it. Each plugin starts as `ok`. */
  report(report: ComponentReport): void
  /** A context for work outside of requests, for example in `setup`: it acts as the default user and has no time limit. */
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

/**
 * A context for work that the process does by itself, for example reading a plugin's own tables at the start: it acts as the default user and has no
 * time limit.
 */
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
