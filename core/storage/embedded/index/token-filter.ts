// From hashes to the words of a Bloom filter.

import { blocksFor, blockWords, insert } from './bloom.ts'
import type { HashSet } from './hash-set.ts'
import { addTokens } from './token.ts'

/** A filter of all entries, just large enough for the rate. */
export function filterOf(entries: HashSet, falsePositiveRate: number): Uint32Array {
  const blocks = blocksFor(entries.size, falsePositiveRate)
  const words = new Uint32Array(blocks * blockWords)
  entries.each((low, high) => insert(words, 0, blocks, low, high))
  return words
}

/** A filter of the tokens of UTF-8 text; `scratch` is cleared first. */
export function tokenFilter(text: Uint8Array, falsePositiveRate: number, scratch: HashSet): Uint32Array {
  scratch.clear()
  addTokens(text, scratch)
  return filterOf(scratch, falsePositiveRate)
}
