import fc from 'fast-check'
import t from 'tap'
import { DbError } from '../../../core/errors.ts'
import { decodeSnappy, encodeSnappy, snappyLength, snappySlack } from '../../../core/wire/snappy.ts'

function decode(block: Uint8Array): Buffer {
  const out = new Uint8Array(snappyLength(block) + snappySlack)
  return Buffer.from(out.subarray(0, decodeSnappy(block, out)))
}

/** Texts that repeat themselves at all distances. */
const texts = fc
  .array(fc.oneof(fc.string({ maxLength: 90 }), fc.constantFrom('a', 'ab', 'abcdefgh', 'x'.repeat(300))), {
    maxLength: 60
  })
  .map(parts => Buffer.from(parts.join('').repeat(3)))

t.test('encoded bytes are decoded', async t => {
  fc.assert(fc.property(texts, bytes => decode(encodeSnappy(bytes)).equals(bytes)))
  const long = Buffer.from(Array.from({ length: 300_000 }, (_, i) => `usage{host="host_${i % 977}"} ${i}`).join(','))
  t.ok(decode(encodeSnappy(long)).equals(long))
  t.ok(encodeSnappy(long).length < long.length / 2)
  t.equal(decode(Uint8Array.of(0)).length, 0)
})

t.test('every kind of element is read', async t => {
  // Literal, copy of one-byte, two-byte and four-byte offset, literals with a length of one to four bytes, a copy of what it writes.
  t.equal(decode(Uint8Array.of(8, 3 << 2, ...Buffer.from('abcd'), 1, 4)).toString(), 'abcdabcd')
  t.equal(decode(Uint8Array.of(8, 3 << 2, ...Buffer.from('abcd'), (3 << 2) | 2, 4, 0)).toString(), 'abcdabcd')
  t.equal(decode(Uint8Array.of(8, 3 << 2, ...Buffer.from('abcd'), (3 << 2) | 3, 4, 0, 0, 0)).toString(), 'abcdabcd')
  t.equal(decode(Uint8Array.of(10, 0, 97, (8 << 2) | 2, 1, 0)).toString(), 'aaaaaaaaaa')
  t.equal(decode(Uint8Array.of(15, 4 << 2, ...Buffer.from('abcde'), (9 << 2) | 2, 5, 0)).toString(), 'abcdeabcdeabcde')
  for (const [tag, extra] of [
    [60, [2]],
    [61, [2, 0]],
    [62, [2, 0, 0]],
    [63, [2, 0, 0, 0]]
  ] as const) {
    t.equal(decode(Uint8Array.of(3, tag << 2, ...extra, ...Buffer.from('xyz'))).toString(), 'xyz')
  }
})

t.test('damage is named and nothing is written beyond the length', async t => {
  const cases: readonly [number[], RegExp][] = [
    [[], /length/],
    [[255, 255, 255, 255, 255, 255], /length/],
    [[5, 4 << 2, 97], /inside a literal/],
    [[2, 3 << 2, 97, 97, 97, 97], /beyond the length/],
    [[8, 0, 97, 1, 2], /reaches 2 bytes back/],
    [[8, 0, 97, 1, 0], /reaches 0 bytes back/],
    [[8, 0, 97, (63 << 2) | 2, 1, 0], /beyond the length/],
    [[8, 0, 97, 2, 1], /inside a copy/],
    [[4, 63 << 2, 1], /length of a literal/],
    [[9, 0, 97], /holds 1 bytes instead of the 9/]
  ]
  for (const [bytes, message] of cases)
    t.throws(() => decode(Uint8Array.from(bytes)), { code: 'InvalidArguments', message })
})

t.test('random bytes are decoded or refused, within the memory that was lent', async () => {
  const damaged = fc.oneof(
    fc.uint8Array({ maxLength: 60 }),
    fc.tuple(texts, fc.nat(), fc.nat(255)).map(([bytes, at, byte]) => {
      const block = encodeSnappy(bytes).slice()
      block[at % block.length] = byte
      return block
    })
  )
  fc.assert(
    fc.property(damaged, block => {
      let length: number
      try {
        length = snappyLength(block)
      } catch (error) {
        return error instanceof DbError
      }
      if (length > 1 << 20) return true
      const memory = new Uint8Array(length + snappySlack + 8).fill(7)
      try {
        decodeSnappy(block, memory.subarray(0, length + snappySlack))
      } catch (error) {
        if (!(error instanceof DbError)) return false
      }
      return memory.subarray(length + snappySlack).every(byte => byte === 7)
    }),
    { numRuns: 2000 }
  )
})
