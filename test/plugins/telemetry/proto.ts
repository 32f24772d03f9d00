// An independent protobuf encoder for tests.

export const varint = (value: bigint | number): Buffer => {
  const bytes: number[] = []
  let rest = BigInt.asUintN(64, BigInt(value))
  do {
    bytes.push(Number(rest & 127n) | (rest > 127n ? 128 : 0))
    rest >>= 7n
  } while (rest > 0n)
  return Buffer.from(bytes)
}

const tag = (field: number, type: number) => varint(field * 8 + type)
const eight = (write: (buffer: Buffer) => void) => {
  const buffer = Buffer.alloc(8)
  write(buffer)
  return buffer
}

export type Part = Buffer | undefined

export const message = (...parts: readonly Part[]): Buffer => Buffer.concat(parts.filter(part => part !== undefined))
export const data = (field: number, bytes: Uint8Array): Buffer =>
  Buffer.concat([tag(field, 2), varint(bytes.length), bytes])
export const inner = (field: number, ...parts: readonly Part[]): Buffer => data(field, message(...parts))
export const text = (field: number, value: string): Buffer => data(field, Buffer.from(value))
export const uint = (field: number, value: bigint | number): Buffer => Buffer.concat([tag(field, 0), varint(value)])
export const zigzag = (value: number): bigint => (BigInt(value) << 1n) ^ (BigInt(value) >> 63n)
export const double = (field: number, value: number): Buffer =>
  Buffer.concat([tag(field, 1), eight(buffer => buffer.writeDoubleLE(value))])
export const fixed64 = (field: number, value: bigint | number): Buffer =>
  Buffer.concat([tag(field, 1), eight(buffer => buffer.writeBigUInt64LE(BigInt.asUintN(64, BigInt(value))))])
export const fixed32 = (field: number, value: number): Buffer => {
  const buffer = Buffer.alloc(4)
  buffer.writeUInt32LE(value)
  return Buffer.concat([tag(field, 5), buffer])
}
export const packedDoubles = (field: number, values: readonly number[]): Buffer =>
  data(field, Buffer.concat(values.map(value => eight(buffer => buffer.writeDoubleLE(value)))))
export const packedFixed = (field: number, values: readonly (bigint | number)[]): Buffer =>
  data(field, Buffer.concat(values.map(value => eight(buffer => buffer.writeBigUInt64LE(BigInt(value))))))
export const packedVarints = (field: number, values: readonly (bigint | number)[]): Buffer =>
  data(field, Buffer.concat(values.map(varint)))

/** An attribute value: texts, booleans, bigints as integers, numbers as doubles, buffers, arrays, maps; null is an AnyValue without a value. */
export type Value =
  | null
  | string
  | boolean
  | bigint
  | number
  | Buffer
  | readonly Value[]
  | { readonly [key: string]: Value }

export function anyValue(value: Value): Buffer {
  if (value === null) return Buffer.alloc(0)
  if (typeof value === 'string') return text(1, value)
  if (typeof value === 'boolean') return uint(2, value ? 1 : 0)
  if (typeof value === 'bigint') return uint(3, value)
  if (typeof value === 'number') return double(4, value)
  if (Buffer.isBuffer(value)) return data(7, value)
  if (Array.isArray(value)) return inner(5, ...value.map(each => data(1, anyValue(each))))
  return inner(6, attributes(1, value as Attributes))
}

export type Attributes = { readonly [key: string]: Value }

/** KeyValues in a field. */
export function attributes(field: number, values: Attributes): Buffer {
  return Buffer.concat(
    Object.entries(values).map(([key, value]) => inner(field, text(1, key), data(2, anyValue(value))))
  )
}

/** The same as JSON writes them. */
export function jsonValue(value: Value): object {
  if (value === null) return {}
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value === 'bigint') return { intValue: String(value) }
  if (typeof value === 'number') return { doubleValue: Number.isFinite(value) ? value : String(value) }
  if (Buffer.isBuffer(value)) return { bytesValue: value.toString('base64') }
  if (Array.isArray(value)) return { arrayValue: { values: value.map(jsonValue) } }
  return { kvlistValue: { values: jsonAttributes(value as Attributes) } }
}

export function jsonAttributes(values: Attributes): object[] {
  return Object.entries(values).map(([key, value]) => ({ key, value: jsonValue(value) }))
}

/** One request: resources with scopes with items, which are messages already. */
export interface Export {
  readonly resource?: Attributes
  readonly resourceUrl?: string
  readonly scope?: { readonly name?: string; readonly version?: string; readonly attributes?: Attributes }
  readonly scopeUrl?: string
  readonly items: readonly Buffer[]
}

export function exportRequest(entries: readonly Export[]): Buffer {
  return message(
    ...entries.map(({ resource, resourceUrl, scope, scopeUrl, items }) =>
      inner(
        1,
        resource && inner(1, attributes(1, resource)),
        inner(
          2,
          scope &&
            inner(
              1,
              scope.name === undefined ? undefined : text(1, scope.name),
              scope.version === undefined ? undefined : text(2, scope.version),
              scope.attributes && attributes(3, scope.attributes)
            ),
          ...items.map(item => data(2, item)),
          scopeUrl === undefined ? undefined : text(3, scopeUrl)
        ),
        resourceUrl === undefined ? undefined : text(3, resourceUrl)
      )
    )
  )
}

/** Export…ServiceResponse and Status: what a test looks at. */
export function readPartial(body: Uint8Array): { readonly rejected: number; readonly message: string } {
  if (body.length === 0) return { rejected: 0, message: '' }
  const partial = fieldsOf(fieldsOf(body).get(1) as Buffer)
  return { rejected: Number(partial.get(1) ?? 0n), message: String(partial.get(2) ?? '') }
}

export function readStatus(body: Uint8Array): { readonly code: number; readonly message: string } {
  const status = fieldsOf(body)
  return { code: Number(status.get(1) ?? 0n), message: String(status.get(2) ?? '') }
}

/** Varints and bytes by field. */
function fieldsOf(body: Uint8Array): Map<number, bigint | Buffer> {
  const bytes = Buffer.from(body)
  const fields = new Map<number, bigint | Buffer>()
  let at = 0
  const number = () => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++]!
      value |= BigInt(byte & 127) << shift
      if (byte < 128) return value
    }
  }
  while (at < bytes.length) {
    const head = Number(number())
    const value = number()
    if (head % 8 === 0) fields.set(head >> 3, value)
    else {
      fields.set(head >> 3, bytes.subarray(at, at + Number(value)))
      at += Number(value)
    }
  }
  return fields
}
