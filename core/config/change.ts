// What differs between two loaded configurations, and what of it a running server can take over.
import type { TSchema } from 'typebox'
import { isTable, type SchemaNode } from './read.ts'

export interface ChangedKey {
  readonly path: readonly string[]
  /** Whether its schema says that it changes while running. */
  readonly live: boolean
}

/** The keys of a schema whose values differ; without those of tables the schema says nothing about. */
export function changedKeys(
  schema: TSchema,
  before: object,
  after: object,
  path: readonly string[] = []
): readonly ChangedKey[] {
  const { properties = {} } = schema as SchemaNode
  return Object.entries(properties).flatMap(([key, node]) => {
    const [old, now] = [valueAt(before, key), valueAt(after, key)]
    const at = [...path, key]
    if (node.properties !== undefined && isTable(old) && isTable(now)) return changedKeys(node as TSchema, old, now, at)
    return JSON.stringify(old) === JSON.stringify(now) ? [] : [{ path: at, live: node.live === true }]
  })
}

/** Puts the values of some keys in place: whoever holds the target, or a table of it, sees them. */
export function takeOver(target: object, source: object, keys: readonly ChangedKey[], from = 0): void {
  for (const { path } of keys) {
    const [table, values] = path
      .slice(from, -1)
      .reduce(([a, b], key) => [valueAt(a, key) as object, valueAt(b, key) as object], [target, source])
    const key = path.at(-1)!
    ;(table as Record<string, unknown>)[key] = valueAt(values, key)
  }
}

function valueAt(table: object, key: string): unknown {
  return (table as Readonly<Record<string, unknown>>)[key]
}
