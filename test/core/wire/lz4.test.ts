import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import t from 'tap'
import { compressLz4 } from '../../../core/wire/lz4.ts'

/** Reads a frame by the format's description, for the test alone. */
function decompress(frame: Buffer): Buffer {
  assert.equal(frame.readUInt32LE(0), 0x184d2204)
  const blocks: Buffer[] = []
  let at = 7
  for (;;) {
    const word = frame.readUInt32LE(at)
    const size = word & 0x7fff_ffff
    at += 4
    if (word === 0) break
    const block = frame.subarray(at, at + size)
    blocks.push(word >>> 31 === 1 ? block : inflate(block))
    at += size
  }
  assert.equal(at, frame.length)
  return Buffer.concat(blocks)
}

function inflate(block: Buffer): Buffer {
  const out: number[] = []
  let at = 0
  const long = (half: number) => {
    let length = half
    if (half === 15) for (let byte = 255; byte === 255; length += byte) byte = block[at++]!
    return length
  }
  for (;;) {
    const token = block[at++]!
    const literals = long(token >> 4)
    for (const byte of block.subarray(at, at + literals)) out.push(byte)
    at += literals
    if (at >= block.length) {
      assert.equal(token & 15, 0)
      return Buffer.from(out)
    }
    const from = out.length - block.readUInt16LE(at)
    at += 2
    assert.ok(from >= 0 && from < out.length)
    const length = long(token & 15) + 4
    for (let i = 0; i < length; i++) out.push(out[from + i]!)
  }
}

const samples: Readonly<Record<string, Buffer>> = {
  nothing: Buffer.alloc(0),
  'one byte': Buffer.from('a'),
  'equal bytes': Buffer.alloc(100_000, 7),
  text: Buffer.from('the same line again and again\n'.repeat(3000)),
  noise: randomBytes(70_000),
  'several blocks': Buffer.concat([Buffer.alloc(5_000_000, 'abcdefg'), randomBytes(100)]),
  'a long way back': Buffer.concat([
    Buffer.from('once upon a time'),
    randomBytes(65_600),
    Buffer.from('once upon a time!!!!!')
  ])
}

t.test('a frame gives back what went in, and is smaller where there is something to find', async t => {
  for (const [name, bytes] of Object.entries(samples)) {
    const frame = Buffer.from(compressLz4(bytes))
    t.ok(decompress(frame).equals(bytes), name)
    t.ok(
      frame.length <= bytes.length + 11 + 4 * Math.ceil(bytes.length / (1 << 22)),
      `${name} grows by its frame at most`
    )
  }
  t.ok(compressLz4(samples['text']!).length < 1000)
})

t.test('any bytes come back', async () => {
  const few = fc.array(fc.constantFrom('a', 'ab', 'abc', 'xyzxyzxyz', '0'.repeat(40)), { maxLength: 60 })
  fc.assert(
    fc.property(
      fc.oneof(
        few.map(parts => Buffer.from(parts.join(''))),
        fc.uint8Array({ maxLength: 300 })
      ),
      bytes => {
        assert.ok(decompress(Buffer.from(compressLz4(bytes))).equals(Buffer.from(bytes)))
      }
    )
  )
})
