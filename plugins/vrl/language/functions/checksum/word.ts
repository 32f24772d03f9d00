// 64-bit arithmetic shared by the hash functions.

export const prime32: readonly [bigint, bigint, bigint, bigint, bigint] = [
  0x9e3779b1n,
  0x85ebca77n,
  0xc2b2ae3dn,
  0x27d4eb2fn,
  0x165667b1n
]
export const prime64: readonly [bigint, bigint, bigint, bigint, bigint] = [
  0x9e3779b185ebca87n,
  0xc2b2ae3d27d4eb4fn,
  0x165667b19e3779f9n,
  0x85ebca77c2b2ae63n,
  0x27d4eb2f165667c5n
]

export function cut(value: bigint): bigint {
  return BigInt.asUintN(64, value)
}

/** The lower 64 bits of a product. */
export function multiply(a: bigint, b: bigint): bigint {
  return BigInt.asUintN(64, a * b)
}

export function rotate(value: bigint, by: bigint): bigint {
  return BigInt.asUintN(64, (value << by) | (value >> (64n - by)))
}

/** The avalanche step at the end of XXH64. */
export function avalanche64(value: bigint): bigint {
  let hash = multiply(value ^ (value >> 33n), prime64[1])
  hash = multiply(hash ^ (hash >> 29n), prime64[2])
  return hash ^ (hash >> 32n)
}
