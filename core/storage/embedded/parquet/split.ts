// BYTE_STREAM_SPLIT: the lowest bytes of all values, then the next ones, and so on.
import type { Input } from './input.ts'
import type { Output } from './output.ts'

export function encodeSplit(out: Output, values: Int32Array, from: number, to: number, width: 4 | 8): void {
  const count = to - from
  out.reserve(count * width)
  const { bytes } = out
  const streams = out.at
  for (let half = 0; half < width; half += 4) {
    const first = streams + half * count
    const step = width >>> 2
    let take = from * step + (half >>> 2)
    for (let i = 0; i < count; i++, take += step) {
      const value = values[take]!
      bytes[first + i] = value
      bytes[first + count + i] = value >>> 8
      bytes[first + 2 * count + i] = value >>> 16
      bytes[first + 3 * count + i] = value >>> 24
    }
  }
  out.at += count * width
}

/** Decodes values `from` to `end` of `count`, each a multiple of four bytes long, into `out` from value `to` on. */
export function decodeSplit(
  input: Input,
  count: number,
  width: number,
  out: Int32Array,
  to: number,
  from = 0,
  end = count
): void {
  input.need(count * width)
  const { bytes } = input
  const step = width >>> 2
  for (let half = 0; half < step; half++) {
    const first = input.at + half * 4 * count
    let put = to * step + half
    for (let i = from; i < end; i++, put += step) {
      out[put] =
        bytes[first + i]! |
        (bytes[first + count + i]! << 8) |
        (bytes[first + 2 * count + i]! << 16) |
        (bytes[first + 3 * count + i]! << 24)
    }
  }
  input.at += count * width
}
