// Columns made of JavaScript values.
import t from 'tap'
import { columnOf } from '../../../core/compute.ts'

t.test('a column has a value for each row, and null for undefined', async t => {
  t.strictSame(columnOf('n', 'field', 'Int16', [1, undefined, -3n]), {
    name: 'n',
    type: 'Int16',
    semantic: 'field',
    data: { kind: 'fixed', values: Int16Array.of(1, 0, -3), valid: Uint8Array.of(0xfd) }
  })
  t.strictSame(columnOf('b', 'field', 'Boolean', [true, false]).data, { kind: 'fixed', values: Uint8Array.of(1, 0) })
  t.strictSame(columnOf('f', 'field', 'Float64', [0.5, Number.NaN]).data, {
    kind: 'fixed',
    values: Float64Array.of(0.5, Number.NaN)
  })
  t.strictSame(columnOf('at', 'timestamp', 'TimestampNanosecond', [5, 7n]).data, {
    kind: 'fixed',
    values: BigInt64Array.of(5n, 7n)
  })
  t.strictSame(columnOf('s', 'tag', 'String', ['a', undefined, 'bc']).data, {
    kind: 'bytes',
    offsets: Uint32Array.of(0, 1, 1, 3),
    bytes: Buffer.from('abc'),
    valid: Uint8Array.of(0xfd)
  })
})

t.test('a number that the type cannot hold is an error that names column, row and type', async t => {
  const wrong = (type: 'Int8' | 'UInt32' | 'UInt64' | 'Int64', value: number | bigint) =>
    t.throws(() => columnOf('n', 'field', type, [0, value]), {
      code: 'InvalidArguments',
      message: `column n: ${value} in row 2 is not a valid ${type}`
    })
  wrong('Int8', 128)
  wrong('UInt32', 1.5)
  wrong('UInt64', -1n)
  wrong('Int64', 0.5)
  wrong('Int64', Number.NaN)
  wrong('Int64', 2n ** 63n)
  t.strictSame(columnOf('n', 'field', 'Float32', [0.1]).data, { kind: 'fixed', values: Float32Array.of(0.1) })
})
