// weir plugins: lists plugins, finds problems, creates the package of a new plugin.
import { dirname, resolve } from 'node:path'
import { checkConfig } from '../core/check.ts'
import { ConfigError, type ConfigProblem, locateProblems } from '../core/config/error.ts'
import { type LoadedConfig, loadConfig } from '../core/config/load.ts'
import { createLogger } from '../core/log/log.ts'
import { versionOf } from '../core/module.ts'
import { loadPlugins } from '../core/registry.ts'
import type { EnabledPlugin } from '../core/server.ts'
import { catalogue } from '../plugins/index.ts'
import { type Command, type Commands, dispatch, parseFlags, print } from './command.ts'

const configFlag = { config: { type: 'string', short: 'c' } } as const

const list: Command = {
  usage: `Lists the plugins: built-in ones, and those of a configuration.

Usage: weir plugins list [--config FILE]

PREFIX is what the paths of a plugin's routes start with, empty for one without routes; LISTENERS are the addresses of its own that the
configuration names, VERSION is that of the package a plugin from elsewhere belongs to.

Options:
  -c, --config FILE  TOML file; without it the built-in plugins
  -h, --help         Show this text`,
  async run(args) {
    const { loaded, folder } = load(args)
    const { config, locate } = loaded
    const running = new Map((await loadPlugins(config, catalogue, folder, locate)).map(each => [each.spec.name, each]))
    const names = [...new Set([...Object.keys(catalogue), ...Object.keys(config.plugins)])].sort()
    const rows = names.map(async name => {
      const plugin = running.get(name)
      const module = config.plugins[name]?.module
      const where = [module ?? 'built-in', (module && (await versionOf(module, folder))) ?? '']
      if (plugin === undefined) return [name, 'off', '', '', '', ...where]
      return [name, 'on', plugin.servers.join(', '), prefixOf(plugin), listenersOf(plugin).join(', '), ...where]
    })
    const heads = ['PLUGIN', 'STATE', 'SERVERS', 'PREFIX', 'LISTENERS', 'MODULE', 'VERSION']
    print(tableOf([heads, ...(await Promise.all(rows))]))
  }
}

function prefixOf({ spec }: EnabledPlugin): string {
  return spec.routes === undefined ? '' : spec.prefix || '/'
}

/** Listeners with an address, such as `tcp 127.0.0.1:514`, from option tables of `tcpOptions`, `udpOptions` and `grpcOptions`. */
function listenersOf({ spec, options }: EnabledPlugin): string[] {
  if (spec.listeners === undefined) return []
  return Object.entries(options as Readonly<Record<string, unknown>>).flatMap(([name, table]) => {
    const { addr } = (typeof table === 'object' && table !== null ? table : {}) as { readonly addr?: unknown }
    return typeof addr === 'string' && addr !== '' ? [`${name} ${addr}`] : []
  })
}

const doctor: Command = {
  usage: `Loads every plugin a configuration names and says of each what is wrong with it: module, version, options, what it needs.

Usage: weir plugins doctor [--config FILE]

The exit code is 2 when something is wrong. Nothing is started or written.

Options:
  -c, --config FILE  TOML file; without it the built-in plugins
  -h, --help         Show this text`,
  async run(args) {
    const { loaded, folder } = load(args)
    const { config } = loaded
    const problems = await problemsOf(loaded, folder)
    const names = [...new Set([...Object.keys(catalogue), ...Object.keys(config.plugins)])].sort()
    const lines = names.flatMap(name => {
      if (config.plugins[name]?.enabled === false) return [`${name}: off`]
      const own = problems.filter(({ path }) => path[0] === 'plugins' && path[1] === name)
      const found = own.map(({ path, message }) => [name, ...path.slice(2), message].join(': '))
      return [...(found.length > 0 ? found : [`${name}: ok`]), ...replacing(name, config.plugins[name]?.module)]
    })
    print(lines.join('\n'))
    if (problems.length > 0) throw new ConfigError(problems)
  }
}

/** A warning for a module named like a built-in plugin, which may be a mistake. */
function replacing(name: string, module: string | undefined): string[] {
  const builtIn = name.split('/')[0]!
  if (module === undefined || !Object.hasOwn(catalogue, builtIn)) return []
  return [
    `${name}: ${module} takes the place of the built-in plugin ${builtIn}; if it is to run beside it, give it another name`
  ]
}

const create: Command = {
  usage: `Writes the package of a new plugin into the folder weir-plugin-NAME: code, types, test, README, configuration.

Usage: weir plugins new KIND NAME

NAME is a lower case letter, then such letters, digits, - and _, and none of a built-in plugin.

Kinds: ingest, listener, processor, query, format, users, page, exporter`,
  async run(args) {
    const [kind, name] = parseFlags(args, {}, ['KIND', 'NAME']).positionals
    const { createPlugin } = (await import(
      new URL('../examples/create-weir-plugin/create.js', import.meta.url).href
    )) as {
      createPlugin(kind: string, name: string): { readonly folder: string; readonly files: readonly string[] }
    }
    const { folder, files } = createPlugin(kind!, name!)
    print(`${files.map(file => `${folder}/${file}`).join('\n')}\n\ncd ${folder} && npm install && npm test`)
  }
}

const commands: Commands = { list: async () => list, doctor: async () => doctor, new: async () => create }

const usage = `Lists, checks and creates plugins.

Usage: weir plugins COMMAND

Commands:
  list [--config FILE]    Which plugins there are
  doctor [--config FILE]  What is wrong with them
  new KIND NAME           Write the package of a new one`

export const plugins: Command = { usage, commands, run: args => dispatch(commands, args, usage) }

function load(args: readonly string[]): { readonly loaded: LoadedConfig; readonly folder: string } {
  const { config: file } = parseFlags(args, configFlag).values
  const folder = file === undefined ? process.cwd() : dirname(resolve(file))
  return { loaded: loadConfig({ file, env: process.env }), folder }
}

async function problemsOf({ config, locate }: LoadedConfig, folder: string): Promise<readonly ConfigProblem[]> {
  const log = createLogger({ ...config.logging, max_log_files: 0, append_stdout: false })
  try {
    await checkConfig(config, catalogue, folder, log)
    return []
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return locateProblems(error, locate).problems
  } finally {
    await log.close()
  }
}

function tableOf(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map(row => row[column]!.length)))
  return rows
    .map(row =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd()
    )
    .join('\n')
}
