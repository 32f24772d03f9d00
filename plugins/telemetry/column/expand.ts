// Repeats values of resources and scopes for each of their rows.
import { bitmap, type ColumnData, isValid } from '../../../core/index.ts'

/** A column with a row per entry of `of`: the value of the owner with that index. */
export function expanded(data: ColumnData, of: Uint32Array): ColumnData {
  const valid = data.valid === undefined ? {} : { valid: expandedBits(data.valid, of) }
  if (data.kind === 'bytes') {
    const { offsets, bytes } = data
    return { kind: 'dictionary', codes: of, dictionary: { kind: 'bytes', offsets, bytes }, ...valid }
  }
  if (data.kind === 'dictionary') {
    return { kind: 'dictionary', codes: of.map(owner => data.codes[owner]!), dictionary: data.dictionary, ...valid }
  }
  return { kind: 'fixed', values: gathered(data.values as Uint8Array | BigInt64Array | Float64Array, of), ...valid }
}

function expandedBits(owners: Uint8Array, of: Uint32Array): Uint8Array {
  const bits = bitmap(of.length, false)
  for (let row = 0; row < of.length; row++) if (isValid(owners, of[row]!)) bits[row >> 3]! |= 1 << (row & 7)
  return bits
}

/** Copies 32-bit words: a bigint per value would dominate the cost, and NaN payloads of floats stay. */
function gathered<T extends Uint8Array | BigInt64Array | Float64Array>(values: T, of: Uint32Array): T {
  const all = new (values.constructor as new (length: number) => T)(of.length)
  if (values.BYTES_PER_ELEMENT === 1) {
    for (let row = 0; row < of.length; row++) all[row] = values[of[row]!]!
    return all
  }
  const from = new Int32Array(values.buffer)
  const to = new Int32Array(all.buffer)
  for (let row = 0; row < of.length; row++) {
    to[2 * row] = from[2 * of[row]!]!
    to[2 * row + 1] = from[2 * of[row]! + 1]!
  }
  return all
}
