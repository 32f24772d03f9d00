import fc from 'fast-check'
import t from 'tap'
import { Pace } from '../../../../core/index.ts'
import { chooseBest } from '../../../../plugins/promql/engine/best.ts'
import type { Series } from '../../../../plugins/promql/engine/series.ts'

/** Members with a value at each step; undefined: none there. */
function membersOf(values: readonly (readonly (number | undefined)[])[]): Series[] {
  return values.map(
    each =>
      ({
        kinds: Uint8Array.from(each, value => (value === undefined ? 0 : 1)),
        values: Float64Array.from(each, value => value ?? 0)
      }) as unknown as Series
  )
}

const pace = new Pace(new AbortController())

const best = async (values: readonly number[], most: number, sign: 1 | -1 = 1) => {
  const choose = await chooseBest(pace, membersOf(values.map(value => [value])), Float64Array.of(most), sign)
  return Array.from(await choose(0))
}

t.test('the best come first, NaN last, as many as asked for', async t => {
  t.same(await best([3, Number.NaN, 5, 4], 2), [2, 3])
  t.same(await best([3, Number.NaN, 5, 4], 2, -1), [0, 3])
  t.same(await best([3, Number.NaN, 5, 4], 9), [2, 3, 0, 1])
  t.same(await best([3, 5], 0), [])
})

t.test('of equal values those stay that a heap would keep which takes them one by one', async t => {
  t.same(await best([1, 1, 1], 2), [0, 1])
  // 2 takes the place at the top, which is the first 1.
  t.same(await best([1, 1, 2], 2), [2, 1])
})

t.test('the values are those that sorting gives, many at once or step by step', async () => {
  const value = fc.oneof(fc.integer({ min: 0, max: 6 }), fc.constant(Number.NaN), fc.constant(undefined))
  const steps = 3
  const member = fc.array(value, { minLength: steps, maxLength: steps })
  await fc.assert(
    fc.asyncProperty(
      fc.array(member, { maxLength: 90 }),
      fc.integer({ min: 0, max: 80 }),
      fc.boolean(),
      async (values, most, up) => {
        const sign = up ? 1 : -1
        const choose = await chooseBest(pace, membersOf(values), new Float64Array(steps).fill(most), sign)
        for (let step = 0; step < steps; step++) {
          const there = values.map(each => each[step]).filter(each => each !== undefined)
          const sorted = there.sort((a, b) => {
            if (Number.isNaN(a) !== Number.isNaN(b)) return Number.isNaN(a) ? 1 : -1
            return Number.isNaN(a) ? 0 : sign * (b - a)
          })
          const chosen = Array.from(await choose(step))
          const found = chosen.map(place => values[place]![step]!)
          if (String(found) !== String(sorted.slice(0, most))) return false
          if (new Set(chosen).size !== found.length) return false
        }
        return true
      }
    )
  )
})
