// XXH3 with the seed 0, of 64 and 128 bits.
import { avalanche64, cut, multiply, prime32, prime64, rotate } from './word.ts'

const secret = Buffer.from(
  'b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671fcb79e64eccc0e578825ad07dccff7221' +
    'b8084674f743248ee03590e6813a264c3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8a8' +
    'fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364eac5ac8334d3ebc3c581a0fffa1363eb17' +
    '0ddd51b7f0da49d316552629d4689e2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e',
  'hex'
)
const [p1, p2, , p4] = prime64
const mix1 = 0x165667919e3779f9n
const mix2 = 0x9fb21c651e98df25n

interface Pair {
  readonly low: bigint
  readonly high: bigint
}

const key = (at: number) => secret.readBigUInt64LE(at)
const word = (bytes: Buffer, at: number) => bytes.readBigUInt64LE(at)
const half = (bytes: Buffer, at: number) => BigInt(bytes.readUInt32LE(at))

/** Unsigned. `step` is called now and then. */
export function xxh3(bytes: Buffer, step: () => void): bigint {
  const { length } = bytes
  if (length === 0) return avalanche64(key(56) ^ key(64))
  if (length <= 3) return avalanche64(combine(bytes) ^ half(secret, 0) ^ half(secret, 4))
  if (length <= 8) return short64(bytes)
  if (length <= 16) return medium64(bytes)
  if (length > 240) return mergeLanes(runLanes(bytes, step), 11, multiply(BigInt(length), p1))
  let sum = multiply(BigInt(length), p1)
  if (length <= 128) {
    for (let i = Math.ceil(length / 32) - 1; i >= 0; i--)
      sum += mix16(bytes, i * 16, i * 32) + mix16(bytes, length - 16 - i * 16, i * 32 + 16)
    return avalanche(cut(sum))
  }
  for (let i = 0; i < 8; i++) sum += mix16(bytes, i * 16, i * 16)
  sum = avalanche(cut(sum))
  for (let i = 8; i < Math.floor(length / 16); i++) sum += mix16(bytes, i * 16, (i - 8) * 16 + 3)
  return avalanche(cut(sum + mix16(bytes, length - 16, 119)))
}

/** Unsigned, of 128 bits. `step` is called now and then. */
export function xxh3Wide(bytes: Buffer, step: () => void): bigint {
  const { low, high } = pairOf(bytes, step)
  return (high << 64n) | low
}

function pairOf(bytes: Buffer, step: () => void): Pair {
  const { length } = bytes
  if (length === 0) return { low: avalanche64(key(64) ^ key(72)), high: avalanche64(key(80) ^ key(88)) }
  if (length <= 3) return tiny128(bytes)
  if (length <= 8) return short128(bytes)
  if (length <= 16) return medium128(bytes)
  if (length <= 240) return long128(bytes)
  const lanes = runLanes(bytes, step)
  const size = BigInt(length)
  return {
    low: mergeLanes(lanes, 11, multiply(size, p1)),
    high: mergeLanes(lanes, 117, cut(~multiply(size, p2)))
  }
}

/** Hashes one to three bytes. */
function combine(bytes: Buffer): bigint {
  const { length } = bytes
  return BigInt(((bytes[0]! << 16) | (bytes[length >> 1]! << 24) | bytes[length - 1]! | (length << 8)) >>> 0)
}

function short64(bytes: Buffer): bigint {
  const { length } = bytes
  const value = (half(bytes, length - 4) + (half(bytes, 0) << 32n)) ^ key(8) ^ key(16)
  let hash = multiply(value ^ rotate(value, 49n) ^ rotate(value, 24n), mix2)
  hash = multiply(hash ^ ((hash >> 35n) + BigInt(length)), mix2)
  return hash ^ (hash >> 28n)
}

function medium64(bytes: Buffer): bigint {
  const { length } = bytes
  const low = word(bytes, 0) ^ key(24) ^ key(32)
  const high = word(bytes, length - 8) ^ key(40) ^ key(48)
  return avalanche(cut(BigInt(length) + swap(low) + high + fold(low, high)))
}

function tiny128(bytes: Buffer): Pair {
  const low = combine(bytes)
  const swapped = swap(low) >> 32n
  const high = BigInt.asUintN(32, (swapped << 13n) | (swapped >> 19n))
  return {
    low: avalanche64(low ^ half(secret, 0) ^ half(secret, 4)),
    high: avalanche64(high ^ half(secret, 8) ^ half(secret, 12))
  }
}

function short128(bytes: Buffer): Pair {
  const { length } = bytes
  const value = (half(bytes, 0) + (half(bytes, length - 4) << 32n)) ^ key(16) ^ key(24)
  const product = value * (p1 + BigInt(length << 2))
  const high = cut((product >> 64n) + (cut(product) << 1n))
  let low = cut(product) ^ (high >> 3n)
  low = multiply(low ^ (low >> 35n), mix2)
  return { low: low ^ (low >> 28n), high: avalanche(high) }
}

function medium128(bytes: Buffer): Pair {
  const { length } = bytes
  const first = word(bytes, 0)
  const last = word(bytes, length - 8)
  const product = (first ^ last ^ key(32) ^ key(40)) * p1
  const keyed = last ^ key(48) ^ key(56)
  const high = cut((product >> 64n) + keyed + BigInt.asUintN(32, keyed) * (prime32[1] - 1n))
  const low = cut(product + (BigInt(length - 1) << 54n)) ^ swap(high)
  const again = low * p2
  return { low: avalanche(cut(again)), high: avalanche(cut((again >> 64n) + high * p2)) }
}

function long128(bytes: Buffer): Pair {
  const { length } = bytes
  const sum = { low: multiply(BigInt(length), p1), high: 0n }
  if (length <= 128) {
    for (let i = Math.ceil(length / 32) - 1; i >= 0; i--) mix32(sum, bytes, i * 16, length - 16 - i * 16, i * 32)
  } else {
    for (let at = 0; at < 128; at += 32) mix32(sum, bytes, at, at + 16, at)
    sum.low = avalanche(sum.low)
    sum.high = avalanche(sum.high)
    for (let at = 128; at + 32 <= length; at += 32) mix32(sum, bytes, at, at + 16, at - 125)
    mix32(sum, bytes, length - 16, length - 32, 103)
  }
  const high = cut(sum.low * p1 + sum.high * p4 + BigInt(length) * p2)
  return { low: avalanche(cut(sum.low + sum.high)), high: cut(-avalanche(high)) }
}

function mix32(sum: { low: bigint; high: bigint }, bytes: Buffer, first: number, second: number, from: number): void {
  sum.low = cut(sum.low + mix16(bytes, first, from)) ^ cut(word(bytes, second) + word(bytes, second + 8))
  sum.high = cut(sum.high + mix16(bytes, second, from + 16)) ^ cut(word(bytes, first) + word(bytes, first + 8))
}

function mix16(bytes: Buffer, at: number, from: number): bigint {
  return fold(word(bytes, at) ^ key(from), word(bytes, at + 8) ^ key(from + 8))
}

/** Both halves of a product of 128 bits together. */
function fold(a: bigint, b: bigint): bigint {
  const product = a * b
  return cut(product) ^ (product >> 64n)
}

function avalanche(value: bigint): bigint {
  const hash = multiply(value ^ (value >> 37n), mix1)
  return hash ^ (hash >> 32n)
}

/** The bytes of a word in reverse. */
function swap(value: bigint): bigint {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(value)
  return bytes.readBigUInt64BE()
}

const stripe = 64
const stripesPerBlock = 16
const blockSize = stripe * stripesPerBlock

function runLanes(bytes: Buffer, step: () => void): bigint[] {
  const lanes = [prime32[2], p1, p2, prime64[2], p4, prime32[1], prime64[4], prime32[0]] as bigint[]
  const last = bytes.length - 1
  for (let at = 0; at < last - (last % stripe); at += stripe) {
    const index = (at % blockSize) / stripe
    accumulate(lanes, bytes, at, index * 8)
    if (index !== stripesPerBlock - 1) continue
    step()
    scramble(lanes)
  }
  accumulate(lanes, bytes, bytes.length - stripe, 121)
  return lanes
}

function accumulate(lanes: bigint[], bytes: Buffer, at: number, from: number): void {
  for (let i = 0; i < 8; i++) {
    const value = word(bytes, at + i * 8)
    const keyed = value ^ key(from + i * 8)
    lanes[i ^ 1] = cut(lanes[i ^ 1]! + value)
    lanes[i] = cut(lanes[i]! + BigInt.asUintN(32, keyed) * (keyed >> 32n))
  }
}

function scramble(lanes: bigint[]): void {
  for (const [i, lane] of lanes.entries()) lanes[i] = multiply(lane ^ (lane >> 47n) ^ key(128 + i * 8), prime32[0])
}

function mergeLanes(lanes: readonly bigint[], from: number, start: bigint): bigint {
  let sum = start
  for (let i = 0; i < 4; i++)
    sum += fold(lanes[i * 2]! ^ key(from + i * 16), lanes[i * 2 + 1]! ^ key(from + i * 16 + 8))
  return avalanche(cut(sum))
}
