// Prints the effective configuration as TOML that can be loaded again: with all defaults, without secrets.
import { stringify } from 'smol-toml'
import type { TSchema } from 'typebox'
import { isTable, readTable, type SchemaNode, writeUnit } from './read.ts'
import { type Config, configSchema } from './schema.ts'

/** Replaces a secret. */
const hidden = '******'

/** Texts under such names are treated as secrets unless the schema says `secret: false`. */
const secretName = /(password|secret|token|credential|(api|access|private)_?key)s?$/i

interface PrintOptions {
  /** Schemas of the plugins' own options by name; their defaults are printed and their secrets hidden. */
  readonly plugins?: Readonly<Record<string, TSchema>>
}

/** TOML text of a loaded configuration, scalars first; durations and sizes in canonical units; secrets as `******`. */
export function printConfig(config: Config, { plugins = {} }: PrintOptions = {}): string {
  const { plugins: tables, user_provider, tracing, ...rest } = config
  const schema = configSchema as TSchema as SchemaNode
  const top = write(schema, { ...rest, tracing }) as Record<string, unknown>
  top['tracing'] = { ...(top['tracing'] as object), otlp_headers: hideList(tracing.otlp_headers) }
  const names = [...new Set([...Object.keys(plugins), ...Object.keys(tables)])].sort()
  const shown = Object.fromEntries(names.map(name => [name, pluginTable(tables[name] ?? {}, plugins[name])]))
  return `${stringify({ user_provider: hidePasswords(user_provider), ...top, ...(names.length > 0 && { plugins: shown }) }).trimEnd()}\n`
}

function pluginTable(table: Readonly<Record<string, unknown>>, schema: TSchema | undefined): unknown {
  const { enabled = true, servers, module, ...options } = table
  const known = { enabled, ...(servers !== undefined && { servers }), ...(module !== undefined && { module }) }
  const effective = schema === undefined ? options : readTable(schema, options).value
  return { ...known, ...(write((schema ?? {}) as SchemaNode, effective) as object) }
}

function write(node: SchemaNode, value: unknown, key = ''): unknown {
  if (typeof value === 'string' && (node.secret ?? secretName.test(key))) return value === '' ? '' : hidden
  if (typeof value === 'string') return withoutPassword(value)
  if (Array.isArray(value)) return value.map(item => write(node.items ?? {}, item, key))
  if (!isTable(value)) return writeUnit(node, value)
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, child]) => child !== undefined && child !== null)
      .map(([name, child]) => [name, write(node.properties?.[name] ?? {}, child, name)])
  )
}

/** Hides a password in an address: `https://mia:******@host`. */
function withoutPassword(text: string): string {
  return text.replace(/^(\w+:\/\/[^/?#@:]*):[^/?#@]*@/, `$1:${hidden}@`)
}

/** An inline list of users keeps the names and hides the secrets. */
function hidePasswords(provider: string): string {
  const match = /^(static_user_provider:cmd:)(.*)$/s.exec(provider)
  if (match === null) return provider
  return match[1] + hideList(match[2]!)
}

/** Keeps the names of `name=secret,other=secret`. */
function hideList(text: string): string {
  const entries = text === '' ? [] : text.split(',')
  return entries.map(entry => (entry.includes('=') ? `${entry.split('=')[0]}=${hidden}` : hidden)).join(',')
}
