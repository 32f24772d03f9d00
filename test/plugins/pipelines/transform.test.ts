import t from 'tap'
import { type ItemValue, type Table, Timestamp } from '../../../core/index.ts'
import { compile, now, rows, run } from './sample-run.ts'

const second = 1_000_000_000n

/** What one value becomes in a column of version 1, or the message of the failure. */
function coerced(type: string, value: ItemValue | undefined, more = ''): unknown {
  const text = `transform: [{ field: v, type: "${type}"${more} }]`
  try {
    return rows(text, [value === undefined ? {} : { v: value }])[0]!['v']
  } catch (error) {
    return (error as Error).message
  }
}

t.test('values convert to every column type', async t => {
  const cases: [string, ItemValue, unknown][] = [
    ['int8', 127n, 127],
    ['int16', '-32768', -32768],
    ['int32', 3.9, 3],
    ['INT32', true, 1],
    ['int64', '9223372036854775807', 9_223_372_036_854_775_807n],
    ['int64', -5n, -5n],
    ['int64', '-12', -12n],
    ['int64', -2.5, -2n],
    ['uint8', '+255', 255],
    ['uint32', 4_294_967_295n, 4_294_967_295],
    ['uint64', '18446744073709551615', 18_446_744_073_709_551_615n],
    ['uint64', 7n, 7n],
    ['float32', 0.5, 0.5],
    ['float64', 7n, 7],
    ['float64', '-1.5e3', -1500],
    ['float64', 'inf', Number.POSITIVE_INFINITY],
    ['float64', '.5', 0.5],
    ['float64', false, 0],
    ['boolean', 0n, false],
    ['boolean', -(2n ** 40n), true],
    ['boolean', 0.1, true],
    ['boolean', 'true', true],
    ['string', 'é→', 'é→'],
    ['string', 12n, '12'],
    ['string', 1, '1'],
    ['string', 1e21, '1000000000000000000000'],
    ['string', -2.5e-7, '-0.00000025'],
    ['string', true, 'true'],
    ['timestamp', new Timestamp(-1n), -1n],
    ['time, ms', new Timestamp(-1n), -1n],
    ['epoch, us', new Timestamp(1_999n), 1n],
    ['timestamp, s', new Timestamp(-5_000_000_001n), -6n],
    ['timestamp, second', new Timestamp(1_741_064_767_999_999_999n), 1_741_064_767n],
    ['timestamp, ms', 1_741_064_767_123n, 1_741_064_767_123n],
    ['json', { b: [1n], a: null }, '{"a":null,"b":[1]}']
  ]
  for (const [type, value, expected] of cases) t.equal(coerced(type, value), expected, `${type} from ${String(value)}`)
})

t.test('values that do not fit fail the item, or follow on_failure', async t => {
  const fits: [string, ItemValue][] = [
    ['int8', 128n],
    ['uint8', -1n],
    ['uint64', -1n],
    ['int32', ' 5'],
    ['int32', '5.0'],
    ['int64', '9223372036854775808'],
    ['int64', 1e300],
    ['uint64', '18446744073709551616'],
    ['float64', '1,5'],
    ['boolean', 'TRUE']
  ]
  const wrong = /^item 0: Column v: .* to \w+ \(transform\[0\] \(line 1\)\)$/
  for (const [type, value] of fits) {
    t.match(coerced(type, value), wrong, type)
    t.equal(coerced(type, value, ', on_failure: ignore'), null, type)
    const zero = type.includes('64') && type !== 'float64' ? 0n : type === 'boolean' ? false : 0
    t.equal(coerced(type, value, ', on_failure: default'), zero, type)
  }
  t.equal(coerced('int32', 'x', ', default: 7'), 7)
  t.equal(coerced('int64', 'x', ', default: 7'), 7n)
})

t.test('some conversions fail whatever on_failure says', async t => {
  const never: [string, ItemValue][] = [
    ['int32', new Timestamp(1n)],
    ['string', ['a']],
    ['string', new Timestamp(1n)],
    ['boolean', { a: 1n }],
    ['json', 'text'],
    ['timestamp', [1n]]
  ]
  for (const [type, value] of never)
    t.match(coerced(type, value, ', on_failure: ignore'), /^item 0: Column v: cannot|value not supported/)
  t.match(coerced('timestamp', '2025-01-01'), /string value not supported for a time/)
  t.match(coerced('timestamp', '2025-01-01', ', on_failure: default'), /string value not supported/)
  t.equal(coerced('timestamp', '2025-01-01', ', on_failure: ignore'), null)
})

t.test('null stays null, a missing field follows the default', async t => {
  t.equal(coerced('int32', null, ', default: 7'), null)
  t.equal(coerced('int32', undefined, ', default: 7'), 7)
  t.equal(coerced('string', undefined, ', default: "-"'), '-')
  t.equal(coerced('boolean', undefined, ', default: true'), true)
  t.equal(coerced('int32', undefined, ', on_failure: default'), null)
  t.equal(coerced('int32', undefined), null)
  t.match(coerced('timestamp', undefined, ', index: timestamp'), /Time index must be non null/)
  t.match(coerced('timestamp', null, ', index: timestamp, on_failure: default'), /Time index must be non null/)
  t.equal(coerced('timestamp, ms', undefined, ', index: timestamp, on_failure: default'), now / 1_000_000n)
})

t.test('version 1 writes exactly the listed columns, and adds a time index where none is', async t => {
  const text =
    'transform:\n  - { fields: ["b, c", a], type: string, tag: true }\n  - { field: n, type: int32, index: inverted }'
  t.same(run(text, [{ a: 'x', n: 1n, other: 5n }]).shown, [
    {
      table: 't',
      options: { append_mode: true },
      columns: ['c String tag', 'a String tag', 'n Int32', 'svc_timestamp TimestampNanosecond timestamp'],
      rows: [{ c: null, a: 'x', n: 1, svc_timestamp: now }]
    }
  ])
})

t.test('version 2 adds what no transform reads, by inference', async t => {
  const text = 'version: 2\ntransform:\n  - { field: a, type: int32 }\n  - { field: at, type: time, index: timestamp }'
  const at = new Timestamp(5n * second)
  const { shown } = run(text, [
    { a: '5', z: null, b: 'x', at },
    { at, j: [1n], c: 1.5, b: 'y' }
  ])
  t.same(shown[0]?.columns, ['a Int32', 'at TimestampNanosecond timestamp', 'b String', 'c Float64', 'j Json'])
  t.same(shown[0]?.rows, [
    { a: 5, at: 5n * second, b: 'x', c: null, j: null },
    { a: null, at: 5n * second, b: 'y', c: 1.5, j: '[1]' }
  ])
  t.throws(() => compile('version: 2\ntransform: [{ field: a, type: string }]'), /expected exactly one .* found 0/)
  t.throws(
    () =>
      run(text, [
        { at, v: 1n },
        { at, v: 'x' }
      ]),
    {
      message: 'item 1: Column datatype mismatch. For column: v, expected datatype: Int64, actual datatype: String'
    }
  )
})

t.test('a field that has the name of another field’s column writes into it', async t => {
  const text =
    'version: 2\ntransform:\n  - { field: "a, b", type: int64 }\n  - { field: at, type: time, index: timestamp }'
  const at = new Timestamp(1n)
  t.same(
    rows(text, [
      { at, a: 1n },
      { at, a: 1n, b: 2n }
    ]).map(row => row['b']),
    [1n, 2n]
  )
  t.throws(() => rows(text, [{ at, a: 1n, b: 'x' }]), /expected datatype: Int64, actual datatype: String/)
})

t.test('without a transform the one time field leads and the rest is inferred', async t => {
  const text = 'processors:\n  - epoch: { field: ts, resolution: s }'
  const { shown } = run(text, [{ z: true, ts: 5n, a: 'x' }])
  t.same(shown[0]?.columns, ['ts TimestampSecond timestamp', 'a String', 'z Boolean'])
  t.same(shown[0]?.rows, [{ ts: 5n, a: 'x', z: true }])
  t.throws(() => compile('processors: []'), /Exactly one time-related processor .* found 0/)
  t.throws(() => compile('processors:\n  - date: { fields: [a, b] }'), /found 2/)
  t.throws(() => compile('processors:\n  - date: { field: a, ignore_missing: true }'), /found 0/)
})

t.test('skipped items leave no trace in any column', async t => {
  const text = 'transform:\n  - { field: a, type: int32 }\n  - { field: b, type: int32 }'
  const result = run(
    text,
    [
      { a: '1', b: '1' },
      { a: 'x', b: '2' },
      { a: '3', b: 'y' },
      { a: '4', b: '4' }
    ],
    { skipError: true }
  )
  t.same(
    result.shown[0]?.rows.map(row => [row['a'], row['b']]),
    [
      [1, 1],
      [4, 4]
    ]
  )
  t.equal(result.skipped.count, 2)
  t.same(
    result.skipped.errors.map(error => error.index),
    [1, 2]
  )
  t.same(run(text, [{ a: 'x' }], { skipError: true }).writes, [])
})

t.test('indexes take their options with defaults filled in', async t => {
  const column = (index: string, type = 'string') => {
    const { transform } = compile(`transform: [{ field: a, type: ${type}, index: ${index} }]`)
    return transform.kind === 'listed' ? transform.columns[0] : undefined
  }
  t.same(column('inverted')?.index, { kind: 'inverted', options: {} })
  t.equal(column('tag')?.semantic, 'tag')
  t.same(column('{ type: skipping, options: { granularity: 100, type: bloom } }', 'int32')?.index, {
    kind: 'skipping',
    options: { granularity: '100', false_positive_rate: '0.01', type: 'BLOOM' }
  })
  t.same(column('{ type: fulltext, options: { analyzer: chinese, case_sensitive: "TRUE" } }')?.index?.options, {
    analyzer: 'Chinese',
    case_sensitive: 'true',
    backend: 'bloom',
    granularity: '10240',
    false_positive_rate: '0.01'
  })
  const wrong = [
    'btree',
    'constructor',
    '{ type: inverted, options: {} }',
    '{ type: fulltext, other: 1 }',
    '{ type: fulltext, options: { analyzer: Klingon } }',
    '{ type: fulltext, options: { constructor: x } }',
    '{ type: skipping, options: { granularity: 0 } }',
    '{ type: skipping, options: { false_positive_rate: 2 } }',
    '{ type: skipping, options: { granularity: [5] } }'
  ]
  for (const index of wrong) t.throws(() => column(index), { code: 'InvalidArguments' }, index)
  t.throws(() => column('fulltext', 'int32'), /transform\[0\] \(line 1\): a fulltext index needs a STRING column/)
})

t.test('wrong transforms are refused with their line', async t => {
  const wrong: [string, RegExp][] = [
    ['[5]', /must be a map/],
    ['[{ type: string }]', /field or fields is required/],
    ['[{ field: a }]', /type is required/],
    ['[{ field: a, type: text }]', /Failed to parse type: text/],
    ['[{ field: a, type: "time, min" }]', /unknown resolution/],
    ['[{ field: a, type: string }, { field: "b, a", type: string }]', /column a is defined twice/],
    ['[{ fields: [a, b], type: time, index: timestamp }]', /a time index has exactly one field/],
    [
      '[{ field: a, type: time, index: timestamp }, { field: b, type: time, index: timestamp }]',
      /at most one .* found 2/
    ],
    ['[{ field: a, type: int8, default: 300 }]', /default 300 does not fit/],
    ['[{ field: a, type: time, default: 3 }]', /default is not possible/],
    ['[{ field: a, type: int8, on_failure: panic }]', /on_failure must be ignore or default/],
    ['[{ field: a, type: int8, tag: yes }]', /tag must be true or false/]
  ]
  for (const [entries, message] of wrong) {
    t.throws(() => compile(`description: x\ntransform: ${entries}`), { code: 'InvalidArguments', message }, entries)
  }
  t.throws(() => compile('transform:\n  - { field: a, type: string }\n  - { field: b }'), /transform\[1\] \(line 3\): /)
})

t.test('in version 2 a column of the table keeps its type', async t => {
  const text = 'version: 2\ntransform: [{ field: at, type: time, index: timestamp }]'
  const table = {
    columns: [
      { name: 'v', type: 'Float64', semantic: 'field' },
      { name: 'k', type: 'String', semantic: 'tag' },
      { name: 'd', type: 'Date', semantic: 'field' }
    ]
  } as unknown as Table
  const at = new Timestamp(1n)
  const { shown } = run(
    text,
    [
      { at, v: 1n, k: 5n },
      { at, v: 1.5 }
    ],
    { existing: () => table }
  )
  t.same(shown[0]?.columns.slice(1), ['k String tag', 'v Float64'])
  t.same(
    shown[0]?.rows.map(row => row['v']),
    [1, 1.5]
  )
  t.throws(() => run(text, [{ at, d: 'x' }], { existing: () => table }), {
    message: 'item 0: Column datatype mismatch. For column: d, expected datatype: Date, actual datatype: String'
  })
})

t.test('an item that is skipped does not decide the type of a column', async t => {
  const text = 'version: 2\ntransform:\n  - { field: a, type: int32 }\n  - { field: at, type: time, index: timestamp }'
  const at = new Timestamp(1n)
  const items = [
    { at, a: 'x', v: 'text' },
    { at, a: '1', v: 1n },
    { at, a: '2', v: 2n, w: 'new' },
    { at, a: '3', v: 'text', w: 5n },
    { at, a: '4', w: 'last' }
  ]
  const { shown, skipped } = run(text, items, { skipError: true })
  t.same(
    shown[0]?.rows.map(({ a, v, w }) => [a, v, w]),
    [
      [1, 1n, null],
      [2, 2n, 'new'],
      [4, null, 'last']
    ]
  )
  t.same(
    skipped.errors.map(({ index }) => index),
    [0, 3]
  )
})
