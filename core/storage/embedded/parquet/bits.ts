// Bit packing: integers stored in as few bits as the widest needs, the first in the lowest bits.
import type { Output } from './output.ts'

/** Bits an unsigned 32-bit integer takes. */
export function widthOf(value: number): number {
  return 32 - Math.clz32(value)
}

/**
 * Packs `values[from … from + count)`, each of at most `width` ≤ 32 bits; `count` is a multiple of 8. Whole words are written, so that
 * bytes behind the content are overwritten with zeros.
 */
export function pack32(out: Output, values: Int32Array, from: number, count: number, width: number): void {
  if (width === 0) return
  const bytes = (count * width) >>> 3
  out.reserve(bytes + 4)
  let { at } = out
  const { view } = out
  const end = from + count
  if (width === 32) {
    for (let i = from; i < end; i++, at += 4) view.setInt32(at, values[i]!, true)
  } else if (width === 16) {
    for (let i = from; i < end; i += 2, at += 4) view.setInt32(at, values[i]! | (values[i + 1]! << 16), true)
  } else if (width === 8) {
    for (let i = from; i < end; i += 4, at += 4) {
      view.setInt32(at, values[i]! | (values[i + 1]! << 8) | (values[i + 2]! << 16) | (values[i + 3]! << 24), true)
    }
  } else if (width === 1) {
    for (let i = from; i < end; i += 8) {
      out.bytes[at++] =
        values[i]! |
        (values[i + 1]! << 1) |
        (values[i + 2]! << 2) |
        (values[i + 3]! << 3) |
        (values[i + 4]! << 4) |
        (values[i + 5]! << 5) |
        (values[i + 6]! << 6) |
        (values[i + 7]! << 7)
    }
  } else {
    let word = 0
    let filled = 0
    for (let i = from; i < end; i++) {
      const value = values[i]!
      word |= value << filled
      filled += width
      if (filled >= 32) {
        view.setInt32(at, word, true)
        at += 4
        filled -= 32
        word = filled === 0 ? 0 : value >>> (width - filled)
      }
    }
    if (filled > 0) view.setInt32(at, word, true)
  }
  out.at += bytes
}

/** The same for 64-bit integers as halves, the low one first. */
export function pack64(out: Output, halves: Int32Array, from: number, count: number, width: number): void {
  const bytes = (count * width) >>> 3
  out.reserve(bytes + 4)
  let { at } = out
  const { view } = out
  let word = 0
  let filled = 0
  const put = (value: number, bits: number) => {
    word |= value << filled
    filled += bits
    if (filled < 32) return
    view.setInt32(at, word, true)
    at += 4
    filled -= 32
    word = filled === 0 ? 0 : value >>> (bits - filled)
  }
  for (let i = 2 * from; i < 2 * (from + count); i += 2) {
    put(halves[i]!, 32)
    put(halves[i + 1]!, width - 32)
  }
  if (filled > 0) view.setInt32(at, word, true)
  out.at += bytes
}

/** Unpacks `count` integers of at most 32 bits. Reads up to 8 bytes beyond them. */
export function unpack32(view: DataView, at: number, width: number, count: number, out: Int32Array, to: number): void {
  const end = to + count
  if (width === 0) out.fill(0, to, end)
  else if (width === 8) {
    for (let i = to, p = at; i < end; i++, p++) out[i] = view.getUint8(p)
  } else if (width === 16) {
    for (let i = to, p = at; i < end; i++, p += 2) out[i] = view.getUint16(p, true)
  } else if (width === 32) {
    for (let i = to, p = at; i < end; i++, p += 4) out[i] = view.getInt32(p, true)
  } else if (width <= 25) {
    const mask = (1 << width) - 1
    let bit = 0
    for (let i = to; i < end; i++, bit += width) {
      out[i] = (view.getInt32(at + (bit >>> 3), true) >>> (bit & 7)) & mask
    }
  } else {
    const mask = (1 << width) - 1
    let bit = 0
    for (let i = to; i < end; i++, bit += width) {
      const p = at + (bit >>> 3)
      const shift = bit & 7
      out[i] = ((view.getInt32(p, true) >>> shift) | ((view.getUint8(p + 4) << 1) << (31 - shift))) & mask
    }
  }
}

/** Unpacks `count` integers of 33 to 64 bits into halves. Reads up to 8 bytes beyond them. */
export function unpack64(view: DataView, at: number, width: number, count: number, out: Int32Array): void {
  const mask = width === 64 ? -1 : (1 << (width - 32)) - 1
  for (let i = 0, bit = 0; i < 2 * count; i += 2, bit += width) {
    const p = at + (bit >>> 3)
    const shift = bit & 7
    const high = view.getInt32(p + 4, true)
    out[i] = (view.getInt32(p, true) >>> shift) | ((high << 1) << (31 - shift))
    out[i + 1] = ((high >>> shift) | ((view.getUint8(p + 8) << 1) << (31 - shift))) & mask
  }
}
