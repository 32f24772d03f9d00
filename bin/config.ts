// weir config: checks a configuration file, or prints the effective configuration.
import { dirname, resolve } from 'node:path'
import { parse } from 'smol-toml'
import type { TSchema } from 'typebox'
import { checkConfig } from '../core/check.ts'
import { changedKeys } from '../core/config/change.ts'
import { ConfigError, locateProblems } from '../core/config/error.ts'
import { explainKey } from '../core/config/explain.ts'
import { configJsonSchema } from '../core/config/json-schema.ts'
import { type LoadedConfig, loadConfig } from '../core/config/load.ts'
import { printConfig } from '../core/config/print.ts'
import { configSchema, pluginKeys } from '../core/config/schema.ts'
import { createLogger } from '../core/log/log.ts'
import { loadPlugins, readOptions } from '../core/registry.ts'
import type { EnabledPlugin } from '../core/server.ts'
import { catalogue } from '../plugins/index.ts'
import { type Command, type Commands, dispatch, parseFlags, print } from './command.ts'

const check: Command = {
  usage: `Checks a configuration file, the options of its plugins, its certificate and its users, without starting anything.

Usage: weir config check FILE

For keys that differ from their defaults it prints which ones a running server applies when the file changes, and which need a restart.
With the storage engine clickhouse it queries the cluster, and prints its version, missing features and missing rights.
Every problem is one line on stderr with file, line and key; the exit code is then 2.`,
  async run(args) {
    const [file] = parseFlags(args, {}, ['FILE']).positionals
    const loaded = loadConfig({ file, env: process.env })
    const plugins = await checkAll(loaded, file)
    const notes = await askCluster(loaded)
    print([`${file}: ok`, ...notes, ...whenKeysCount(loaded, plugins)].join('\n'))
  }
}

const show: Command = {
  usage: `Prints the effective configuration as TOML: file, environment and defaults, secrets hidden.

Usage: weir config print [--config FILE]

Options:
  -c, --config FILE  TOML file; without it every key has its default
  -h, --help         Show this text`,
  async run(args) {
    const { config: file } = parseFlags(args, { config: { type: 'string', short: 'c' } }).values
    const loaded = loadConfig({ file, env: process.env })
    const plugins = await load(loaded, file)
    print(printConfig(loaded.config, { plugins: schemasOf(plugins) }))
  }
}

const schema: Command = {
  usage: `Prints the JSON Schema of the configuration with the options of all enabled plugins, so that editors complete and check TOML.

Usage: weir config schema [--config FILE]

Options:
  -c, --config FILE  TOML file whose plugins count; without it the built-in ones
  -h, --help         Show this text`,
  async run(args) {
    const { config: file } = parseFlags(args, { config: { type: 'string', short: 'c' } }).values
    const plugins = await load(loadConfig({ file, env: process.env }), file)
    print(JSON.stringify(configJsonSchema(plugins.map(({ spec }) => spec)), null, 2))
  }
}

const explain: Command = {
  usage: `Explains a key of the configuration: its meaning, its possible values and its current value.

Usage: weir config explain [--config FILE] KEY

KEY is written with dots: http.body_limit, plugins.sql.delete_limit, or a table such as http.tls.

Options:
  -c, --config FILE  TOML file; without it every key has its default
  -h, --help         Show this text`,
  async run(args) {
    const { values, positionals } = parseFlags(args, { config: { type: 'string', short: 'c' } }, ['KEY'])
    const loaded = loadConfig({ file: values.config, env: process.env })
    const plugins = await load(loaded, values.config)
    const effective = parse(printConfig(loaded.config, { plugins: schemasOf(plugins) }))
    print(
      explainKey(
        positionals[0]!,
        plugins.map(({ spec }) => spec),
        effective
      )
    )
  }
}

const commands: Commands = {
  check: async () => check,
  print: async () => show,
  schema: async () => schema,
  explain: async () => explain
}

const usage = `Checks and prints configurations.

Usage: weir config COMMAND

Commands:
  check FILE             Check a configuration file without starting
  print [--config FILE]  Print the effective configuration
  schema                 Print the JSON Schema of the file
  explain KEY            Say what a key means and what it is`

export const config: Command = {
  usage,
  commands,
  run: args => dispatch(commands, args, usage)
}

function load({ config, locate }: LoadedConfig, file: string | undefined) {
  return loadPlugins(config, catalogue, folderOf(file), locate)
}

function schemasOf(plugins: readonly EnabledPlugin[]) {
  return Object.fromEntries(plugins.map(({ spec }) => [spec.name, spec.config]))
}

function folderOf(file: string | undefined): string {
  return file === undefined ? process.cwd() : dirname(resolve(file))
}

/** Makes all checks of a start. Invalid lines of the users' file are reported as warnings on standard output. */
async function checkAll({ config, locate }: LoadedConfig, file: string | undefined) {
  const log = createLogger({ ...config.logging, max_log_files: 0, append_stdout: true })
  try {
    return await checkConfig(config, catalogue, folderOf(file), log)
  } catch (error) {
    throw error instanceof ConfigError ? locateProblems(error, locate) : error
  } finally {
    await log.close()
  }
}

/** Facts and problems of the ClickHouse cluster. */
async function askCluster({ config, locate }: LoadedConfig): Promise<readonly string[]> {
  if (config.storage.engine !== 'clickhouse') return []
  try {
    const { checkCluster } = await import('../core/storage/clickhouse/check.ts')
    return await checkCluster(config.storage.clickhouse)
  } catch (error) {
    throw error instanceof ConfigError ? locateProblems(error, locate) : error
  }
}

/** Which keys a running server applies, and which need a restart. */
function whenKeysCount({ config }: LoadedConfig, plugins: readonly EnabledPlugin[]): string[] {
  const defaults = loadConfig().config
  const own = changedKeys(configSchema, defaults, config).filter(({ path }) => path[0] !== 'plugins')
  const options = plugins.flatMap(({ spec, options: effective }) => {
    const standard = readOptions(spec, {}).options
    return changedKeys(spec.config as TSchema, standard as object, effective as object, ['plugins', spec.name])
  })
  const tables = Object.entries(config.plugins).flatMap(([name, table]) =>
    Object.keys(pluginKeys)
      .filter(key => table[key] !== undefined && !(key === 'enabled' && table.enabled))
      .map(key => ({ path: ['plugins', name, key], live: false }))
  )
  const keys = [...own, ...options, ...tables]
  const line = (live: boolean, text: string) => {
    const names = keys.filter(key => key.live === live).map(({ path }) => path.join('.'))
    return names.length === 0 ? [] : [`${text}: ${names.join(', ')}`]
  }
  return [...line(true, 'live, a running server takes them over'), ...line(false, 'count after a restart')]
}
