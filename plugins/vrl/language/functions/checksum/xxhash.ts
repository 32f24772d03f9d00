// XXH32 and XXH64 with the seed 0.
import { avalanche64, cut, multiply, prime64, rotate } from './word.ts'

const [p1, p2, p3, p4, p5] = [0x9e3779b1, 0x85ebca77, 0xc2b2ae3d, 0x27d4eb2f, 0x165667b1]

/** `step` is called now and then. */
export function xxh32(bytes: Buffer, step: () => void): bigint {
  let at = 0
  let hash = p5
  if (bytes.length >= 16) {
    const lanes = [p1 + p2, p2, 0, -p1].map(lane => lane | 0)
    for (; at + 16 <= bytes.length; at += 16) {
      if (at % 4096 === 0) step()
      for (let i = 0; i < 4; i++)
        lanes[i] = Math.imul(rotateLeft(lanes[i]! + Math.imul(bytes.readInt32LE(at + i * 4), p2), 13), p1)
    }
    hash = rotateLeft(lanes[0]!, 1) + rotateLeft(lanes[1]!, 7) + rotateLeft(lanes[2]!, 12) + rotateLeft(lanes[3]!, 18)
  }
  hash = (hash + bytes.length) | 0
  for (; at + 4 <= bytes.length; at += 4)
    hash = Math.imul(rotateLeft(hash + Math.imul(bytes.readInt32LE(at), p3), 17), p4)
  for (; at < bytes.length; at++) hash = Math.imul(rotateLeft(hash + Math.imul(bytes[at]!, p5), 11), p1)
  hash = Math.imul(hash ^ (hash >>> 15), p2)
  hash = Math.imul(hash ^ (hash >>> 13), p3)
  return BigInt((hash ^ (hash >>> 16)) >>> 0)
}

function rotateLeft(value: number, by: number): number {
  return (value << by) | (value >>> (32 - by))
}

const [q1, q2, q3, q4, q5] = prime64

/** Unsigned. */
export function xxh64(bytes: Buffer, step: () => void): bigint {
  let at = 0
  let hash = q5
  if (bytes.length >= 32) {
    const lanes = [cut(q1 + q2), q2, 0n, cut(-q1)]
    for (; at + 32 <= bytes.length; at += 32) {
      if (at % 256 === 0) step()
      for (let i = 0; i < 4; i++) lanes[i] = round64(lanes[i]!, bytes.readBigUInt64LE(at + i * 8))
    }
    hash = cut(rotate(lanes[0]!, 1n) + rotate(lanes[1]!, 7n) + rotate(lanes[2]!, 12n) + rotate(lanes[3]!, 18n))
    for (const lane of lanes) hash = cut(multiply(hash ^ round64(0n, lane), q1) + q4)
  }
  hash = cut(hash + BigInt(bytes.length))
  for (; at + 8 <= bytes.length; at += 8)
    hash = cut(multiply(rotate(hash ^ round64(0n, bytes.readBigUInt64LE(at)), 27n), q1) + q4)
  if (at + 4 <= bytes.length) {
    hash = cut(multiply(rotate(hash ^ multiply(BigInt(bytes.readUInt32LE(at)), q1), 23n), q2) + q3)
    at += 4
  }
  for (; at < bytes.length; at++) hash = multiply(rotate(hash ^ multiply(BigInt(bytes[at]!), q5), 11n), q1)
  return avalanche64(hash)
}

function round64(lane: bigint, word: bigint): bigint {
  return multiply(rotate(cut(lane + multiply(word, q2)), 31n), q1)
}
