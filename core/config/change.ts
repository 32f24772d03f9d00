// The difference between two loaded configurations, and which keys a running server can change.
import type { TSchema } from 'typebox'
import { isTable, type SchemaNode } from './read.ts'

export interface ChangedKey {
  readonly path: readonly string[]
  /** Whether the schema marks the key as `live`. */
  readonly live: boolean
}

/** The keys whose values differ. Tables without a schema are left out. */
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

/** Sets the values of some keys in place, so that everybody who holds `target`, or a table of it, sees them. */
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
