// The configuration's JSON Schema (2020-12), for editors that complete and check TOML files.
import type { TSchema } from 'typebox'
import { type SchemaNode, writeUnit } from './read.ts'
import type { PluginOptions } from './reference.ts'
import { configSchema, pluginKeys } from './schema.ts'

type JsonSchema = Readonly<Record<string, unknown>>

/** The schema of the whole file: with the options of the given plugins, and for any other plugin the keys that all plugins have. */
export function configJsonSchema(plugins: readonly PluginOptions[]): JsonSchema {
  const { properties = {} } = configSchema as TSchema as SchemaNode
  const common = pluginKeys as unknown as Record<string, SchemaNode>
  const table = (options: Readonly<Record<string, SchemaNode>>) =>
    translate({ type: 'object', properties: { ...options, ...common }, additionalProperties: false })
  const own = plugins.map(({ name, config }) => [name, table((config as SchemaNode).properties ?? {})] as const)
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Configuration of weir-server',
    type: 'object',
    additionalProperties: false,
    properties: {
      ...Object.fromEntries(Object.entries(properties).map(([key, node]) => [key, translate(node)])),
      plugins: {
        type: 'object',
        description: properties['plugins']?.description,
        properties: Object.fromEntries(own),
        additionalProperties: translate({ type: 'object', properties: common, additionalProperties: true })
      }
    }
  }
}

/** Durations and sizes are texts in the file. */
function translate(node: SchemaNode): JsonSchema {
  const { description, items, properties, anyOf, minLength, pattern } = node
  const said = {
    ...(description !== undefined && { description }),
    ...(node.default !== undefined && { default: writeUnit(node, node.default) })
  }
  if (node.unit !== undefined) return { type: ['string', 'integer'], ...said }
  if (anyOf !== undefined) return { anyOf: anyOf.map(translate), ...said }
  return {
    ...(node.type !== undefined && { type: node.type }),
    ...said,
    ...(node.enum !== undefined && { enum: node.enum }),
    ...(node.const !== undefined && { const: node.const }),
    ...(minLength !== undefined && { minLength }),
    ...(pattern !== undefined && { pattern }),
    ...(node.minimum !== undefined && { minimum: node.minimum }),
    ...(node.maximum !== undefined && { maximum: node.maximum }),
    ...(items !== undefined && { items: translate(items) }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(Object.entries(properties).map(([key, child]) => [key, translate(child)]))
    }),
    ...(node.additionalProperties !== undefined && {
      additionalProperties:
        typeof node.additionalProperties === 'object' ? translate(node.additionalProperties) : node.additionalProperties
    })
  }
}
