import fc from 'fast-check'
import t from 'tap'
import { HashSlots } from '../../../core/storage/hash-slots.ts'

function found(slots: HashSlots, hash: number): number[] {
  const numbers = new Set<number>()
  for (let number = slots.find(hash); number >= 0; number = slots.next()) numbers.add(number)
  return [...numbers].sort((a, b) => a - b)
}

t.test(
  'numbers are found by their hashes after each one that is added, however many share a hash or a slot',
  async t => {
    // Few hashes, and many that differ only above the bits that choose a slot.
    const hash = fc.oneof(
      fc.integer({ min: 0, max: 5 }),
      fc.integer(),
      fc.nat(300).map(high => high << 20)
    )
    fc.assert(
      fc.property(fc.array(hash, { maxLength: 300 }), hashes => {
        const slots = new HashSlots()
        const model = new Map<number, number[]>()
        for (const [number, each] of hashes.entries()) {
          slots.add(each, number)
          model.set(each, [...(model.get(each) ?? []), number])
          // While the table grows, its numbers lie in two of them.
          for (const [one, numbers] of model)
            if (String(found(slots, one)) !== String(numbers)) throw new Error(`hash ${one}`)
        }
      }),
      { numRuns: 30 }
    )
    t.strictSame(found(new HashSlots(), 0), [])
  }
)

t.test('hashes without a sign are the same as with it', async t => {
  const slots = new HashSlots()
  slots.add(0xffffffff, 7)
  t.strictSame(found(slots, -1), [7])
  t.strictSame(found(slots, 0xffffffff), [7])
})

t.test('a hundred thousand numbers are found, and no others', async t => {
  const slots = new HashSlots()
  const many = 100_000
  const hash = (i: number) => Math.imul(i, 0x9e3779b1)
  for (let i = 0; i < many; i++) slots.add(hash(i), i)
  let missing = 0
  for (let i = 0; i < many; i++) if (slots.find(hash(i)) !== i) missing++
  t.equal(missing, 0)
  let others = 0
  for (let i = many; i < 2 * many; i++) if (slots.find(hash(i)) >= 0) others++
  t.equal(others, 0)
})
