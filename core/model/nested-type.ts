// Names of nested result types, `List<T>` and `Struct<name: T, …>`, and their parts.
import type { ResultType } from './types.ts'

type NestedType =
  | { readonly kind: 'list'; readonly item: ResultType }
  | { readonly kind: 'struct'; readonly fields: readonly NestedField[] }

export interface NestedField {
  readonly name: string
  readonly type: ResultType
}

/** `Struct<a: Int32, "b c": String>`; names that are not plain words are quoted. */
export function structType(fields: readonly NestedField[]): ResultType {
  return `Struct<${fields.map(({ name, type }) => `${writeName(name)}: ${type}`).join(', ')}>`
}

/** The parts of a nested type; undefined for other types. */
export function nestedType(type: ResultType): NestedType | undefined {
  if (!type.endsWith('>')) return undefined
  if (type.startsWith('List<')) return { kind: 'list', item: type.slice('List<'.length, -1) }
  if (type.startsWith('Struct<')) return { kind: 'struct', fields: readFields(type.slice('Struct<'.length, -1)) }
  return undefined
}

function writeName(name: string): string {
  return /^[\p{L}\p{N}_]+$/u.test(name) ? name : `"${name.replaceAll('"', '""')}"`
}

const fieldName = /(?:"((?:[^"]|"")*)"|([^":]*)): /y

function readFields(text: string): NestedField[] {
  const fields: NestedField[] = []
  let at = 0
  while (at < text.length) {
    fieldName.lastIndex = at
    const found = fieldName.exec(text)
    if (found === null) return fields
    const start = at + found[0].length
    const end = typeEnd(text, start)
    fields.push({ name: found[1]?.replaceAll('""', '"') ?? found[2]!, type: text.slice(start, end) })
    at = end + ', '.length
  }
  return fields
}

/** The end of the type that begins at `from`: the next comma outside of brackets and quotes, or the end of the text. */
function typeEnd(text: string, from: number): number {
  let depth = 0
  let quoted = false
  for (let at = from; at < text.length; at++) {
    const char = text[at]!
    if (char === '"') quoted = !quoted
    else if (quoted) continue
    else if ('<('.includes(char)) depth++
    else if ('>)'.includes(char)) depth--
    else if (char === ',' && depth === 0) return at
  }
  return text.length
}
