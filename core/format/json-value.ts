// Values of results as JSON text: 64-bit integers in full, floats as floats, JSON columns as they are.
import { isValid, type ResultVector } from '../model/batch.ts'
import { writeJsonFloat, writeJsonString } from '../model/json-write.ts'
import { type NestedField, nestedType } from '../model/nested-type.ts'
import type { ResultType } from '../model/types.ts'

/** The JSON text of one value that is there. */
export type ValueWriter = (value: unknown) => string

/** How values of a type are written. */
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

/** Row → JSON text for one vector; `null` where there is no value. */
export function jsonCells(type: ResultType, vector: ResultVector): (row: number) => string {
  const write = jsonWriter(type)
  const { values, valid } = vector
  return row => {
    if (!isValid(valid, row)) return 'null'
    const value: unknown = values[row]
    return value === null || value === undefined ? 'null' : write(value)
  }
}

/** The shortest decimal that reads back as the same 32-bit float. */
export function writeFloat32(value: number): string {
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

/** By what the value is: integers and times as digits, everything nested by its members. */
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
