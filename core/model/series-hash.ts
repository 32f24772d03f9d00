// 128 bits of a key's bytes, different in every process: what a series is known by without keeping its key.
import { randomFillSync } from 'node:crypto'
import type { SeriesKeys } from './series.ts'

/** Of this process: nobody outside can make keys that collide. A thread that hashes for another one takes the seed of that one. */
export const seriesSeed: Int32Array = randomFillSync(new Int32Array(4))

/** Words of a hash. */
export const hashWords = 4

/** Odd numbers with an even spread of bits. */
const [p, q, r, s] = [0x9e3779b1, 0x85ebca77, 0xc2b2ae3d, 0x27d4eb2f] as const

export class KeyHash {
  /** Of the last key, as signed 32-bit numbers. */
  a = 0
  b = 0
  c = 0
  d = 0
  readonly #seed: Int32Array

  constructor(seed = seriesSeed) {
    this.#seed = seed
  }

  /** Takes the hash `i` of many that were made before. */
  take(hashes: Int32Array, i: number): void {
    this.a = hashes[i * hashWords]!
    this.b = hashes[i * hashWords + 1]!
    this.c = hashes[i * hashWords + 2]!
    this.d = hashes[i * hashWords + 3]!
  }

  /** Makes it that of another key, which nothing but the salt tells from this one. */
  mix(salt: Readonly<Int32Array>): void {
    this.a ^= salt[0]!
    this.b ^= salt[1]!
    this.c ^= salt[2]!
    this.d ^= salt[3]!
  }

  /** Four lanes of 32 bits that take a word each and mix with their neighbours; every step can be undone, so nothing gets lost on the way. */
  of(bytes: DataView, start: number, end: number): void {
    const seed = this.#seed
    let a = seed[0]! ^ (end - start)
    let b = seed[1]!
    let c = seed[2]!
    let d = seed[3]!
    // The last words overlap those before them; the length, which is in `a`, says by how much.
    const last = end - 16
    for (let at = start; at < end; at += 16) {
      if (at > last) {
        if (last < start) break
        at = last
      }
      a = Math.imul(a ^ bytes.getInt32(at, true), p)
      b = Math.imul(b ^ bytes.getInt32(at + 4, true), q)
      c = Math.imul(c ^ bytes.getInt32(at + 8, true), r)
      d = Math.imul(d ^ bytes.getInt32(at + 12, true), s)
      a = (((a << 13) | (a >>> 19)) + d) | 0
      b = (((b << 15) | (b >>> 17)) + a) | 0
      c = (((c << 16) | (c >>> 16)) + b) | 0
      d = (((d << 11) | (d >>> 21)) + c) | 0
    }
    for (let at = last < start ? start : end; at < end; at++) {
      const next = Math.imul(d ^ bytes.getUint8(at), p)
      d = c
      c = b
      b = a
      a = (((next << 13) | (next >>> 19)) + b) | 0
    }
    for (let round = 0; round < 3; round++) {
      a = Math.imul(a ^ (a >>> 15), q)
      b = Math.imul(b ^ (b >>> 13), r)
      c = Math.imul(c ^ (c >>> 16), s)
      d = Math.imul(d ^ (d >>> 14), p)
      a = (a + d) | 0
      b = (b + a) | 0
      c = (c + b) | 0
      d = (d + c) | 0
    }
    this.a = a
    this.b = b
    this.c = c
    this.d = d
  }
}

/** The hash of a text, as a salt. */
export function saltOf(text: string): Int32Array {
  const bytes = Buffer.from(text)
  const hash = new KeyHash()
  hash.of(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), 0, bytes.byteLength)
  return Int32Array.of(hash.a, hash.b, hash.c, hash.d)
}

/** The hashes of all keys, one after the other, into `hashes`, which has room for them. */
export function hashKeys({ bytes, starts, ends, count }: SeriesKeys, hashes: Int32Array, seed: Int32Array): void {
  const hash = new KeyHash(seed)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let i = 0; i < count; i++) {
    hash.of(view, starts[i]!, ends[i]!)
    hashes[i * hashWords] = hash.a
    hashes[i * hashWords + 1] = hash.b
    hashes[i * hashWords + 2] = hash.c
    hashes[i * hashWords + 3] = hash.d
  }
}
