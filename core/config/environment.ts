// Configuration from environment variables: WEIR__SECTION__KEY sets a key; its text is parsed as the key's type.
import { parse } from 'smol-toml'
import type { SchemaNode } from './read.ts'

export interface Setting {
  readonly path: readonly string[]
  readonly value: unknown
  /** `environment WEIR__HTTP__ADDR`. */
  readonly location: string
}

export type Environment = Readonly<Record<string, string | undefined>>

const prefix = 'WEIR__'

/** The settings in the environment, each with the raw value a file would have. Unknown keys are kept, so that `readTable` reports them. */
export function environmentSettings(env: Environment, schema: SchemaNode): Setting[] {
  return Object.entries(env)
    .filter(([name, text]) => name.startsWith(prefix) && text !== undefined)
    .map(([name, text]) => {
      const path = name.slice(prefix.length).toLowerCase().split('__')
      return { path, value: rawValue(nodeAt(schema, path), text!), location: `environment ${name}` }
    })
}

/** The schema of the key at `path`; undefined for unknown keys, and for options of plugins, whose schemas are not loaded yet. */
export function nodeAt(schema: SchemaNode, path: readonly string[]): SchemaNode | undefined {
  let node: SchemaNode | undefined = schema
  for (const key of path) node = node?.properties?.[key] ?? Object.values(node?.patternProperties ?? {})[0]
  return node
}

/** Text that does not fit the type is kept as text; `readTable` then reports what was expected. */
function rawValue(node: SchemaNode | undefined, text: string): unknown {
  if (node === undefined) return tomlValue(text)
  if (node.unit !== undefined) return text
  if (node.type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text
  if (node.type === 'integer' || node.type === 'number') return text.trim() === '' ? text : numberOr(text)
  if (node.type === 'array')
    return text
      .split(',')
      .map(part => part.trim())
      .filter(part => part !== '')
  return text
}

function numberOr(text: string): number | string {
  const value = Number(text)
  return Number.isNaN(value) ? text : value
}

/** Parses `true`, `12`, `["a"]` and `"12"` as TOML, any other text as a string. */
function tomlValue(text: string): unknown {
  if (/[\r\n]/.test(text)) return text
  try {
    const value = parse(`value = ${text}`)['value']
    return value instanceof Date ? text : value
  } catch {
    return text
  }
}
