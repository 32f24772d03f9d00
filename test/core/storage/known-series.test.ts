import t from 'tap'
import type { SeriesKeys } from '../../../core/model/series.ts'
import { hashKeys, hashWords, KeyHash, seriesSeed } from '../../../core/model/series-hash.ts'
import { runAtOnce } from '../../../core/pace.ts'
import { KeyIndex } from '../../../core/storage/key-index.ts'

function keysOf(texts: readonly string[], before = 0): SeriesKeys {
  const starts = new Uint32Array(texts.length)
  const ends = new Uint32Array(texts.length)
  let at = before
  for (const [i, text] of texts.entries()) {
    starts[i] = at
    at += Buffer.byteLength(text)
    ends[i] = at
  }
  return { count: texts.length, bytes: Buffer.from(' '.repeat(before) + texts.join('')), starts, ends }
}

const none = (count: number) => ({ targets: new Uint32Array(count), tsids: new Uint32Array(count) })

t.test('keys are known by their bytes, wherever they lie', async t => {
  const texts = Array.from({ length: 30_000 }, (_, i) => `${'x'.repeat(i % 40)}host_${i},${i % 2 ? 'a' : 'b'}`)
  const keys = keysOf(texts)
  const index = new KeyIndex()
  t.equal(runAtOnce(index.find(keys, none(texts.length))).length, texts.length)
  const view = new DataView(keys.bytes.buffer, keys.bytes.byteOffset, keys.bytes.length)
  for (let i = 0; i < texts.length; i++) index.add(keys, view, i, i % 3, i * 2)
  index.add(keys, view, 0, 0, 0)
  t.equal(index.size, texts.length)
  const found = none(texts.length)
  t.same(runAtOnce(index.find(keysOf(texts, 3), found)), [])
  t.ok(found.tsids.every((tsid, i) => tsid === i * 2))
  t.ok(found.targets.every((target, i) => target === i % 3))
  t.same(runAtOnce(index.find(keysOf(['', 'host_1', texts[7]!.slice(1), `${texts[7]} `]), none(4))), [0, 1, 2, 3])
})

t.test('keys are found in any order, with hashes made before and without', async t => {
  const texts = Array.from({ length: 5_000 }, (_, i) => `series ${i}`)
  const keys = keysOf(texts)
  const index = new KeyIndex()
  const view = new DataView(keys.bytes.buffer, keys.bytes.byteOffset, keys.bytes.length)
  for (let i = 0; i < texts.length; i += 2) index.add(keys, view, i, 1, i)
  const orders = [texts, [...texts].reverse(), texts.map((_, i) => texts[(i * 7919) % texts.length]!), texts]
  for (const order of orders) {
    const asked = keysOf(order)
    const hashes = new Int32Array(asked.count * hashWords)
    hashKeys(asked, hashes, seriesSeed)
    for (const each of [asked, { ...asked, hashes }]) {
      const found = none(order.length)
      const unknown = new Set(runAtOnce(index.find(each, found)))
      const wrong = order.filter((text, i) => {
        const number = Number(text.slice(7))
        return number % 2 === 0 ? unknown.has(i) || found.tsids[i] !== number : !unknown.has(i)
      })
      t.same(wrong, [])
    }
  }
})

t.test('half of the hash tells two million keys apart that differ in little', async t => {
  const hash = new KeyHash()
  const bytes = Buffer.alloc(64, 'a')
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const halves = [new Set<bigint>(), new Set<bigint>()]
  let count = 0
  const add = (end: number) => {
    hash.of(view, 0, end)
    halves[0]!.add((BigInt(hash.a) << 32n) ^ BigInt(hash.b >>> 0))
    halves[1]!.add((BigInt(hash.c) << 32n) ^ BigInt(hash.d >>> 0))
    count++
  }
  for (const [first, second] of [
    [3, 5],
    [0, 40],
    [15, 16],
    [30, 62],
    [20, 36]
  ] as const) {
    bytes.fill('a')
    for (let i = 0; i < 200; i++) {
      for (let j = 0; j < 200; j++) {
        bytes[first] = i
        bytes[second] = j
        if (i !== 97 || j !== 97) add(64)
      }
    }
  }
  bytes.fill(0)
  for (let end = 0; end <= 64; end++) add(end)
  t.same(
    halves.map(half => half.size),
    [count, count]
  )
})
