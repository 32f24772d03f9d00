// Reads an XOR chunk bit by bit, as a client does. Independent of the encoder.

/** Times in milliseconds and the bits of the numbers. */
export function decodeXor(bytes: Uint8Array): [number, bigint][] {
  let at = 0
  const bit = () => (bytes[at >> 3]! >> (7 - (at++ & 7))) & 1
  const bits = (count: number) => {
    let value = 0n
    for (let i = 0; i < count; i++) value = (value << 1n) | BigInt(bit())
    return value
  }
  const varint = () => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = bits(8)
      value |= (byte & 127n) << shift
      if (byte < 128n) return value
    }
  }
  const change = () => {
    if (bit() === 0) return 0n
    if (bit() === 0) return signed(bits(14), 14)
    if (bit() === 0) return signed(bits(17), 17)
    return bit() === 0 ? signed(bits(20), 20) : BigInt.asIntN(64, bits(64))
  }
  const count = Number(bits(16))
  const samples: [number, bigint][] = []
  let [time, distance, value, leading, size] = [0n, 0n, 0n, 0, 0]
  for (let i = 0; i < count; i++) {
    if (i === 0) {
      const zigzag = varint()
      time = (zigzag >> 1n) ^ -(zigzag & 1n)
      value = bits(64)
    } else {
      distance = i === 1 ? varint() : distance + change()
      time += distance
      if (bit() === 1) {
        if (bit() === 1) {
          leading = Number(bits(5))
          size = Number(bits(6)) || 64
        }
        value ^= bits(size) << BigInt(64 - leading - size)
      }
    }
    samples.push([Number(time), value])
  }
  return samples
}

/** A slot holds −(2^(n−1)−1) … 2^(n−1). */
function signed(value: bigint, size: number): bigint {
  return value > 1n << BigInt(size - 1) ? value - (1n << BigInt(size)) : value
}
