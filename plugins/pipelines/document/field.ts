// Field syntax of documents: `in`, `in, out`, `{key, rename_to}`, and lists of them.
import type { FieldPair } from '../../services.ts'

/** The fields named by `field` or `fields`, the later of both. `refuse` makes the error to throw. */
export function parseFields(entries: ReadonlyMap<string, unknown>, refuse: (message: string) => Error): FieldPair[] {
  let pairs: FieldPair[] = []
  for (const [key, value] of entries) {
    if (key === 'field') pairs = [parseField(value, refuse)]
    if (key === 'fields') {
      if (!Array.isArray(value)) throw refuse('fields must be a list')
      pairs = value.map(entry => parseField(entry, refuse))
    }
  }
  return pairs
}

function parseField(value: unknown, refuse: (message: string) => Error): FieldPair {
  if (value instanceof Map) {
    const key: unknown = value.get('key')
    const renameTo: unknown = value.get('rename_to')
    if (typeof key !== 'string' || typeof renameTo !== 'string' || key === '' || renameTo === '') {
      throw refuse('Field renaming must be a string pair: expected key and rename_to')
    }
    return { from: key, to: renameTo }
  }
  if (typeof value !== 'string') throw refuse('a field must be a string or a map of key and rename_to')
  const [from = '', to = ''] = value.split(',').map(part => part.trim())
  if (from === '') throw refuse('a field name is empty')
  return { from, to: to === '' ? from : to }
}
