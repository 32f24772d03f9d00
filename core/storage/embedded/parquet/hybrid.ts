// The RLE/bit-packing hybrid that Parquet uses for levels, dictionary codes and booleans.
import { pack32, unpack32 } from './bits.ts'
import type { Input } from './input.ts'
import type { Output } from './output.ts'

/** Shorter repetitions are bit-packed. */
const minRun = 8

export function encodeHybrid(out: Output, codes: Int32Array, from: number, to: number, width: number): void {
  let packed = from
  let i = from
  while (i < to) {
    const code = codes[i]!
    let end = i + 1
    while (end < to && codes[end] === code) end++
    if (end - i >= minRun) {
      // Packed integers come in groups of eight, which the run fills up.
      const start = i + ((8 - ((i - packed) & 7)) & 7)
      if (end - start >= minRun) {
        encodePacked(out, codes, packed, start, width)
        encodeRun(out, code, end - start, width)
        packed = end
      }
    }
    i = end
  }
  encodePacked(out, codes, packed, to, width)
}

export function encodeRun(out: Output, value: number, count: number, width: number): void {
  out.varint(count * 2)
  for (let bits = 0; bits < width; bits += 8) out.byte(value >>> bits)
}

function encodePacked(out: Output, codes: Int32Array, from: number, to: number, width: number): void {
  const count = to - from
  if (count === 0) return
  out.varint(((count + 7) >>> 3) * 2 + 1)
  const whole = count & ~7
  pack32(out, codes, from, whole, width)
  if (whole === count) return
  const last = new Int32Array(8)
  last.set(codes.subarray(from + whole, to))
  pack32(out, last, 0, 8, width)
}

/** Decodes `count` integers of `width` bits; `input` ends up behind the last run used. */
export function decodeHybrid(input: Input, width: number, count: number, out: Int32Array, to: number): void {
  decodeRuns(input, width, count, {
    repeat: (value, from, rows) => void out.fill(value, to + from, to + from + rows),
    packed: (from, rows) => unpack32(input.view, input.at, width, rows, out, to + from)
  })
}

/** Takes runs of integers, from the first on; `from` counts those before. */
interface HybridTarget {
  repeat(value: number, from: number, rows: number): void
  /** They lie at the input's position. */
  packed(from: number, rows: number): void
}

/** Passes `count` integers of `width` bits to the target, run by run; `input` ends up behind the last run used. */
export function decodeRuns(input: Input, width: number, count: number, target: HybridTarget): void {
  if (width > 32) throw input.damaged(`integers of ${width} bits`)
  for (let at = 0; at < count; ) {
    const head = input.varint()
    if (head % 2 === 0) {
      const run = Math.min(head / 2, count - at)
      let value = 0
      for (let bits = 0; bits < width; bits += 8) value |= input.byte() << bits
      if (width < 32 && value >>> width !== 0) throw input.damaged(`a run of ${value >>> 0}, wider than ${width} bits`)
      target.repeat(value, at, run)
      at += run
      continue
    }
    const groups = (head - 1) / 2
    const wanted = Math.min(groups * 8, count - at)
    // The last group may be truncated if the missing bytes are not needed.
    const present = Math.min(groups * width, input.end - input.at)
    if (present < Math.ceil((wanted * width) / 8)) throw input.damaged('it ends inside packed integers')
    target.packed(at, wanted)
    input.at += present
    at += wanted
  }
}
