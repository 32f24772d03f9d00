// Values of results as JSON text: 64-bit integers in full, floats as floats, JSON columns as they are.
import { isValid, type ResultVector } from '../model/batch.ts'
import { writeJsonFloat, writeJsonString } from '../model/json-write.ts'
import { type NestedField, nestedType } from '../model/nested-type.ts'
import type { ResultType } from '../model/types.ts'

/** Writes one value that is not null as JSON text. */
export type ValueWriter = (value: unknown) => string

/** The function that writes values of a type as JSON text. 64-bit integers keep all digits. */
export function jsonWriter(type: ResultType): ValueWriter {
  const nested = nestedType(type)
  if (nested?.kind === 'list') return listWriter(jsonWriter(nested.item))
  if (nested?.kind === 'struct') return structWriter(nested.fields)
  switch (type) {
    case 'Boolean':
      return value => (value ? 'true' : 'false')
    case 'Float64':
      return value => writeJsonFloat(value as number)
    case 'Float32':
      return value => writeFloat32(value as number)
    case 'Json':
      return value => String(value)
    case 'Binary':
      return value => writeBytes(value as Uint8Array)
    case 'String':
      return value => writeJsonString(String(value))
    case 'Null':
      return () => 'null'
  }
  return writeAny
}

/** A function from row index to JSON text for one vector; `null` for rows without a value. */
export function jsonCells(type: ResultType, vector: ResultVector): (row: number) => string {
  const write = jsonWriter(type)
  const { values, valid } = vector
  return row => {
    if (!isValid(valid, row)) return 'null'
    const value: unknown = values[row]
    return value === null || value === undefined ? 'null' : write(value)
  }
}

/** Characters of a text, and items of a list, written without a pause. */
const longText = 1 << 17
const longList = 1 << 13

/** A value as JSON text; long values come in pieces. */
export type Cell = string | Iterable<string>

/** Like `jsonCells`, but long texts and lists come in pieces. */
export function jsonCellsInPieces(type: ResultType, vector: ResultVector): (row: number) => Cell {
  const cell = jsonCells(type, vector)
  const { values, valid } = vector
  const nested = nestedType(type)
  const item = nested?.kind === 'list' ? jsonWriter(nested.item) : undefined
  return row => {
    const value: unknown = values[row]
    if (typeof value === 'string' && value.length > longText && isValid(valid, row))
      return type === 'Json' ? slices(value) : textInPieces(value)
    if (item !== undefined && Array.isArray(value) && value.length > longList && isValid(valid, row))
      return listInPieces(value, item)
    return cell(row)
  }
}

/** Cuts a long text into parts; no cut is within a surrogate pair. */
export function* slices(text: string): Generator<string, undefined> {
  for (let at = 0; at < text.length; ) {
    let end = Math.min(text.length, at + longText)
    const last = text.charCodeAt(end - 1)
    if (last >= 0xd800 && last < 0xdc00 && end < text.length) end++
    yield text.slice(at, end)
    at = end
  }
}

function* textInPieces(text: string): Generator<string> {
  yield '"'
  for (const slice of slices(text)) yield writeJsonString(slice).slice(1, -1)
  yield '"'
}

function* listInPieces(list: readonly unknown[], write: ValueWriter): Generator<string> {
  const item = (value: unknown) => (value === null || value === undefined ? 'null' : write(value))
  for (let at = 0; at < list.length; at += longList) {
    const some = list.slice(at, at + longList).map(item)
    yield `${at === 0 ? '[' : ','}${some.join()}`
  }
  yield ']'
}

/** The shortest decimal that reads back as the same 32-bit float. */
function writeFloat32(value: number): string {
  if (!Number.isFinite(value)) return 'null'
  for (let digits = 6; digits <= 9; digits++) {
    const short = Number(value.toPrecision(digits))
    if (Math.fround(short) === value) return writeJsonFloat(short)
  }
  return writeJsonFloat(value)
}

function listWriter(write: ValueWriter): ValueWriter {
  return value =>
    `[${(value as unknown[]).map(item => (item === null || item === undefined ? 'null' : write(item))).join()}]`
}

function structWriter(fields: readonly NestedField[]): ValueWriter {
  const members = fields.map(({ name, type }) => ({ name, head: `${writeJsonString(name)}:`, write: jsonWriter(type) }))
  return value => {
    const struct = value as Readonly<Record<string, unknown>>
    const written = members.map(({ name, head, write }) => {
      const member = struct[name]
      return head + (member === null || member === undefined ? 'null' : write(member))
    })
    return `{${written.join()}}`
  }
}

function writeBytes(bytes: Uint8Array): string {
  return `[${bytes.join()}]`
}

/** Chooses by the JavaScript type: integers and times as digits, nested values member by member. */
function writeAny(value: unknown): string {
  switch (typeof value) {
    case 'bigint':
      return String(value)
    case 'number':
      return Number.isInteger(value) ? String(value) : writeJsonFloat(value)
    case 'boolean':
      return value ? 'true' : 'false'
    case 'string':
      return writeJsonString(value)
  }
  if (value === null || value === undefined) return 'null'
  if (value instanceof Uint8Array) return writeBytes(value)
  if (Array.isArray(value)) return `[${value.map(writeAny).join()}]`
  const members = Object.entries(value).map(([key, member]) => `${writeJsonString(key)}:${writeAny(member)}`)
  return `{${members.join()}}`
}
