// Creates the core: log, metrics, users and the store.
import { type Audit, createAudit } from './audit.ts'
import { createUserProvider } from './auth/create.ts'
import type { UserProvider } from './auth/provider.ts'
import { countCatalog } from './catalog-metrics.ts'
import { createComponents } from './component.ts'
import { ConfigError } from './config/error.ts'
import type { Config } from './config/schema.ts'
import { type Core, internalContext, type PluginInfo } from './core.ts'
import { reasonOf } from './errors.ts'
import { createFormats } from './format/index.ts'
import { createLogger, type Logger, type RootLogger } from './log/log.ts'
import { createLogSwitch } from './log/switch.ts'
import { watchLoop } from './loop.ts'
import { createMetrics, type Metrics } from './metrics/metrics.ts'
import { describeProcess } from './metrics/process.ts'
import { importModule } from './module.ts'
import { createEmbeddedEngine } from './storage/embedded/engine.ts'
import type { Engine, ExpectedQueries, Opening } from './storage/engine.ts'
import { createStores } from './storage/store.ts'
import { type SystemTables, systemDatabase } from './storage/system.ts'
import { configuredTracing } from './trace/configured.ts'
import type { Tracing } from './trace/trace.ts'

interface CoreOptions {
  /** The folder that an engine's module path is relative to. */
  readonly folder: string
  readonly plugins: readonly PluginInfo[]
  readonly reducers?: readonly string[]
}

/** Creates the core of a configuration. If it fails, everything opened is closed; throws ConfigError for problems of the configuration. */
export async function createCore(config: Config, { folder, plugins, reducers = [] }: CoreOptions): Promise<Core> {
  const makeEngine = await loadEngine(config.storage.engine, folder)
  const metrics = createMetrics({ process: true })
  const log = openLog(config.logging, metrics)
  const logLevels = createLogSwitch(log)
  describeProcess(metrics)
  const audit = openAudit(config.audit, metrics)
  const loop = watchLoop(config, log, metrics)
  const tracing = configuredTracing(config.tracing, log, metrics)
  const engine = makeEngine(config, log, metrics, tracing, { reducers })
  let users: UserProvider | undefined
  const close = async (limit?: AbortSignal) => {
    loop.close()
    await engine.close(limit)
    await users?.close()
    await tracing.close()
    await audit.close()
    logLevels.close()
    await log.close()
  }
  let opened = false
  let opening: Opening
  try {
    users = config.user_provider === '' ? undefined : await createUserProvider(config.user_provider, log)
    if (config.tracing.enable) await tracing.enable()
    opening = await engine.open()
    void opening.finished.then(() => {
      opened = true
    })
  } catch (error) {
    await close()
    throw error
  }
  const whyNotReady = () => (opened ? opening.trouble() : 'its data files are still being checked')
  metrics.gauge('svc_ready', '1 while `/ready` answers 200.', [], gauge => {
    gauge.set(whyNotReady() === undefined ? 1 : 0)
  })
  const { store, writeAnywhere } = createStores({ engine, config, metrics, tracing, audit })
  const system: SystemTables = {
    write: (plugin, writes) => writeAnywhere(internalContext({ config, log }, plugin, systemDatabase), writes)
  }
  countCatalog(store, metrics)
  const help = 'Requests, messages and connections that were refused or failed, by the error (docs/errors.md).'
  const components = createComponents(metrics)
  const refusals = metrics.counter('svc_refused_total', help, ['plugin', 'code'])
  return {
    config,
    log,
    listenToLog: log.listen,
    logLevels,
    metrics,
    formats: createFormats(),
    countRefused: (plugin, { code }) => refusals.add(1, { plugin, code }),
    components,
    loop,
    audit,
    tracing,
    users,
    store,
    system,
    plugins,
    whyNotReady,
    startedAt: Date.now(),
    close
  }
}

function openLog(config: Config['logging'], metrics: Metrics): RootLogger {
  const help = 'Lines of the log that could not be written, or were dropped because the queue was full.'
  const lost = metrics.counter('svc_log_lines_lost_total', help, ['output'])
  for (const output of ['stdout', 'file']) lost.add(0, { output })
  try {
    return createLogger(config, (output, lines) => lost.add(lines, { output }))
  } catch (error) {
    throw unusable(['logging', 'dir'], `cannot write log files to ${config.dir}`, error)
  }
}

function openAudit(config: Config['audit'], metrics: Metrics): Audit {
  try {
    return createAudit(config, metrics)
  } catch (error) {
    throw unusable(['audit', 'dir'], `cannot write audit files to ${config.dir}`, error)
  }
}

type EngineFactory = (
  config: Config,
  log: Logger,
  metrics: Metrics,
  tracing: Tracing,
  expected: ExpectedQueries
) => Engine

/**
 * A built-in engine, or the default export of a module: a function with the same parameters. Throws ConfigError if `storage.engine` names
 * none.
 */
export async function loadEngine(name: string, folder: string): Promise<EngineFactory> {
  if (name === 'embedded') return createEmbeddedEngine
  if (name === 'clickhouse') return (await import('./storage/clickhouse/engine.ts')).createClickHouseEngine
  const path = ['storage', 'engine']
  const module = await importModule(name, folder).catch(error => {
    throw unusable(path, `cannot load ${name}, expected embedded, clickhouse or a module`, error)
  })
  if (typeof module['default'] === 'function') return module['default'] as EngineFactory
  throw new ConfigError([{ path, message: `${name} has no function as its default export` }])
}

function unusable(path: readonly string[], what: string, error: unknown): ConfigError {
  return new ConfigError([{ path, message: `${what}: ${reasonOf(error)}` }])
}
