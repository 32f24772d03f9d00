import fc from 'fast-check'
import t from 'tap'
import { add, isReset, subtract } from '../../../../plugins/promql/histogram/arithmetic.ts'
import { classicFraction, classicQuantile } from '../../../../plugins/promql/histogram/classic.ts'
import {
  bucketsOf,
  compact,
  customSchema,
  divide,
  equals,
  type Histogram,
  noBuckets,
  scale
} from '../../../../plugins/promql/histogram/histogram.ts'
import { readHistogram } from '../../../../plugins/promql/histogram/json.ts'
import { toSchema, widenZero } from '../../../../plugins/promql/histogram/layout.ts'
import { fractionOf, quantileOf, varianceOf } from '../../../../plugins/promql/histogram/quantile.ts'
import { histogramJson, histogramText } from '../../../../plugins/promql/histogram/text.ts'
import { trim } from '../../../../plugins/promql/histogram/trim.ts'
import { native } from '../source.ts'

function custom(bounds: readonly number[], counts: readonly number[]): Histogram {
  const whole = native(1, counts)
  return { ...whole, schema: customSchema, bounds }
}

t.test('buckets have bounds by their schema, negative ones mirrored, the zero bucket between', async t => {
  const h: Histogram = {
    ...native(3, [1, 2]),
    negative: { indexes: Int32Array.of(1), counts: Float64Array.of(4) },
    zeroThreshold: 0.25,
    zeroCount: 5
  }
  t.equal(histogramText(h), '{count:3, sum:3, [-2,-1):4, [-0.25,0.25]:5, (0.5,1]:1, (1,2]:2}')
  t.equal(histogramText({ ...native(1, [1]), schema: 1 }), '{count:1, sum:1, (0.7071067811865475,1]:1}')
  t.equal(histogramText(custom([1, 2], [1, 1, 1])), '{count:3, sum:1, [-Inf,1]:1, (1,2]:1, (2,+Inf]:1}')
  t.same(histogramJson(native(3, [1, 0, 2])), {
    count: '3',
    sum: '3',
    buckets: [
      [0, '0.5', '1', '1'],
      [0, '2', '4', '2']
    ]
  })
})

t.test('sums and differences meet in a common layout', async t => {
  const a = native(1, [1, 2])
  const b = { ...native(2, [3]), zeroThreshold: 0.6, zeroCount: 7 }
  t.equal(histogramText(add(a, a)!.result), '{count:6, sum:2, (0.5,1]:2, (1,2]:4}')
  t.equal(histogramText(compact(subtract(a, a)!.result)), '{count:0, sum:0}')
  t.equal(
    histogramText(add(a, b)!.result),
    '{count:6, sum:3, [-1,1]:11, (1,2]:2}',
    'a zero bucket that ends within a filled bucket takes it in'
  )
  const fine: Histogram = { ...native(1, [1, 1, 1, 1]), schema: 1 }
  t.equal(histogramText(add(fine, native(1, [1, 1]))!.result), '{count:6, sum:2, (0.5,1]:2, (1,2]:3, (2,4]:1}')
  const [left, right] = [custom([1, 2, 4], [1, 1, 1, 1]), custom([1, 4], [1, 1, 1])]
  const combined = add(left, right)!
  t.ok(combined.reconciled)
  t.equal(histogramText(combined.result), '{count:7, sum:2, [-Inf,1]:2, (1,4]:3, (4,+Inf]:2}')
  t.equal(add(a, left), undefined, 'exponential and custom buckets do not meet')
  t.ok(add({ ...a, hint: 'reset' }, { ...a, hint: 'no-reset' })!.collision)
})

const counts = fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 1, maxLength: 6 })
const any = fc
  .tuple(fc.integer({ min: -2, max: 3 }), counts, counts, fc.integer({ min: 0, max: 9 }))
  .map(([schema, positive, negative, zeroCount]): Histogram => {
    const buckets = (list: number[]) => ({ indexes: Int32Array.from(list.keys()), counts: Float64Array.from(list) })
    const all = [...positive, ...negative, zeroCount].reduce((sum, count) => sum + count, 0)
    const zero = { zeroThreshold: 0.001, zeroCount }
    return { ...native(all, []), schema, ...zero, count: all, positive: buckets(positive), negative: buckets(negative) }
  })

t.test('a sum is the same both ways round, and a difference undoes it', async t => {
  const property = fc.property(any, any, (a, b) => {
    const both = add(a, b)!.result
    const same = equals(both, add(b, a)!.result)
    const back = subtract(both, b)!.result
    return same && equals(compact(back), compact(toSchema(a, back.schema)))
  })
  t.doesNotThrow(() => fc.assert(property))
})

t.test('no change of layout changes how many observations there are', async t => {
  const total = (h: Histogram) => bucketsOf(h).reduce((sum, { count }) => sum + count, 0)
  const property = fc.property(
    any,
    fc.integer({ min: -4, max: 3 }),
    fc.double({ min: 0.001, max: 20, noNaN: true }),
    (h, schema, width) => total(toSchema(h, schema)) === h.count && total(widenZero(h, width)) === h.count
  )
  t.doesNotThrow(() => fc.assert(property))
})

t.test('a reset shows in any bucket, the count, the layout or the hint', async t => {
  const before = native(1, [1, 2])
  t.notOk(isReset(native(1, [1, 2]), before))
  t.notOk(isReset(native(1, [1, 2, 1]), before))
  t.ok(isReset(native(1, [2, 1]), before), 'a bucket has fewer')
  t.ok(isReset(native(1, [3]), before), 'a bucket is gone')
  t.ok(isReset({ ...native(1, [9, 9]), schema: 1 }, before), 'a finer schema')
  t.notOk(isReset(native(9, [1, 2], 'no-reset'), native(9, [8, 8])), 'the hint says that it was none')
  t.ok(isReset(native(9, [8, 8], 'reset'), before))
  t.ok(isReset(custom([1], [9, 9]), before), 'another kind')
  t.notOk(isReset(custom([1, 2], [1, 1, 2]), custom([1, 2], [1, 1, 1])))
})

t.test('quantiles ascend with q and lie within the buckets', async t => {
  const property = fc.property(
    any,
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc.double({ min: 0, max: 1, noNaN: true }),
    (h, p, q) => {
      if (h.count === 0) return Number.isNaN(quantileOf(p, h)[0])
      const [low, high] = [Math.min(p, q), Math.max(p, q)].map(each => quantileOf(each, h)[0]) as [number, number]
      const filled = bucketsOf(h).filter(({ count }) => count > 0)
      return (
        low <= high * (1 + Math.sign(high) * 1e-9) + 1e-12 &&
        low >= filled[0]!.lower - 1e-9 &&
        high <= filled.at(-1)!.upper + 1e-9
      )
    }
  )
  t.doesNotThrow(() => fc.assert(property))
  t.same(quantileOf(-1, native(1, [1]))[0], Number.NEGATIVE_INFINITY)
  t.same(quantileOf(2, native(1, [1]))[0], Number.POSITIVE_INFINITY)
  t.ok(Number.isNaN(quantileOf(Number.NaN, native(1, [1]))[0]))
  t.same(quantileOf(0.5, custom([10, 20], [0, 2, 2])), [20, undefined])
  t.same(quantileOf(0.25, custom([10, 20], [0, 2, 2])), [15, undefined], 'linear in custom buckets')
  t.same(quantileOf(1, custom([10, 20], [0, 2, 2])), [20, undefined], 'the last bucket has no end')
})

t.test('fractions are shares of all observations', async t => {
  const h = native(1, [1, 2, 1])
  t.equal(fractionOf(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, h)[0], 1)
  t.equal(fractionOf(1, 2, h)[0], 0.5)
  t.equal(fractionOf(2, 1, h)[0], 0)
  t.ok(Number.isNaN(fractionOf(Number.NaN, 1, h)[0]))
  t.ok(varianceOf(h) > 0)
})

t.test('trimming keeps what lies on one side, in part where a bucket is cut', async t => {
  const h = native(7, [2, 4, 2])
  t.match(histogramText(trim(h, 2, 'upper')), /^\{count:6, .*\(0\.5,1\]:2, \(1,2\]:4\}$/)
  t.match(histogramText(trim(h, 2, 'lower')), /^\{count:2, .*\(2,4\]:2\}$/)
  const upper = trim(h, Math.SQRT2, 'upper').count
  t.ok(Math.abs(upper - 4) < 1e-9, `half of a bucket: ${upper}`)
})

t.test('counts scale, and dividing by zero leaves no buckets', async t => {
  t.equal(histogramText(scale(native(2, [1, 2]), 2)), '{count:6, sum:4, (0.5,1]:2, (1,2]:4}')
  t.equal(scale(native(2, [1]), -1).hint, 'gauge')
  t.equal(histogramText(divide(native(2, [1]), 0)), '{count:+Inf, sum:+Inf}')
})

t.test('classic histograms: quantiles between bounds, made to ascend where they do not', async t => {
  const buckets = (...pairs: [number, number][]) => pairs.map(([upper, count]) => ({ upper, count }))
  const inf = Number.POSITIVE_INFINITY
  t.equal(classicQuantile(0.5, buckets([1, 10], [2, 30], [inf, 40])).value, 1.5)
  t.equal(classicQuantile(0.1, buckets([1, 10], [inf, 10])).value, 0.1)
  t.equal(classicQuantile(1, buckets([1, 10], [inf, 20])).value, 1)
  t.ok(Number.isNaN(classicQuantile(0.5, buckets([1, 10], [2, 30])).value), 'no bound at infinity')
  t.ok(Number.isNaN(classicQuantile(0.5, buckets([inf, 30])).value), 'one bucket alone')
  t.equal(classicQuantile(0.5, buckets([-1, 10], [inf, 10])).value, -1, 'a first bound below zero')
  const forced = classicQuantile(0.5, buckets([1, 10], [2, 5], [inf, 20]))
  t.match(forced.forced, { from: 2, to: 2, difference: 5 })
  t.equal(classicFraction(1, 2, buckets([1, 10], [2, 30], [inf, 40])), 0.5)
  t.ok(Number.isNaN(classicFraction(1, 2, buckets([1, 10]))))
})

t.test('a histogram is read as the metric table keeps it', async t => {
  const text = JSON.stringify({
    schema: 0,
    zero_threshold: 0.5,
    zero_count_i64: 1,
    count_i64: 4,
    sum: 2.5,
    positive_span_offsets: [1, 1],
    positive_span_lengths: [1, 2],
    positive_buckets_i64: [1, 1, 1],
    reset_hint: 3
  })
  const found = readHistogram(text)
  t.equal(histogramText(found), '{count:4, sum:2.5, [-0.5,0.5]:1, (1,2]:1, (4,8]:1, (8,16]:1}')
  t.equal(found.hint, 'gauge')
  t.same(found.negative, noBuckets)
})
