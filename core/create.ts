// Opens what a process has once: log, metrics, users and the store.
import { createUserProvider } from './auth/create.ts'
import type { UserProvider } from './auth/provider.ts'
import { countCatalog } from './catalog-metrics.ts'
import type { Config } from './config/schema.ts'
import type { Core, PluginInfo } from './core.ts'
import { createLogger, type Logger } from './log/log.ts'
import { createMetrics, type Metrics } from './metrics/metrics.ts'
import { describeProcess } from './metrics/process.ts'
import { importModule } from './module.ts'
import { createEmbeddedEngine } from './storage/embedded/engine.ts'
import type { Engine } from './storage/engine.ts'
import { createStore } from './storage/store.ts'

interface CoreOptions {
  /** Where a storage engine's module counts from. */
  readonly folder: string
  readonly plugins: readonly PluginInfo[]
}

/** Opens the store of a configuration; throws with nothing left open. */
export async function createCore(config: Config, { folder, plugins }: CoreOptions): Promise<Core> {
  const log = createLogger(config.logging)
  const metrics = createMetrics({ process: true })
  describeProcess(metrics)
  const makeEngine = await findEngine(config.storage.engine, folder)
  const engine = makeEngine(config, log, metrics)
  let users: UserProvider | undefined
  const close = async () => {
    await engine.close()
    await users?.close()
    await log.close()
  }
  try {
    users = config.user_provider === '' ? undefined : await createUserProvider(config.user_provider, log)
    await engine.open()
  } catch (error) {
    await close()
    throw error
  }
  const store = createStore({ engine, config, metrics })
  countCatalog(store, metrics)
  return { config, log, metrics, users, store, plugins, startedAt: Date.now(), close }
}

type EngineFactory = (config: Config, log: Logger, metrics: Metrics) => Engine

/** The embedded engine, or the default export of a module: a function with the same parameters. */
async function findEngine(name: string, folder: string): Promise<EngineFactory> {
  if (name === 'embedded') return createEmbeddedEngine
  const made = (await importModule(name, folder)).default
  if (typeof made === 'function') return made as EngineFactory
  throw new Error(`storage.engine: ${name} has no function as its default export`)
}
