import t from 'tap'
import { type ItemValue, Timestamp } from '../../../../core/index.ts'
import { compile, processed } from '../sample-run.ts'

const epoch = (value: ItemValue, resolution: string) => {
  const result = processed(`  - epoch: { field: t, resolution: ${resolution} }`, { t: value })
  if (typeof result === 'string') return result
  return (result['t'] as Timestamp).ns
}

t.test('integers, floats and text become points in time', async t => {
  const cases: [ItemValue, string, bigint][] = [
    ['1741064767', 's', 1_741_064_767_000_000_000n],
    [1_741_064_767n, 'second', 1_741_064_767_000_000_000n],
    [1_741_064_767_123.9, 'ms', 1_741_064_767_123_000_000n],
    [-1n, 'milli', -1_000_000n],
    ['-1500', 'ms', -1_500_000_000n],
    [1_741_064_767_123_456n, 'us', 1_741_064_767_123_456_000n],
    [1_741_064_767_123_456_789n, 'ns', 1_741_064_767_123_456_789n],
    ['1741064767123456789', 'nano', 1_741_064_767_123_456_789n],
    ['+5', 'NS', 5n],
    [9_007_199_254_740_993n, 'us', 9_007_199_254_740_993_000n],
    [new Timestamp(42n), 's', 42n]
  ]
  for (const [value, resolution, expected] of cases)
    t.equal(epoch(value, resolution), expected, `${value} ${resolution}`)
})

t.test('an invalid time fails with its value', async t => {
  t.match(epoch('12.5', 's'), /^Processor epoch: not an integer: "12.5" in t \(processors\[0\]/)
  t.match(epoch('', 's'), /not an integer/)
  t.match(epoch(true, 's'), /expect number or its text in t, but got boolean "true"/)
  t.match(epoch(9_223_372_037n, 's'), /out of the range/)
  t.match(epoch('99999999999999999999999', 'ns'), /out of the range/)
  t.match(epoch(1e300, 's'), /out of the range/)
  t.match(epoch(null, 's'), /missing field: t/)
})

t.test('the resolution defaults to milliseconds and must be known', async t => {
  t.same(processed('  - epoch: { field: "t, at" }', { t: 1n }), { t: 1n, at: new Timestamp(1_000_000n) })
  t.throws(() => compile('processors:\n  - epoch: { field: t, resolution: min }'), /Invalid resolution: 'min'/)
  t.throws(() => compile('processors:\n  - epoch: { field: t, resolution: constructor }'), /Invalid resolution/)
})
