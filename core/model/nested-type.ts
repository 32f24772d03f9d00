// Names of nested result types, `List<T>` and `Struct<name: T, …>`, and what they are made of.
import type { ResultType } from './types.ts'

type NestedType =
  | { readonly kind: 'list'; readonly item: ResultType }
  | { readonly kind: 'struct'; readonly fields: readonly NestedField[] }

export interface NestedField {
  readonly name: string
  readonly type: ResultType
}

/** `Struct<a: Int32, "b c": String>`: names that are no plain words stand in quotes. */
export function structType(fields: readonly NestedField[]): ResultType {
  return `Struct<${fields.map(({ name, type }) => `${writeName(name)}: ${type}`).join(', ')}>`
}

/** What a type consists of; undefined for one that is not nested. */
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

/** Where the type that begins at `from` ends: at a comma outside of brackets and quotes, or with the text. */
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
