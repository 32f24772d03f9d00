// Explains one configuration key: its meaning, default and current value.
import type { TSchema } from 'typebox'
import { didYouMean } from './closest.ts'
import { ConfigError } from './error.ts'
import { isTable, type SchemaNode } from './read.ts'
import { defaultOf, type PluginOptions, typeOf } from './reference.ts'
import { configSchema, pluginKeys } from './schema.ts'

/** Explains a key, or lists the keys of a table. `effective` is the current configuration. Throws ConfigError for an unknown key. */
export function explainKey(key: string, plugins: readonly PluginOptions[], effective: unknown): string {
  const path = splitKey(key)
  let node: SchemaNode = rootOf(plugins)
  for (const [depth, name] of path.entries()) {
    const { properties = {}, patternProperties = {} } = node
    // Tables whose keys users choose, such as names of databases.
    const [any] = Object.values(patternProperties)
    const found = Object.hasOwn(properties, name) ? properties[name] : any
    if (found === undefined) {
      // Suggestions compare the last name only; with the path before it every name would look similar.
      const before = path.slice(0, depth).map(each => `${each}.`)
      const message = `unknown key${didYouMean(name, Object.keys(properties), before.join(''))}`
      throw new ConfigError([{ path: path.slice(0, depth + 1), message }])
    }
    node = found
  }
  if (node.properties !== undefined) {
    const keys = Object.entries(node.properties).map(
      ([name, { description = '' }]) => `  ${key}.${name}: ${firstSentence(description)}`
    )
    return [key, ...(node.description === undefined ? [] : [node.description]), ...keys].join('\n')
  }
  const value = path.reduce((table: unknown, name) => (isTable(table) ? table[name] : undefined), effective)
  return [
    key,
    node.description ?? '',
    `Type: ${plain(typeOf(node))}`,
    `Default: ${plain(defaultOf(node))}`,
    `Now: ${value === undefined ? 'not set' : JSON.stringify(value)}`,
    `Changes: ${node.live ? 'live, a running server takes them over' : 'count after a restart'}`,
    `Environment: ${variableOf(path) ?? 'none, a name in the key has characters that a variable cannot have: TOML only'}`
  ].join('\n')
}

function rootOf(plugins: readonly PluginOptions[]): SchemaNode {
  const { properties } = configSchema as TSchema as SchemaNode
  const common = pluginKeys as unknown as Record<string, SchemaNode>
  const tables = plugins.map(({ name, config }) => {
    const own = { ...(config as SchemaNode).properties, ...common }
    return [name, { type: 'object', properties: own }] as const
  })
  const { description } = properties!['plugins']!
  const all = {
    type: 'object',
    ...(description !== undefined && { description }),
    properties: Object.fromEntries(tables)
  }
  return { type: 'object', properties: { ...properties, plugins: all } }
}

/** The environment variable that sets a key; undefined if a shell cannot export its name, or the name would mean another key. */
function variableOf(path: readonly string[]): string | undefined {
  const name = path.map(part => part.toUpperCase()).join('__')
  const isReadBack = name.toLowerCase().split('__').join('.') === path.join('.')
  return /^\w+$/.test(name) && isReadBack ? `WEIR__${name}` : undefined
}

/** Quoted names may contain dots: `plugins."syslog/edge".table`. */
function splitKey(key: string): string[] {
  return Array.from(key.matchAll(/"([^"]*)"|[^.]+/g), ([whole, quoted]) => quoted ?? whole)
}

function firstSentence(text: string): string {
  return /^.*?[.:](?=\s|$)/s.exec(text)?.[0].replace(/:$/, '.') ?? text
}

function plain(markdown: string): string {
  return markdown.replaceAll('`', '')
}
