// Determines the plugins that run from configuration and catalogue: finds, checks and orders them by their dependencies.
import { type TObject, Type } from 'typebox'
import { didYouMean } from './config/closest.ts'
import { ConfigError, type ConfigProblem, locateProblems } from './config/error.ts'
import { readTable } from './config/read.ts'
import { type Config, type PluginTable, pluginKeys } from './config/schema.ts'
import { reasonOf } from './errors.ts'
import type { ServerKind } from './http/context.ts'
import { parseLevels } from './log/levels.ts'
import { importModule } from './module.ts'
import { isPlugin, type PluginSpec } from './plugin.ts'
import type { EnabledPlugin } from './server.ts'

/** The built-in plugins: name → module with the plugin as its default export. */
export type Catalogue = Readonly<Record<string, () => Promise<{ readonly default: unknown }>>>

/**
 * Loads the plugins that `[plugins.*]` and the catalogue name, each after those it depends on. Modules of disabled plugins are not imported.
 * Paths and package names are relative to `folder`. Throws ConfigError with all problems, with their locations as far as `locate` knows.
 */
export async function loadPlugins(
  config: Config,
  catalogue: Catalogue,
  folder: string,
  locate: (path: readonly string[]) => string | undefined = () => undefined
): Promise<readonly EnabledPlugin[]> {
  const problems: ConfigProblem[] = []
  const tables = config.plugins
  for (const name of Object.keys(tables)) {
    if (kindOf(name) in catalogue || tables[name]!.module !== undefined) continue
    const known = Object.keys(catalogue)
    problems.push({
      path: ['plugins', name],
      message: `unknown plugin${didYouMean(name, known)}; a plugin from elsewhere needs the key module`
    })
  }
  const names = new Set([
    ...Object.keys(catalogue),
    ...Object.keys(tables).filter(name => tables[name]!.module || (isInstance(name) && kindOf(name) in catalogue))
  ])
  problems.push(...unknownLevels(config, names))
  const enabled = new Map<string, EnabledPlugin>()
  for (const name of names) {
    const table = tables[name] ?? {}
    if (table.enabled === false) continue
    const plugin = await load(name, table, catalogue, folder)
    if ('spec' in plugin) enabled.set(name, plugin)
    else problems.push(...plugin)
  }
  if (problems.length === 0) problems.push(...missingNeeds(enabled, tables))
  const plugins = problems.length === 0 ? inOrder(enabled, problems) : []
  if (problems.length > 0) throw locateProblems(new ConfigError(problems), locate)
  return plugins
}

/** Unknown plugin names in `logging.level`; `core` stands for everything outside of plugins. */
function unknownLevels({ logging, plugins }: Config, names: Iterable<string>): ConfigProblem[] {
  const known = ['core', ...names, ...Object.keys(plugins)]
  return [...parseLevels(logging.level, 'info').plugins.keys()]
    .filter(name => !known.includes(name))
    .map(name => ({ path: ['logging', 'level'], message: `there is no plugin ${name}${didYouMean(name, known)}` }))
}

async function load(
  name: string,
  table: PluginTable,
  catalogue: Catalogue,
  folder: string
): Promise<EnabledPlugin | ConfigProblem[]> {
  const path = ['plugins', name]
  let exported: unknown
  try {
    exported = (table.module ? await importModule(table.module, folder) : await catalogue[kindOf(name)]!()).default
  } catch (error) {
    const message = `cannot load ${table.module ?? `plugin ${name}`}: ${reasonOf(error)}`
    return [{ path: [...path, 'module'], message }]
  }
  if (!isPlugin(exported)) {
    return [{ path: [...path, 'module'], message: `${table.module} has no default export made by definePlugin` }]
  }
  if (exported.name !== kindOf(name)) {
    return [
      {
        path: [...path, 'module'],
        message: `${table.module} is the plugin ${exported.name}: its table must be [plugins.${exported.name}] or [plugins."${exported.name}/NAME"]`
      }
    ]
  }
  const instance = name.slice(exported.name.length + 1)
  if (isInstance(name) && !/^[a-z0-9][a-z0-9_-]*$/i.test(instance))
    return [{ path, message: `expected a word behind ${exported.name}/, got ${JSON.stringify(instance)}` }]
  const spec = isInstance(name) ? instanceOf(exported, instance) : exported
  const { options, problems } = readOptions(spec, table)
  const servers = readServers(spec, table, problems)
  return problems.length > 0 ? problems : { spec, options, servers }
}

/** `syslog/edge` is a second instance of the plugin `syslog`. */
function isInstance(name: string): boolean {
  return name.includes('/')
}

/** The plugin's own name in a key of `[plugins]`. */
function kindOf(name: string): string {
  return name.split('/')[0]!
}

/** A second instance of a plugin, under its own name and prefix. */
function instanceOf(spec: PluginSpec, instance: string): PluginSpec {
  const prefix = spec.prefix === '' ? spec.prefix : (`${spec.prefix}/${instance}` as const)
  return Object.freeze({ ...spec, name: `${spec.name}/${instance}`, prefix })
}

function readServers(spec: PluginSpec, table: PluginTable, problems: ConfigProblem[]): readonly ServerKind[] {
  const servers = table.servers ?? spec.servers
  for (const server of servers) {
    if (spec.servers.includes(server)) continue
    const message = `plugin ${spec.name} may not run on the server ${server}, only on ${spec.servers.join(', ')}`
    problems.push({ path: ['plugins', spec.name, 'servers'], message })
  }
  return servers
}

/** The plugin's own options in its table, checked against its schema, with defaults. */
export function readOptions(spec: PluginSpec, table: PluginTable): { options: unknown; problems: ConfigProblem[] } {
  const { properties = {} } = spec.config as Partial<TObject>
  const schema = Type.Object({ ...properties, ...pluginKeys }, { additionalProperties: false })
  const { value, problems } = readTable(schema, table, ['plugins', spec.name])
  const own = Object.entries(value as object).filter(([key]) => !(key in pluginKeys))
  return { options: Object.fromEntries(own), problems: [...problems] }
}

function missingNeeds(enabled: ReadonlyMap<string, EnabledPlugin>, tables: Config['plugins']): ConfigProblem[] {
  const problems: ConfigProblem[] = []
  for (const { spec } of enabled.values()) {
    for (const need of spec.needs ?? []) {
      if (enabled.has(need)) continue
      const why = tables[need]?.enabled === false ? `is off ([plugins.${need}] enabled = false)` : 'is not there'
      problems.push({ path: ['plugins', spec.name], message: `plugin ${spec.name} needs plugin ${need}, which ${why}` })
    }
  }
  return problems
}

/** Orders plugins so that each comes after those it needs or uses. */
function inOrder(enabled: ReadonlyMap<string, EnabledPlugin>, problems: ConfigProblem[]): EnabledPlugin[] {
  const ordered = new Set<EnabledPlugin>()
  const visit = (plugin: EnabledPlugin, trail: readonly string[]) => {
    if (ordered.has(plugin)) return
    const { name, needs = [], uses = [] } = plugin.spec
    if (trail.includes(name)) {
      const circle = [...trail.slice(trail.indexOf(name)), name].join(' → ')
      problems.push({ path: ['plugins', name], message: `plugins depend on each other in a circle: ${circle}` })
      return
    }
    for (const other of [...needs, ...uses]) {
      const found = enabled.get(other)
      if (found !== undefined && problems.length === 0) visit(found, [...trail, name])
    }
    ordered.add(plugin)
  }
  for (const plugin of enabled.values()) visit(plugin, [])
  return [...ordered]
}
