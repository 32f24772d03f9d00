// A Bloom filter in blocks of 32 bytes: an entry sets one bit in each word of one block, so that a look costs one line of memory.
import type { HashSet } from './hash-set.ts'

/** 32-bit words of a block. */
export const blockWords = 8
export const blockBytes = blockWords * 4

const salts = Uint32Array.of(
  0x47b6137b,
  0x44974d91,
  0x8824ad5b,
  0xa2b7289d,
  0x705495c7,
  0x2df1424b,
  0x9efc4947,
  0x5c6bfb31
)

/** Some blocks get more than their share, which costs more than others win: so much room makes up for it. */
const unevenness = 1.2

/** Blocks for so many different entries when at most this share of the others may look present; 0 when there is none. */
export function blocksFor(entries: number, falsePositiveRate: number): number {
  if (entries === 0) return 0
  const rate = Math.min(Math.max(falsePositiveRate, 1e-6), 0.9)
  const bitsPerEntry = -blockWords / Math.log(1 - rate ** (1 / blockWords))
  return Math.ceil((entries * bitsPerEntry * unevenness) / (blockBytes * 8))
}

/** Adds an entry, given as two halves of a hash, to the `blocks` blocks that begin at word `start`. */
function insert(words: Uint32Array, start: number, blocks: number, low: number, high: number): void {
  const at = start + blockOf(high, blocks) * blockWords
  for (let i = 0; i < blockWords; i++) words[at + i]! |= 1 << (Math.imul(low, salts[i]!) >>> 27)
}

/** False only when the entry was never added. */
export function mayHold(words: Uint32Array, start: number, blocks: number, low: number, high: number): boolean {
  if (blocks === 0) return false
  const at = start + blockOf(high, blocks) * blockWords
  for (let i = 0; i < blockWords; i++) {
    if ((words[at + i]! & (1 << (Math.imul(low, salts[i]!) >>> 27))) === 0) return false
  }
  return true
}

function blockOf(high: number, blocks: number): number {
  return Math.floor(((high >>> 0) / 2 ** 32) * blocks)
}

/** A filter of all entries, just large enough for the rate. */
export function filterOf(entries: HashSet, falsePositiveRate: number): Uint32Array {
  const blocks = blocksFor(entries.size, falsePositiveRate)
  const words = new Uint32Array(blocks * blockWords)
  entries.each((low, high) => insert(words, 0, blocks, low, high))
  return words
}
