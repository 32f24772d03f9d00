// Attributes as tags: key, type and value.
import { type ColumnType, type ItemValue, isTimestamp, parseJson, writeJson } from '../../core/index.ts'

export interface Tag {
  readonly key: string
  readonly type: 'string' | 'bool' | 'int64' | 'float64' | 'binary'
  /** A bigint is written with all digits. */
  readonly value: string | boolean | number | bigint
}

export function textTag(key: string, value: string): Tag {
  return { key, type: 'string', value }
}

/** The tag for a column's value. */
export function columnTag(key: string, type: ColumnType, value: unknown): Tag {
  if (type === 'Json') return jsonTag(key, parseJson(String(value)))
  if (type === 'Binary') return { key, type: 'binary', value: Buffer.from(value as Uint8Array).toString('base64') }
  if (type === 'Boolean') return { key, type: 'bool', value: Boolean(value) }
  if (isTimestamp(type) || type === 'Date' || type.startsWith('Decimal')) return textTag(key, String(value))
  return jsonTag(key, value as ItemValue, type.startsWith('Float'))
}

/** The tag for a JSON value; arrays and objects become text. */
function jsonTag(key: string, value: ItemValue, isFloat = false): Tag {
  switch (typeof value) {
    case 'boolean':
      return { key, type: 'bool', value }
    case 'bigint':
      return { key, type: 'int64', value: exact(value) }
    case 'number':
      return isFloat || !Number.isInteger(value)
        ? { key, type: 'float64', value: Number.isFinite(value) ? value : String(value) }
        : { key, type: 'int64', value }
    case 'string':
      return textTag(key, value)
    default:
      return textTag(key, value === null ? '' : writeJson(value))
  }
}

/** Clients read numbers as doubles, so integers that doubles cannot represent become text. */
function exact(value: bigint): number | string {
  return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : String(value)
}

/** Tags for the members of a JSON object. */
export function objectTags(json: unknown, prefix = ''): Tag[] {
  const members = typeof json === 'string' ? parseJson(json) : json
  if (typeof members !== 'object' || members === null || Array.isArray(members)) return []
  return Object.entries(members).map(([key, value]) => jsonTag(prefix + key, value as ItemValue))
}
