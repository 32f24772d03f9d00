// Keys of series in blocks: whatever their lengths, each is found as it was added.
import fc from 'fast-check'
import t from 'tap'
import { KeyStore } from '../../../core/storage/embedded/series/key-store.ts'
import { cases } from '../../property.ts'

const MiB = 2 ** 20

function keyOf(length: number, seed: number): Uint8Array {
  return Uint8Array.from({ length }, (_, i) => (i * 31 + seed * 7) & 255)
}

t.test('keys of all lengths are kept, at the edges of blocks, too', t => {
  const lengths = [0, 1, 60, 5, MiB - 80, 3, 4, MiB, 0, 2 * MiB + 1, 7, 3 * MiB, 9, MiB - 4, 4, 1, MiB + 1, MiB - 1, 2]
  const store = new KeyStore()
  const keys = lengths.map(keyOf)
  for (const key of keys) store.add(key, 0, key.length)
  t.equal(store.size, lengths.length)
  for (const [i, key] of keys.entries()) {
    t.ok(Buffer.from(key).equals(store.copy(i, i + 1).keys), `key ${i} of ${key.length} bytes`)
    t.equal(store.length(i), key.length)
    t.ok(store.equals(i, key, 0, key.length))
    if (key.length > 0) t.equal(store.block(i).view.getUint8(store.offset(i) + key.length - 1), key.at(-1))
  }
  const { keys: all, lengths: found } = store.copy(2, 12)
  t.strictSame([...found], lengths.slice(2, 12))
  t.ok(Buffer.concat(keys.slice(2, 12)).equals(all), 'several, one behind the other')
  t.end()
})

t.test('random keys', t => {
  const lengths = fc.array(fc.oneof(fc.nat(300), fc.nat(100_000), fc.integer({ min: MiB - 9, max: MiB + 9 })), {
    maxLength: 60
  })
  fc.assert(
    fc.property(lengths, lengths => {
      const store = new KeyStore()
      const keys = lengths.map(keyOf)
      for (const key of keys) {
        const around = Buffer.concat([Uint8Array.of(1, 2, 3), key, Uint8Array.of(4)])
        store.add(around, 3, 3 + key.length)
      }
      return (
        keys.every(
          (key, i) => Buffer.from(key).equals(store.copy(i, i + 1).keys) && store.equals(i, key, 0, key.length)
        ) && Buffer.concat(keys).equals(store.copy(0, keys.length).keys)
      )
    }),
    cases(20)
  )
  t.end()
})
