// Generates docs/config.md, the reference of the configuration, from the schema.
import type { TSchema } from 'typebox'
import { type SchemaNode, writeUnit } from './read.ts'
import { configSchema, pluginKeys } from './schema.ts'

const introduction = `# Configuration

One TOML file, named by \`weir start --config FILE\`; every key has a default. The environment variable \`WEIR__SECTION__KEY\` wins over the
file (\`WEIR__HTTP__ADDR\`, \`WEIR__USER_PROVIDER\`, \`WEIR__PLUGINS__SQL__ENABLED\`; the elements of a list are separated by commas; a plugin's
own options are read as TOML values), and the flags \`--data-home\` and \`--http-addr\` win over both. Keys whose names have other
characters than small letters, digits and \`_\`, such as those of \`[plugins."syslog/edge"]\`, can be set in the file only. An unknown key is an error.
\`weir config check FILE\` checks a file, \`weir config print\` and \`GET /config\` show what is in effect.

- A **duration** is text: numbers with units one after the other, such as \`"30s"\`, \`"1m 30s"\`, \`"500ms"\`, \`"7days"\`. A month has 30.44
  days, a year 365.25.
- A **size** is text such as \`"64MiB"\`; \`KB\`, \`KiB\` and \`K\` all mean 1024 bytes. A bare number counts bytes.

The server reads the file again when it changes and on SIGHUP. Keys marked **live** have their new value from then on; the others keep the
one they had at the start until a **restart**, and the log names them. A file with a mistake in it changes nothing.
\`weir config check FILE\` says of the keys in a file which are which. Credential files are read again, too.

This page is generated from the schema by \`npm run docs\`.
`

/** A plugin's name and the schema of its own options. */
export interface PluginOptions {
  readonly name: string
  readonly config: TSchema
}

/** The text of docs/config.md. */
export function configReference(plugins: readonly PluginOptions[]): string {
  const schema = configSchema as TSchema as SchemaNode
  const entries = Object.entries(schema.properties!)
  const sections = entries.filter(([, node]) => node.properties !== undefined)
  const scalars = entries.filter(([name, node]) => node.properties === undefined && name !== 'plugins')
  return [
    introduction,
    '## Top level\n',
    keyTable(scalars),
    ...sections.flatMap(([name, node]) => section(name, node)),
    `## \`[plugins.NAME]\`\n\n${schema.properties!['plugins']!.description}\n`,
    keyTable(Object.entries(pluginKeys as unknown as Record<string, SchemaNode>)),
    ...plugins.flatMap(({ name, config }) => {
      const options = Object.entries((config as SchemaNode).properties ?? {})
      return options.length === 0 ? [] : [`### \`[plugins.${name}]\`\n`, keyTable(options)]
    })
  ].join('\n')
}

/** The keys of one table of the configuration file, followed by its nested tables. */
function section(name: string, { description, properties = {} }: SchemaNode): string[] {
  const [tables, keys] = [true, false].map(wanted =>
    Object.entries(properties).filter(([, node]) => (node.properties !== undefined) === wanted)
  )
  const own = [`## \`[${name}]\`\n\n${description}\n`, keyTable(keys!)]
  return [...own, ...tables!.flatMap(([key, node]) => section(`${name}.${key}`, node))]
}

function keyTable(keys: readonly (readonly [string, SchemaNode])[]): string {
  const rows = keys.map(
    ([name, node]) =>
      `| \`${name}\` | ${typeOf(node)} | ${defaultOf(node)} | ${node.live ? 'live' : 'restart'} | ${node.description?.replaceAll('|', '\\|')} |`
  )
  return ['| Key | Type | Default | Changes | Meaning |', '|---|---|---|---|---|', ...rows, ''].join('\n')
}

export function typeOf(node: SchemaNode): string {
  if (node.enum !== undefined) return node.enum.map(value => `\`${JSON.stringify(value)}\``).join(', ')
  if (node.type === 'array') return `list of ${node.items?.enum === undefined ? 'texts' : typeOf(node.items)}`
  const { minimum, maximum } = node
  const min = minimum === undefined ? '' : ` from ${writeUnit(node, minimum)}`
  const range = maximum === undefined ? min : `${min} to ${maximum}`
  if (node.unit !== undefined) return `${node.unit}${minimum ? min : ''}`
  if (node.type === 'integer') return `whole number${minimum ? range : ''}`
  if (node.type === 'number') return `number${range}`
  if (node.type === 'object') return 'table'
  return node.type === 'boolean' ? 'true or false' : 'text'
}

export function defaultOf(node: SchemaNode): string {
  return node.default === undefined ? '–' : `\`${JSON.stringify(writeUnit(node, node.default))}\``
}
