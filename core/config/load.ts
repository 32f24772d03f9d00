// Loads the configuration: defaults, then file, environment and flags, later ones winning; checked as a whole.
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parse, TomlError } from 'smol-toml'
import type { TSchema } from 'typebox'
import { parseZone } from '../model/time.ts'
import { type Environment, environmentSettings, nodeAt, type Setting } from './environment.ts'
import { ConfigError, type ConfigProblem } from './error.ts'
import { keyLines } from './lines.ts'
import { exhaustedWait } from './policy.ts'
import { isTable, readTable, type SchemaNode } from './read.ts'
import { type Config, configSchema } from './schema.ts'

interface LoadOptions {
  /** TOML file; absent: defaults only. */
  readonly file?: string | undefined
  /** Variables `WEIR__SECTION__KEY`; they override the file. Absent: none. */
  readonly env?: Environment
  /** Override file and environment; values as in TOML: `{ http: { addr: '127.0.0.1:0', timeout: '5s' } }`. */
  readonly overrides?: Readonly<Record<string, unknown>>
  /** Source of the overrides, for messages: `command line`. */
  readonly overridesFrom?: string
}

export interface LoadedConfig {
  readonly config: Config
  /** Where the key at `path`, or the nearest table around it, was set: `weir.toml:12`. Undefined for defaults. */
  locate(path: readonly string[]): string | undefined
}

type Table = Record<string, unknown>

/** Loads and checks the configuration, except for the plugins' own options. Throws ConfigError with all problems. */
export function loadConfig({
  file,
  env = {},
  overrides = {},
  overridesFrom = 'given by the caller'
}: LoadOptions = {}): LoadedConfig {
  const schema = configSchema as TSchema as SchemaNode
  const raw: Table = {}
  const locations = new Map<string, string>()
  const apply = ({ path, value, location }: Setting) => {
    for (let length = 1; length < path.length; length++) {
      const parent = JSON.stringify(path.slice(0, length))
      if (!locations.has(parent)) locations.set(parent, location)
    }
    locations.set(JSON.stringify(path), location)
    if (!put(raw, path, value)) throw new ConfigError([{ path, message: 'a key above it is not a table', location }])
  }
  if (file !== undefined) {
    const { settings, lines } = fileSettings(file)
    for (const [path, line] of lines) locations.set(path, `${file}:${line}`)
    for (const setting of settings) put(raw, setting.path, setting.value)
  }
  for (const setting of environmentSettings(env, schema)) apply(setting)
  for (const setting of leaves(overrides, [], overridesFrom)) apply(setting)

  const locate = (path: readonly string[]) => {
    for (let length = path.length; length > 0; length--) {
      const location = locations.get(JSON.stringify(path.slice(0, length)))
      if (location !== undefined) return location
    }
    return undefined
  }
  const { value, problems } = readTable(configSchema, raw)
  const found = problems.map(problem => elsewhere(problem, schema))
  if (found.length === 0) found.push(...checkValues(value as Config))
  if (found.length > 0)
    throw new ConfigError(found.map(problem => ({ ...problem, location: locate(problem.path) })).sort(byLine))
  return { config: withFolders(value as Config), locate }
}

function fileSettings(file: string) {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'no such file' : (error as Error).message
    throw new ConfigError([{ path: [], message: `cannot read the configuration file ${file}: ${reason}` }])
  }
  try {
    const table = parse(text, { unsafeKeyBehaviour: 'throw' })
    return { settings: leaves(table, [], file), lines: keyLines(text) }
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    const message = error.message.split('\n')[0]!.replace(/^Invalid TOML document: /, 'not valid TOML: ')
    throw new ConfigError([{ path: [], message, location: `${file}:${error.line}:${error.column}` }])
  }
}

/** One setting per value; an empty table is a setting, too. */
function leaves(table: Readonly<Table>, path: readonly string[], location: string): Setting[] {
  return Object.entries(table).flatMap(([key, value]) => {
    const at = [...path, key]
    if (value === undefined) return []
    return isTable(value) && Object.keys(value).length > 0
      ? leaves(value, at, location)
      : [{ path: at, value, location }]
  })
}

/** Sets a value. False if a part of the path is already a value. An empty table does not replace a filled one. */
function put(target: Table, path: readonly string[], value: unknown): boolean {
  let table = target
  for (const key of path.slice(0, -1)) {
    if (!Object.hasOwn(table, key)) table[key] = {}
    const next = table[key]
    if (!isTable(next)) return false
    table = next as Table
  }
  const last = path.at(-1)!
  if (!(isTable(value) && isTable(table[last]))) table[last] = isTable(value) ? {} : value
  return true
}

function byLine(a: ConfigProblem, b: ConfigProblem): number {
  const line = ({ location }: ConfigProblem) => Number(/:(\d+)$/.exec(location ?? '')?.[1] ?? Number.MAX_SAFE_INTEGER)
  return line(a) - line(b)
}

/** Adds to an unknown key the table in which a key of that name exists. */
function elsewhere(problem: ConfigProblem, schema: SchemaNode): ConfigProblem {
  if (problem.message !== 'unknown key') return problem
  const key = problem.path.at(-1)!
  const homes = Object.entries(schema.properties ?? {})
    .filter(([, node]) => node.properties !== undefined && Object.hasOwn(node.properties, key))
    .map(([section]) => `${section}.${key}`)
  if (nodeAt(schema, [key]) !== undefined) homes.unshift(`${key} at the top, above the first table`)
  return homes.length === 0 ? problem : { ...problem, message: `unknown key, did you mean ${homes.join(' or ')}?` }
}

/** Checks that a schema cannot express. */
function checkValues(config: Config): ConfigProblem[] {
  const problems: ConfigProblem[] = []
  const check = (good: boolean, path: readonly string[], message: string) => good || problems.push({ path, message })
  const { http, storage, tracing } = config
  for (const [key, other] of [['cert_path', 'key_path'] as const, ['key_path', 'cert_path'] as const])
    check(http.tls[key] !== '' || http.tls[other] === '', ['http', 'tls', key], `is missing: there is a ${other}`)
  for (const key of ['addr', 'api_server_addr'] as const)
    check(portOf(http[key]) <= 65_535, ['http', key], `expected a port of at most 65535, got ${portOf(http[key])}`)
  check(
    !http.enable_api_server || http.addr !== http.api_server_addr || portOf(http.addr) === 0,
    ['http', 'api_server_addr'],
    `the main server has this address already (http.addr): ${http.addr}`
  )
  check(
    parseZone(config.default_timezone) !== undefined,
    ['default_timezone'],
    `expected an IANA time zone or +hh:mm, got ${JSON.stringify(config.default_timezone)}`
  )
  check(
    exhaustedWait(config.write_bytes_exhausted_policy) !== undefined,
    ['write_bytes_exhausted_policy'],
    `expected wait, wait(10s) or fail, got ${JSON.stringify(config.write_bytes_exhausted_policy)}`
  )
  check(
    URL.canParse(tracing.otlp_endpoint),
    ['tracing', 'otlp_endpoint'],
    `expected a URL, got ${tracing.otlp_endpoint}`
  )
  check(storage.data_home !== '', ['storage', 'data_home'], 'expected a folder')
  check(
    storage.memtable_limit >= storage.memtable_size,
    ['storage', 'memtable_limit'],
    'expected at least storage.memtable_size: writes would wait for a flush that never begins'
  )
  return problems
}

function portOf(address: string): number {
  return Number(address.slice(address.lastIndexOf(':') + 1))
}

function withFolders(config: Config): Config {
  const data_home = resolve(config.storage.data_home)
  const below = (dir: string, name: string) => (dir === '' ? join(data_home, name) : resolve(dir))
  return {
    ...config,
    storage: { ...config.storage, data_home },
    wal: { ...config.wal, dir: below(config.wal.dir, 'wal') },
    logging: { ...config.logging, dir: below(config.logging.dir, 'logs') },
    audit: { ...config.audit, dir: below(config.audit.dir, 'audit') }
  }
}
