// Bounds (minimum and maximum) of values: in comparable form, and as files store them.
import type { Texts } from './texts.ts'
import type { Bound, ParquetColumn } from './types.ts'

export interface Bounds {
  readonly min: Bound
  readonly max: Bound
}

/** The bounds of values: `none` without values, `nan` if there are no usable bounds. */
export type Seen = Bounds | 'none' | 'nan'

/** Longer bounds are shortened: a lower bound is cut, an upper bound is replaced by a shorter, larger value. */
const maxBoundBytes = 64

export function isUnsigned(column: ParquetColumn): boolean {
  return column.logical?.kind === 'int' && !column.logical.signed
}

export function boundsOfInt32(values: Int32Array, from: number, to: number, unsigned: boolean): Seen {
  if (from === to) return 'none'
  const flip = unsigned ? 0x80000000 | 0 : 0
  let min = values[from]! ^ flip
  let max = min
  for (let i = from + 1; i < to; i++) {
    const value = values[i]! ^ flip
    if (value < min) min = value
    else if (value > max) max = value
  }
  min ^= flip
  max ^= flip
  return unsigned ? { min: min >>> 0, max: max >>> 0 } : { min, max }
}

export function boundsOfInt64(halves: Int32Array, from: number, to: number, unsigned: boolean): Seen {
  if (from === to) return 'none'
  const flip = unsigned ? 0x80000000 | 0 : 0
  let minHigh = halves[2 * from + 1]! ^ flip
  let maxHigh = minHigh
  let minLow = halves[2 * from]! >>> 0
  let maxLow = minLow
  for (let i = 2 * from + 2; i < 2 * to; i += 2) {
    const low = halves[i]! >>> 0
    const high = halves[i + 1]! ^ flip
    if (high < minHigh || (high === minHigh && low < minLow)) {
      minHigh = high
      minLow = low
    } else if (high > maxHigh || (high === maxHigh && low > maxLow)) {
      maxHigh = high
      maxLow = low
    }
  }
  const join = (high: number, low: number) =>
    unsigned ? (BigInt((high ^ flip) >>> 0) << 32n) | BigInt(low) : (BigInt(high ^ flip) << 32n) | BigInt(low)
  return { min: join(minHigh, minLow), max: join(maxHigh, maxLow) }
}

/** A zero is stored as -0 in a lower bound and +0 in an upper one, because the two are equal. */
export function boundsOfFloats(values: Float32Array | Float64Array, from: number, to: number): Seen {
  if (from === to) return 'none'
  let min = values[from]!
  let max = min
  for (let i = from; i < to; i++) {
    const value = values[i]!
    if (value < min) min = value
    else if (value > max) max = value
    if (Number.isNaN(value)) return 'nan'
  }
  return { min: min === 0 ? -0 : min, max: max === 0 ? 0 : max }
}

export function boundsOfTexts(column: ParquetColumn, texts: Texts, from: number, to: number): Seen {
  if (from === to) return 'none'
  const flip = column.type === 'fixed16' ? 0x80 : 0
  let min = from
  let max = from
  let minHead = head(texts, from, flip)
  let maxHead = minHead
  for (let i = from + 1; i < to; i++) {
    const first = head(texts, i, flip)
    if (first < minHead || (first === minHead && compareTexts(texts, i, min, flip) < 0)) {
      min = i
      minHead = first
    } else if (first > maxHead || (first === maxHead && compareTexts(texts, i, max, flip) > 0)) {
      max = i
      maxHead = first
    }
  }
  return { min: textAt(texts, min), max: textAt(texts, max) }
}

/** Bounds of the entries that codes `from` to `to` refer to. `used` has room for all entries. */
export function boundsOfCodes(
  column: ParquetColumn,
  codes: Int32Array,
  from: number,
  to: number,
  entries: number,
  dictionary: Texts,
  used: Uint8Array
): Seen {
  if (from === to) return 'none'
  used.fill(0, 0, entries)
  for (let i = from; i < to; i++) used[codes[i]!] = 1
  const flip = column.type === 'fixed16' ? 0x80 : 0
  let min = -1
  let max = -1
  for (let i = 0; i < entries; i++) {
    if (used[i] === 0) continue
    if (min < 0) {
      min = i
      max = i
    } else if (compareTexts(dictionary, i, min, flip) < 0) min = i
    else if (compareTexts(dictionary, i, max, flip) > 0) max = i
  }
  return { min: textAt(dictionary, min), max: textAt(dictionary, max) }
}

/** The first four bytes as a number with the same order. */
function head({ offsets, bytes }: Texts, i: number, flip: number): number {
  const at = offsets[i]!
  const length = offsets[i + 1]! - at
  if (length > 3) {
    return (((bytes[at]! ^ flip) << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0
  }
  let value = 0
  for (let k = 0; k < 4; k++) value = (value << 8) | (k < length ? bytes[at + k]! : 0)
  return value >>> 0
}

function compareTexts({ offsets, bytes }: Texts, a: number, b: number, flip: number): number {
  const atA = offsets[a]!
  const atB = offsets[b]!
  const lengthA = offsets[a + 1]! - atA
  const lengthB = offsets[b + 1]! - atB
  const length = Math.min(lengthA, lengthB)
  if (flip !== 0 && length > 0 && bytes[atA] !== bytes[atB]) return (bytes[atA]! ^ flip) - (bytes[atB]! ^ flip)
  for (let i = 0; i < length; i++) {
    const difference = bytes[atA + i]! - bytes[atB + i]!
    if (difference !== 0) return difference
  }
  return lengthA - lengthB
}

function textAt({ offsets, bytes }: Texts, i: number): Uint8Array {
  return new Uint8Array(bytes.subarray(offsets[i], offsets[i + 1]))
}

/** The bounds of both together. */
export function joinSeen(column: ParquetColumn, a: Seen, b: Seen): Seen {
  if (a === 'nan' || b === 'nan') return 'nan'
  if (a === 'none') return b
  if (b === 'none') return a
  return {
    min: compareBounds(column, a.min, b.min) <= 0 ? a.min : b.min,
    max: compareBounds(column, a.max, b.max) >= 0 ? a.max : b.max
  }
}

export function compareBounds(column: ParquetColumn, a: Bound, b: Bound): number {
  if (typeof a === 'object') {
    const other = b as Uint8Array
    if (column.type === 'fixed16' && a.length > 0 && other.length > 0 && a[0] !== other[0]) {
      return (a[0]! ^ 0x80) - (other[0]! ^ 0x80)
    }
    return Buffer.compare(a, other)
  }
  const other = b as number | bigint
  return a < other ? -1 : a > other ? 1 : 0
}

/** Bounds short enough for a file; `nan` if there is no short upper bound. */
export function shortenSeen(column: ParquetColumn, seen: Seen): { seen: Seen; shortened: boolean } {
  if (typeof seen !== 'object' || typeof seen.min !== 'object' || column.type === 'fixed16') {
    return { seen, shortened: false }
  }
  const { min, max } = seen as { min: Uint8Array; max: Uint8Array }
  if (min.length <= maxBoundBytes && max.length <= maxBoundBytes) return { seen, shortened: false }
  const isText = column.logical?.kind === 'string' || column.logical?.kind === 'json'
  const upper = max.length <= maxBoundBytes ? max : above(max, isText)
  if (upper === undefined) return { seen: 'nan', shortened: true }
  return {
    seen: { min: new Uint8Array(min.subarray(0, cut(min, maxBoundBytes, isText))), max: upper },
    shortened: true
  }
}

/** A bound in the form of a file. */
export function boundBytes(column: ParquetColumn, bound: Bound): Uint8Array {
  if (typeof bound === 'object') return bound
  const size = column.type === 'boolean' ? 1 : column.type === 'int32' || column.type === 'float' ? 4 : 8
  const bytes = new Uint8Array(size)
  const view = new DataView(bytes.buffer)
  if (column.type === 'boolean') bytes[0] = Number(bound)
  else if (column.type === 'int32') view.setInt32(0, Number(bound), true)
  else if (column.type === 'float') view.setFloat32(0, Number(bound), true)
  else if (column.type === 'double') view.setFloat64(0, Number(bound), true)
  else view.setBigUint64(0, BigInt.asUintN(64, BigInt(bound)), true)
  return bytes
}

/** The largest length up to `length` that is not within a character. */
function cut(bytes: Uint8Array, length: number, isText: boolean): number {
  if (bytes.length <= length) return bytes.length
  let end = length
  if (isText) while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end--
  return end
}

/** The shortest bytes above everything that begins with `bytes`; text stays valid UTF-8. */
function above(bytes: Uint8Array, isText: boolean): Uint8Array | undefined {
  if (!isText) {
    let end = maxBoundBytes
    while (end > 0 && bytes[end - 1] === 0xff) end--
    if (end === 0) return undefined
    const raised = new Uint8Array(bytes.subarray(0, end))
    raised[end - 1]!++
    return raised
  }
  // Increments the last character; the highest one has no successor, so it is dropped.
  for (let end = cut(bytes, maxBoundBytes, true); end > 0; ) {
    const start = cut(bytes, end - 1, true)
    const code = Buffer.from(bytes.subarray(start, end)).toString().codePointAt(0)!
    const next = code === 0xd7ff ? 0xe000 : code + 1
    if (next <= 0x10ffff) {
      return new Uint8Array(Buffer.concat([bytes.subarray(0, start), Buffer.from(String.fromCodePoint(next))]))
    }
    end = start
  }
  return undefined
}

/** A bound from a file; undefined if its length does not fit the type. */
export function readBound(column: ParquetColumn, bytes: Uint8Array | undefined): Bound | undefined {
  if (bytes === undefined) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  switch (column.type) {
    case 'boolean':
      return bytes.length === 1 ? bytes[0]! : undefined
    case 'int32':
      if (bytes.length !== 4) return undefined
      return isUnsigned(column) ? view.getUint32(0, true) : view.getInt32(0, true)
    case 'int64':
      if (bytes.length !== 8) return undefined
      return isUnsigned(column) ? view.getBigUint64(0, true) : view.getBigInt64(0, true)
    case 'float':
      return bytes.length === 4 ? ordered(view.getFloat32(0, true)) : undefined
    case 'double':
      return bytes.length === 8 ? ordered(view.getFloat64(0, true)) : undefined
    default:
      return new Uint8Array(bytes)
  }
}

function ordered(value: number): number | undefined {
  return Number.isNaN(value) ? undefined : value
}
