// Encodes samples as a Prometheus XOR chunk: delta-of-delta times, values XORed with the one before.

/** Bits, the highest first. */
class BitWriter {
  #bytes = new Uint8Array(1024)
  #bits = 0

  get bytes(): Uint8Array {
    return this.#bytes.slice(0, (this.#bits + 7) >> 3)
  }

  /** The lowest `count` bits of a value. */
  put(value: bigint, count: number): void {
    if (count > 32) this.#put(Number(BigInt.asUintN(32, value >> 32n)), count - 32)
    this.#put(Number(BigInt.asUintN(32, value)), Math.min(32, count))
  }

  bit(bit: number): void {
    this.#put(bit, 1)
  }

  #put(value: number, count: number): void {
    if ((this.#bits >> 3) + 5 > this.#bytes.length) {
      const grown = new Uint8Array(this.#bytes.length * 2)
      grown.set(this.#bytes)
      this.#bytes = grown
    }
    for (let left = count; left > 0; ) {
      const free = 8 - (this.#bits & 7)
      const size = Math.min(free, left)
      const part = (value >>> (left - size)) & ((1 << size) - 1)
      this.#bytes[this.#bits >> 3]! |= part << (free - size)
      this.#bits += size
      left -= size
    }
  }

  varint(value: bigint): void {
    let rest = BigInt.asUintN(64, value)
    for (; rest > 127n; rest >>= 7n) this.put((rest & 127n) | 128n, 8)
    this.put(rest, 8)
  }
}

/** Encodings of a delta of deltas: prefix, bits of the prefix, bits of the value. */
const slots = [
  [0b10n, 2, 14],
  [0b110n, 3, 17],
  [0b1110n, 4, 20]
] as const

/** Samples `from … to`, at most 65 535 of them; times ascend, values are the bits of their numbers. */
export function encodeXor(times: readonly bigint[], values: readonly bigint[], from: number, to: number): Uint8Array {
  const out = new BitWriter()
  out.put(BigInt(to - from), 16)
  let distance = 0n
  let window: Window = { leading: 64, trailing: 0 }
  for (let i = from; i < to; i++) {
    const time = times[i]!
    if (i === from) {
      out.varint((time << 1n) ^ (time >> 63n))
      out.put(BigInt.asUintN(64, values[i]!), 64)
      continue
    }
    const next = time - times[i - 1]!
    if (i === from + 1) out.varint(next)
    else putChange(out, next - distance)
    distance = next
    window = putValue(out, BigInt.asUintN(64, values[i]! ^ values[i - 1]!), window)
  }
  return out.bytes
}

function putChange(out: BitWriter, change: bigint): void {
  if (change === 0n) {
    out.bit(0)
    return
  }
  for (const [prefix, length, size] of slots) {
    const half = 1n << BigInt(size - 1)
    if (change < -(half - 1n) || change > half) continue
    out.put(prefix, length)
    out.put(BigInt.asUintN(size, change), size)
    return
  }
  out.put(0b1111n, 4)
  out.put(BigInt.asUintN(64, change), 64)
}

/** Leading and trailing zero bits of the last XOR; `leading` 64: no value was written yet. */
interface Window {
  readonly leading: number
  readonly trailing: number
}

function putValue(out: BitWriter, difference: bigint, window: Window): Window {
  if (difference === 0n) {
    out.bit(0)
    return window
  }
  out.bit(1)
  const leading = Math.min(31, leadingZeros(difference))
  const trailing = trailingZeros(difference)
  if (window.leading < 64 && leading >= window.leading && trailing >= window.trailing) {
    out.bit(0)
    out.put(difference >> BigInt(window.trailing), 64 - window.leading - window.trailing)
    return window
  }
  const size = 64 - leading - trailing
  out.bit(1)
  out.put(BigInt(leading), 5)
  // 64 significant bits are written as 0: six bits hold no 64, and 0 does not occur.
  out.put(BigInt(size & 63), 6)
  out.put(difference >> BigInt(trailing), size)
  return { leading, trailing }
}

function leadingZeros(bits: bigint): number {
  const high = Number(bits >> 32n)
  return high === 0 ? 32 + Math.clz32(Number(bits & 0xffffffffn)) : Math.clz32(high)
}

function trailingZeros(bits: bigint): number {
  const low = Number(bits & 0xffffffffn) | 0
  if (low !== 0) return 31 - Math.clz32(low & -low)
  const high = Number(bits >> 32n) | 0
  return 63 - Math.clz32(high & -high)
}
