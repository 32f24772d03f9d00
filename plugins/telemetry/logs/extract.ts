// Attributes that a request asks to store as columns (header `x-svc-log-extract-keys`).

import {
  bitmap,
  type Column,
  type ColumnData,
  DbError,
  endsStep,
  readExactInteger,
  type Steps,
  type Table
} from '../../../core/index.ts'
import { ProtoReader } from '../../../core/wire/index.ts'
import { GrowingBytes } from '../column/growing-bytes.ts'
import { AnyValue, KeyValue } from '../wire/any-value.ts'
import { anyValue, resource, scope } from '../wire/field.ts'
import { findField } from '../wire/find-field.ts'
import { stepBytes } from '../wire/outline.ts'
import { utf8 } from '../wire/utf8.ts'
import { record } from './field.ts'
import type { LogBatch } from './log-batch.ts'

type Scalar = string | bigint | boolean
/** One entry per requested key, in their order. */
type Found = (Scalar | undefined)[]

/** Records handled between two yields to other requests. */
const stepRecords = 64

/** A tag column per key that any record has. The record's own attributes win over the scope's, and those over the resource's. */
export function* extractedColumns(
  logBatch: LogBatch,
  keys: readonly string[],
  table: Table | undefined
): Steps<Column[]> {
  if (keys.length === 0) return []
  const { outline, records, scopeOf, resourceOf, body } = logBatch
  const { scopes, resources, items } = outline
  const look = createLook(body, keys)
  const ofScopes = memo(i => look(scopes.starts[i]!, scopes.ends[i]!, scope.attributes))
  const ofResources = memo(i => look(resources.starts[i]!, resources.ends[i]!, resource.attributes))
  const values = keys.map((): (Scalar | undefined)[] => [])
  for (let i = 0, step = 0; i < records; i++) {
    const own = look(items.starts[i]!, items.ends[i]!, record.attributes)
    for (let k = 0; k < keys.length; k++) {
      values[k]!.push(own[k] ?? ofScopes(scopeOf[i]!)[k] ?? ofResources(resourceOf[i]!)[k])
    }
    if (i % stepRecords !== stepRecords - 1 && items.ends[i]! - step < stepBytes) continue
    step = items.ends[i]!
    yield
  }
  const columns: Column[] = []
  for (const [k, key] of keys.entries()) {
    if (values[k]!.some(value => value !== undefined)) columns.push(yield* columnOf(key, values[k]!, table))
  }
  return columns
}

/** Finds requested keys, ignoring case, among the attributes in one field of a message. Throws DbError for values no tag can have. */
function createLook(body: Uint8Array, keys: readonly string[]) {
  const reader = new ProtoReader(body)
  const pair = new KeyValue()
  const value = new AnyValue()
  const wanted = new Map(keys.map((key, k) => [key.toLowerCase(), k]))
  return (start: number, end: number, field: number): Found => {
    const found: Found = []
    reader.seek(start, end)
    while (findField(reader, field)) {
      pair.read(reader)
      const key = utf8(body, pair.keyStart, pair.keyEnd)
      const k = wanted.get(key.toLowerCase())
      if (k === undefined || found[k] !== undefined) continue
      value.read(reader, pair.valueStart, pair.valueEnd)
      found[k] = scalarOf(value, body, key)
    }
    return found
  }
}

function scalarOf(value: AnyValue, body: Uint8Array, key: string): Scalar | undefined {
  if (value.kind === anyValue.none) return undefined
  if (value.kind === anyValue.text) return utf8(body, value.start, value.end)
  if (value.kind === anyValue.int) return value.int
  if (value.kind === anyValue.bool) return value.bool
  throw new DbError(
    'InvalidArguments',
    `header x-svc-log-extract-keys: attribute ${key} is neither a text nor an integer nor a boolean, it cannot be a tag`
  )
}

function memo(make: (i: number) => Found): (i: number) => Found {
  const known: Found[] = []
  return i => {
    const found = known[i] ?? make(i)
    known[i] = found
    return found
  }
}

/** The column in the table's type, else in the type of its values; text where these differ. */
function* columnOf(key: string, values: readonly (Scalar | undefined)[], table: Table | undefined): Steps<Column> {
  const existing = table?.columns.find(({ name }) => name === key)
  const kinds = new Set(values.flatMap(value => (value === undefined ? [] : typeof value)))
  const own = kinds.size > 1 || kinds.has('string') ? 'String' : kinds.has('bigint') ? 'Int64' : 'Boolean'
  const type = existing?.type ?? own
  if (type !== 'String' && type !== 'Int64' && type !== 'Boolean') {
    throw new DbError(
      'InvalidArguments',
      `failed to align log column '${key}': column ${key} of table ${table!.name} is ${type}, not a tag's`
    )
  }
  const semantic = table === undefined ? 'tag' : (existing?.semantic ?? 'field')
  const data = yield* dataOf(key, type, values)
  return { name: key, type, semantic: semantic === 'timestamp' ? 'field' : semantic, data }
}

function* dataOf(
  key: string,
  type: 'String' | 'Int64' | 'Boolean',
  values: readonly (Scalar | undefined)[]
): Steps<ColumnData> {
  const valid = bitmap(values.length, false)
  for (const [i, value] of values.entries()) if (value !== undefined) valid[i >> 3]! |= 1 << (i & 7)
  yield
  if (type === 'String') return yield* textsOf(values, valid)
  if (type === 'Int64') {
    return { kind: 'fixed', values: BigInt64Array.from(values, value => integerOf(key, value)), valid }
  }
  return { kind: 'fixed', values: Uint8Array.from(values, value => flagOf(key, value)), valid }
}

function* textsOf(values: readonly (Scalar | undefined)[], valid: Uint8Array): Steps<ColumnData> {
  const offsets = new Uint32Array(values.length + 1)
  const out = new GrowingBytes()
  for (const [i, value] of values.entries()) {
    out.text(String(value ?? ''))
    offsets[i + 1] = out.length
    if (endsStep(i, stepRecords)) yield
  }
  return { kind: 'bytes', offsets, bytes: out.bytes.subarray(0, out.length), valid }
}

function integerOf(key: string, value: Scalar | undefined): bigint {
  if (value === undefined) return 0n
  if (typeof value === 'bigint') return value
  const read = typeof value === 'string' ? readExactInteger(value) : undefined
  if (read !== undefined && BigInt.asIntN(64, read) === read) return read
  throw new DbError(
    'InvalidArguments',
    `failed to align log column '${key}': ${JSON.stringify(value)} is not an integer`
  )
}

function flagOf(key: string, value: Scalar | undefined): number {
  if (value === undefined) return 0
  if (typeof value === 'boolean') return value ? 1 : 0
  if (value === 'true' || value === 'false') return value === 'true' ? 1 : 0
  throw new DbError(
    'InvalidArguments',
    `failed to align log column '${key}': ${JSON.stringify(String(value))} is neither true nor false`
  )
}
