// A 128-bit hash of a series key, seeded per process; it identifies the series, so that the key need not be kept.
import { randomFillSync } from 'node:crypto'
import type { SeriesKeys } from './series.ts'

/** The hash seed of this process, random so that clients cannot construct collisions. Threads that hash for another thread use that thread's seed. */
export const seriesSeed: Int32Array = randomFillSync(new Int32Array(4))

/** 32-bit words of a hash. */
export const hashWords = 4

/** Odd multipliers with well spread bits. */
const [p, q, r, s] = [0x9e3779b1, 0x85ebca77, 0xc2b2ae3d, 0x27d4eb2f] as const

/** Computes hashes of keys; the last one is in `a` to `d`. */
export class KeyHash {
  /** The last hash, as signed 32-bit words. */
  a = 0
  b = 0
  c = 0
  d = 0
  readonly #seed: Int32Array

  constructor(seed = seriesSeed) {
    this.#seed = seed
  }

  /** Loads hash `i` of an array made by `hashKeys`. */
  take(hashes: Int32Array, i: number): void {
    this.a = hashes[i * hashWords]!
    this.b = hashes[i * hashWords + 1]!
    this.c = hashes[i * hashWords + 2]!
    this.d = hashes[i * hashWords + 3]!
  }

  /** Mixes a salt into the hash, so that equal keys of different scopes differ. */
  mix(salt: Readonly<Int32Array>): void {
    this.a ^= salt[0]!
    this.b ^= salt[1]!
    this.c ^= salt[2]!
    this.d ^= salt[3]!
  }

  /**
   * Hashes the bytes: four 32-bit lanes take a word each and mix with their neighbours. Every step is invertible, so no information is lost on the
   * way.
   */
  of(bytes: DataView, start: number, end: number): void {
    const seed = this.#seed
    let a = seed[0]! ^ (end - start)
    let b = seed[1]!
    let c = seed[2]!
    let d = seed[3]!
    // The last 16 bytes overlap the ones before; the length, mixed into `a`, tells by how much.
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

/** The hash of a text, to be used as a salt. */
export function saltOf(text: string): Int32Array {
  const bytes = Buffer.from(text)
  const hash = new KeyHash()
  hash.of(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), 0, bytes.byteLength)
  return Int32Array.of(hash.a, hash.b, hash.c, hash.d)
}

/** Writes the hashes of all keys into `hashes`, `hashWords` words each. */
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
