// Applies a changed configuration to a running server, as far as possible without a restart.
import type { TSchema } from 'typebox'
import { type ChangedKey, changedKeys, takeOver } from './config/change.ts'
import { ConfigError, type ConfigProblem } from './config/error.ts'
import { type Config, configSchema } from './config/schema.ts'
import type { Core } from './core.ts'
import { checkAddresses } from './http/address.ts'
import { parseLevels } from './log/levels.ts'
import { inPhase } from './phase.ts'
import type { PluginSpec } from './plugin.ts'
import { readOptions } from './registry.ts'
import { serialQueue } from './serial.ts'
import type { EnabledPlugin } from './server.ts'

interface ReloadReport {
  /** Keys whose new value is in effect. */
  readonly applied: readonly string[]
  /** Keys that keep their old value until a restart. */
  readonly restart: readonly string[]
}

/**
 * Applies a newly loaded configuration, completely or not at all. Rejects with ConfigError for whatever a start would refuse, and if a plugin
 * refuses its new options. The users are read again in any case. A function that fails to load the configuration counts as a failure, too.
 */
export type Reload = (config: Config | (() => Config)) => Promise<ReloadReport>

interface ReloadDependencies {
  readonly core: Core
  /** All running plugins with their options; these objects are changed in place. */
  readonly plugins: readonly EnabledPlugin[]
  readonly services: ReadonlyMap<string, unknown>
  /** The TLS certificate; read again, too. */
  readonly certificate: { reload(): void } | undefined
  /** The checks of a start; throws ConfigError. */
  check(config: Config): Promise<unknown>
}

export function createReload(parts: ReloadDependencies): Reload {
  const { core, plugins, certificate, check } = parts
  const reloads = core.metrics.counter('svc_config_reloads_total', 'Times the configuration was read again.', [
    'result'
  ])
  for (const result of ['success', 'failure']) reloads.add(0, { result })
  let waiting = 0
  const help = 'Keys of the configuration that changed and wait for a restart.'
  core.metrics.gauge('svc_config_restart_pending', help, [], gauge => gauge.set(waiting))

  const reload = async (config: Config): Promise<ReloadReport> => {
    const changes = plugins.map(plugin => pluginChange(plugin, config))
    const problems = changes.flatMap(({ problems }) => problems)
    if (problems.length > 0) throw new ConfigError(problems)
    await check(config)
    await checkAddresses(core.config, config)
    const own = changedKeys(configSchema, core.config, config).filter(({ path }) => path[0] !== 'plugins')
    await apply(parts, config, own, changes)
    await core.users?.reload?.()
    certificate?.reload()
    const all = [...own, ...changes.flatMap(({ keys }) => keys), ...tableChanges(core.config, config, plugins)]
    const report = { applied: texts(all.filter(isLive)), restart: texts(all.filter(key => !isLive(key))) }
    waiting = report.restart.length
    return report
  }
  const serially = serialQueue()
  return config =>
    serially(async () => {
      try {
        const report = await reload(typeof config === 'function' ? config() : config)
        reloads.add(1, { result: 'success' })
        if (report.restart.length > 0) core.log.warn({ keys: report.restart }, 'changed keys count after a restart')
        return report
      } catch (error) {
        reloads.add(1, { result: 'failure' })
        throw error
      }
    })
}

/** Applies every live key, or none: if one fails, values are restored, and plugins that were notified are notified of the old values. */
async function apply(
  { core, plugins, services }: ReloadDependencies,
  config: Config,
  own: readonly ChangedKey[],
  changes: readonly PluginChange[]
): Promise<void> {
  const before = structuredClone(core.config)
  const options = new Map(plugins.map(({ spec, options }) => [spec.name, structuredClone(options)]))
  const told: PluginChange[] = []
  const tell = async ({ plugin }: PluginChange) => {
    const { spec, options } = plugin
    await inPhase(spec, 'reload', { limit: core.config.plugin_timeout }, () =>
      spec.reload?.(options as never, services.get(spec.name))
    )
  }
  const live = changes.map(change => ({ ...change, keys: change.keys.filter(isLive) }))
  const changed = live.filter(({ keys, plugin }) => keys.length > 0 || plugin.spec.rereads === true)
  try {
    takeOver(core.config, config, own.filter(isLive))
    for (const change of changed) {
      const { plugin, keys } = change
      takeOver(plugin.options as object, change.options as object, keys, 2)
      keepTable(core.config, plugin.spec.name, config, keys)
      told.push(change)
      await tell(change)
    }
    await applyCore(core, own)
  } catch (error) {
    takeOver(core.config, before, own.filter(isLive))
    for (const { plugin, keys } of changed) {
      takeOver(plugin.options as object, options.get(plugin.spec.name) as object, keys, 2)
      keepTable(core.config, plugin.spec.name, before, keys)
    }
    for (const change of told.toReversed()) {
      await tell(change).catch(cause => core.log.error({ err: cause }, 'a plugin did not take its old options back'))
    }
    await applyCore(core, own).catch(cause => core.log.error({ err: cause }, 'tracing did not go back as it was'))
    throw error
  }
}

interface PluginChange {
  readonly plugin: EnabledPlugin
  readonly options: unknown
  readonly keys: readonly ChangedKey[]
  readonly problems: readonly ConfigProblem[]
}

function pluginChange(plugin: EnabledPlugin, config: Config): PluginChange {
  const { spec, options: before } = plugin
  const { options, problems } = readOptions(spec as PluginSpec, config.plugins[spec.name] ?? {})
  const keys = changedKeys(spec.config as TSchema, before as object, options as object, ['plugins', spec.name])
  return { plugin, options, keys, problems }
}

/** Applies values that are read only once. */
async function applyCore({ config, logLevels, tracing }: Core, changed: readonly ChangedKey[]): Promise<void> {
  const is = (name: string) => changed.some(({ path, live }) => live && path.join('.') === name)
  const isTracing = changed.some(({ path, live }) => live && path[0] === 'tracing')
  if (isTracing && !config.tracing.enable) tracing.disable()
  if (isTracing && config.tracing.enable) await tracing.enable()
  if (is('logging.level')) logLevels.change(parseLevels(config.logging.level, 'info'))
}

/** The raw table of a plugin is what `/config` shows. */
function keepTable(target: Config, name: string, source: Config, keys: readonly ChangedKey[]): void {
  const plugins = target.plugins as Record<string, Record<string, unknown>>
  const table = { ...plugins[name] }
  for (const { path } of keys) {
    const key = path.at(-1)!
    const value = source.plugins[name]?.[key]
    if (value === undefined) delete table[key]
    else table[key] = value
  }
  plugins[name] = table
}

/** Whether and on which servers a plugin runs cannot change while running. */
function tableChanges(before: Config, after: Config, plugins: readonly EnabledPlugin[]): readonly ChangedKey[] {
  const running = new Set(plugins.map(({ spec }) => spec.name))
  const all = new Set([...Object.keys(before.plugins), ...Object.keys(after.plugins)])
  return [...all].flatMap(name => {
    const [old, now] = [before.plugins[name] ?? {}, after.plugins[name] ?? {}]
    const keys = running.has(name) ? ['enabled', 'servers', 'module'] : Object.keys({ ...old, ...now })
    return keys
      .filter(key => JSON.stringify(old[key]) !== JSON.stringify(now[key]))
      .map(key => ({ path: ['plugins', name, key], live: false }))
  })
}

function isLive({ live }: ChangedKey): boolean {
  return live
}

function texts(keys: readonly ChangedKey[]): string[] {
  return keys.map(({ path }) => path.join('.'))
}
