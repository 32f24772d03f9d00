// DELTA_BINARY_PACKED: differences between neighbours, in blocks that each have a minimum and bit widths.
import { pack32, pack64, unpack32, unpack64, widthOf } from './bits.ts'
import type { Input } from './input.ts'
import type { Output } from './output.ts'

const blockSize = 256
const miniSize = 32
const minisPerBlock = blockSize / miniSize
const maxBlock = 1 << 20

/** Memory for the differences of a page. */
export class DeltaScratch {
  low = new Int32Array(0)
  high = new Int32Array(0)
  readonly halves = new Int32Array(2 * blockSize)
  readonly widths = new Uint8Array(minisPerBlock)

  hold(count: number): void {
    if (this.low.length >= count) return
    this.low = new Int32Array(count + blockSize)
    this.high = new Int32Array(count + blockSize)
  }
}

export function encodeDelta32(out: Output, values: Int32Array, from: number, to: number, scratch: DeltaScratch): void {
  const count = to - from
  encodeHead(out, count)
  if (count === 0) {
    out.zigzag64(0, 0)
    return
  }
  out.zigzag64(values[from]!, values[from]! >> 31)
  scratch.hold(count + blockSize)
  const { low } = scratch
  let before = values[from]!
  for (let i = from + 1, put = 0; i < to; i++) {
    const value = values[i]!
    low[put++] = value - before
    before = value
  }
  encodeNarrow(out, low, count - 1, scratch.widths)
}

/** Encodes 64-bit integers given as halves; differences wrap around. */
export function encodeDelta64(out: Output, halves: Int32Array, from: number, to: number, scratch: DeltaScratch): void {
  const count = to - from
  encodeHead(out, count)
  if (count === 0) {
    out.zigzag64(0, 0)
    return
  }
  let beforeLow = halves[2 * from]!
  let beforeHigh = halves[2 * from + 1]!
  out.zigzag64(beforeLow, beforeHigh)
  scratch.hold(count + blockSize)
  const { low, high } = scratch
  let wide = 0
  for (let i = 2 * from + 2, put = 0; i < 2 * to; i += 2, put++) {
    const valueLow = halves[i]!
    const valueHigh = halves[i + 1]!
    const differenceLow = (valueLow - beforeLow) | 0
    const borrow = valueLow >>> 0 < beforeLow >>> 0 ? 1 : 0
    const differenceHigh = (valueHigh - beforeHigh - borrow) | 0
    low[put] = differenceLow
    high[put] = differenceHigh
    wide |= differenceHigh ^ (differenceLow >> 31)
    beforeLow = valueLow
    beforeHigh = valueHigh
  }
  if (wide === 0) encodeNarrow(out, low, count - 1, scratch.widths)
  else encodeWide(out, low, high, count - 1, scratch)
}

function encodeHead(out: Output, count: number): void {
  out.varint(blockSize)
  out.varint(minisPerBlock)
  out.varint(count)
}

/** Encodes 32-bit differences. Uses the room for a block behind them. */
function encodeNarrow(out: Output, low: Int32Array, count: number, widths: Uint8Array): void {
  for (let block = 0; block < count; block += blockSize) {
    const end = Math.min(count, block + blockSize)
    let min = low[block]!
    for (let i = block + 1; i < end; i++) {
      const difference = low[i]!
      if (difference < min) min = difference
    }
    out.zigzag64(min, min >> 31)
    for (let mini = 0; mini < minisPerBlock; mini++) {
      const start = block + mini * miniSize
      const stop = Math.min(end, start + miniSize)
      let bits = 0
      for (let i = start; i < stop; i++) {
        const relative = (low[i]! - min) | 0
        low[i] = relative
        bits |= relative
      }
      widths[mini] = widthOf(bits)
    }
    out.raw(widths)
    // Padding of the last miniblock.
    if (end < block + blockSize) low.fill(0, end, block + blockSize)
    for (let mini = 0, start = block; mini < minisPerBlock && start < end; mini++, start += miniSize) {
      pack32(out, low, start, miniSize, widths[mini]!)
    }
  }
}

function encodeWide(out: Output, low: Int32Array, high: Int32Array, count: number, scratch: DeltaScratch): void {
  const { halves, widths } = scratch
  for (let block = 0; block < count; block += blockSize) {
    const end = Math.min(count, block + blockSize)
    let minLow = low[block]!
    let minHigh = high[block]!
    for (let i = block + 1; i < end; i++) {
      if (high[i]! < minHigh || (high[i] === minHigh && low[i]! >>> 0 < minLow >>> 0)) {
        minLow = low[i]!
        minHigh = high[i]!
      }
    }
    out.zigzag64(minLow, minHigh)
    halves.fill(0)
    for (let mini = 0; mini < minisPerBlock; mini++) {
      const start = block + mini * miniSize
      const stop = Math.min(end, start + miniSize)
      let bitsLow = 0
      let bitsHigh = 0
      for (let i = start; i < stop; i++) {
        const relativeLow = (low[i]! - minLow) | 0
        const relativeHigh = (high[i]! - minHigh - (low[i]! >>> 0 < minLow >>> 0 ? 1 : 0)) | 0
        halves[2 * (i - block)] = relativeLow
        halves[2 * (i - block) + 1] = relativeHigh
        low[i] = relativeLow
        bitsLow |= relativeLow
        bitsHigh |= relativeHigh
      }
      widths[mini] = bitsHigh === 0 ? widthOf(bitsLow) : 32 + widthOf(bitsHigh)
    }
    out.raw(widths)
    if (end < block + blockSize) low.fill(0, end, block + blockSize)
    for (let mini = 0, start = block; mini < minisPerBlock && start < end; mini++, start += miniSize) {
      const width = widths[mini]!
      if (width > 32) pack64(out, halves, start - block, miniSize, width)
      else pack32(out, low, start, miniSize, width)
    }
  }
}

/** Memory for one miniblock. */
export class DeltaInput {
  halves = new Int32Array(0)
  readonly number = new Int32Array(2)
}

export function decodeDelta32(input: Input, count: number, out: Int32Array, to: number, scratch: DeltaInput): void {
  decodeDelta(input, count, scratch, {
    first: low => {
      out[to] = low
    },
    mini: (at, values, width, low) => {
      let value = out[to + at - 1]!
      if (width === 0) {
        for (let i = to + at; i < to + at + values; i++) {
          value = (value + low) | 0
          out[i] = value
        }
        return
      }
      const { halves } = scratch
      if (width > 32) {
        unpack64(input.view, input.at, width, values, halves)
        for (let i = 0; i < values; i++) halves[i] = halves[2 * i]!
      } else unpack32(input.view, input.at, width, values, halves, 0)
      for (let i = 0, put = to + at; i < values; i++, put++) {
        value = (value + low + halves[i]!) | 0
        out[put] = value
      }
    }
  })
}

/** Decodes into halves, from row `to` on. */
export function decodeDelta64(
  input: Input,
  count: number,
  out: Int32Array,
  to: number,
  scratch: DeltaInput,
  end = count
): void {
  const target: DeltaTarget = {
    first: (low, high) => {
      out[2 * to] = low
      out[2 * to + 1] = high
    },
    mini: (at, values, width, minLow, minHigh) => {
      const start = 2 * (to + at)
      const end = start + 2 * values
      let low = out[start - 2]!
      let high = out[start - 1]!
      if (width === 0) {
        for (let i = start; i < end; i += 2) {
          const next = (low + minLow) | 0
          high = (high + minHigh + (next >>> 0 < minLow >>> 0 ? 1 : 0)) | 0
          low = next
          out[i] = low
          out[i + 1] = high
        }
        return
      }
      const { halves } = scratch
      if (width <= 32) {
        unpack32(input.view, input.at, width, values, halves, 0)
        for (let i = start, take = 0; i < end; i += 2, take++) {
          const stepLow = (halves[take]! + minLow) | 0
          const next = (low + stepLow) | 0
          high = (high + minHigh + (stepLow >>> 0 < minLow >>> 0 ? 1 : 0) + (next >>> 0 < stepLow >>> 0 ? 1 : 0)) | 0
          low = next
          out[i] = low
          out[i + 1] = high
        }
        return
      }
      unpack64(input.view, input.at, width, values, halves)
      for (let i = start, take = 0; i < end; i += 2, take += 2) {
        const stepLow = (halves[take]! + minLow) | 0
        const next = (low + stepLow) | 0
        const carries = (stepLow >>> 0 < minLow >>> 0 ? 1 : 0) + (next >>> 0 < stepLow >>> 0 ? 1 : 0)
        high = (high + minHigh + halves[take + 1]! + carries) | 0
        low = next
        out[i] = low
        out[i + 1] = high
      }
    }
  }
  decodeDelta(input, count, scratch, target, end)
}

interface DeltaTarget {
  first(low: number, high: number): void
  /** Decodes the miniblock at the input into the values from `at` on. */
  mini(at: number, values: number, width: number, minLow: number, minHigh: number): void
}

function decodeDelta(input: Input, count: number, scratch: DeltaInput, target: DeltaTarget, end = count): void {
  const block = input.varint()
  const minis = input.varint()
  const total = input.varint()
  const size = block / minis
  if (minis === 0 || block > maxBlock || size % 8 !== 0 || size === 0) {
    throw input.damaged(`differences in blocks of ${block} in ${minis} parts`)
  }
  if (total !== count) throw input.damaged(`it holds ${total} integers instead of ${count}`)
  if (scratch.halves.length < 2 * size) scratch.halves = new Int32Array(2 * size)
  const { number } = scratch
  input.zigzag64(number)
  if (count === 0) return
  target.first(number[0]!, number[1]!)
  let at = 1
  while (at < end) {
    input.zigzag64(number)
    input.need(minis)
    const widths = input.at
    input.at += minis
    for (let mini = 0; mini < minis && at < end; mini++) {
      const width = input.bytes[widths + mini]!
      if (width > 64) throw input.damaged(`differences of ${width} bits`)
      const bytes = (size * width) / 8
      const values = Math.min(size, count - at)
      // Some writers leave out the padding of the last miniblock.
      if (bytes > input.left) input.need(at + values < count ? bytes : Math.ceil((values * width) / 8))
      target.mini(at, values, width, number[0]!, number[1]!)
      input.at = Math.min(input.end, input.at + bytes)
      at += values
    }
  }
}
