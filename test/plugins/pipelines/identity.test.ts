import t from 'tap'
import { type Item, ItemBatch, type Table, Timestamp } from '../../../core/index.ts'
import { parseTimeIndex } from '../../../plugins/pipelines/column/time-index.ts'
import type { Identity } from '../../../plugins/pipelines/pipeline.ts'
import { runPipeline } from '../../../plugins/pipelines/run/run.ts'
import { identity, now, rows, run, settings } from './sample-run.ts'

const timed = (text: string, lenientTime = false): Identity => ({
  ...identity,
  lenientTime,
  timeIndex: parseTimeIndex(text)
})

t.test('every field becomes a column, the time of arrival comes first', async t => {
  const { shown } = run(identity, [
    { u: { id: 5n, r: ['x'] }, ok: true, n: null },
    { z: 1.5, a: 'new', ok: false }
  ])
  t.same(shown[0], {
    table: 't',
    options: { append_mode: true },
    columns: [
      'svc_timestamp TimestampNanosecond timestamp',
      'ok Boolean',
      'u.id Int64',
      'u.r String',
      'a String',
      'z Float64'
    ],
    rows: [
      { svc_timestamp: now, ok: true, 'u.id': 5n, 'u.r': '["x"]', a: null, z: null },
      { svc_timestamp: now, ok: false, 'u.id': null, 'u.r': null, a: 'new', z: 1.5 }
    ]
  })
})

t.test('nesting is flattened to a depth, what lies deeper becomes text', async t => {
  const item = (): Item => ({ a: { b: { c: { d: 1n } } }, e: {}, l: [{ k: 1n }] })
  const columns = (maxNestedLevels: number) => rows({ ...identity, maxNestedLevels }, [item()])[0]
  t.same(columns(10), { svc_timestamp: now, 'a.b.c.d': 1n, l: '[{"k":1}]' })
  t.same(columns(2), { svc_timestamp: now, 'a.b': '{"c":{"d":1}}', l: '[{"k":1}]' })
  t.same(columns(1), { svc_timestamp: now, a: '{"b":{"c":{"d":1}}}', e: '{}', l: '[{"k":1}]' })
  t.same(rows(identity, [{ a: { b: 1n }, 'a.b': 2n }])[0], { svc_timestamp: now, 'a.b': 2n })
})

t.test('types must agree within a request', async t => {
  t.throws(() => run(identity, [{ v: 1n }, { v: 1.5 }]), {
    code: 'InvalidArguments',
    message: 'item 1: Column datatype mismatch. For column: v, expected datatype: Int64, actual datatype: Float64'
  })
  const { shown, skipped } = run(identity, [{ v: 1n }, { v: 1.5 }, { v: 2n }], { skipError: true })
  t.same(
    shown[0]?.rows.map(row => row['v']),
    [1n, 2n]
  )
  t.equal(skipped.count, 1)
})

t.test('types must agree with the table, too, and a value that does not takes only its item along', async t => {
  const columns = [
    { name: 'at', type: 'TimestampSecond', semantic: 'timestamp' },
    { name: 'v', type: 'Int64', semantic: 'field' },
    { name: 'small', type: 'Int8', semantic: 'field' }
  ]
  const existing = () => ({ columns }) as unknown as Table
  const items = [{ v: 'x' }, { v: 2n }, { small: 300n }, { at: 5n, v: null }]
  t.throws(() => run(identity, items, { existing }), {
    message: 'item 0: Column datatype mismatch. For column: v, expected datatype: Int64, actual datatype: String'
  })
  const { shown, skipped } = run(identity, items, { existing, skipError: true })
  t.same(shown[0]?.rows, [
    { svc_timestamp: now, v: 2n, at: null },
    { svc_timestamp: now, v: null, at: 5n }
  ])
  t.match(skipped, {
    count: 2,
    errors: [{ index: 0 }, { index: 2, message: /expected datatype: Int8, actual datatype: Int64/ }]
  })
})

t.test('a field whose name no column can have fails its item', async t => {
  const items = [{ '': 1n }, { v: 2n }, { ['é'.repeat(128)]: 3n }, { 'a\0': 4n }, { v: 5n, '': null }]
  t.throws(() => run(identity, items), { message: 'item 0: the name of a column is empty' })
  const { shown, skipped } = run(identity, items, { skipError: true })
  t.same(shown[0]?.rows, [
    { svc_timestamp: now, v: 2n },
    { svc_timestamp: now, v: 5n }
  ])
  t.match(skipped, {
    count: 3,
    errors: [{ index: 0 }, { index: 2, message: /has 256 bytes/ }, { index: 3, message: /NUL/ }]
  })
})

t.test('an item with more keys than a table may have columns fails alone', async t => {
  const wide = (n: number): Item => Object.fromEntries(Array.from({ length: n }, (_, i) => [`k${i}`, 1n]))
  const items = [{ a: 1n }, wide(2100), { b: 2n }]
  const message = /table t would have more than 2000 columns \(limits.max_columns\)/
  t.throws(() => run(identity, items), { message: /^item 1: / })
  const { shown, skipped } = run(identity, items, { skipError: true })
  t.match(skipped, { count: 1, errors: [{ index: 1, message }] })
  t.same(shown[0]?.rows, [
    { svc_timestamp: now, a: 1n, b: null },
    { svc_timestamp: now, a: null, b: 2n }
  ])
})

t.test('a field called like the time index is ignored', async t => {
  t.same(rows(identity, [{ svc_timestamp: 'x', a: 1n }]), [{ svc_timestamp: now, a: 1n }])
})

t.test('a field of the items can be the time index', async t => {
  const { shown } = run(timed('ts;epoch;s'), [
    { b: 1n, ts: 5n },
    { b: 2n, ts: '6' },
    { b: 3n, ts: new Timestamp(7_999_999_999n) }
  ])
  t.same(shown[0]?.columns, ['ts TimestampSecond timestamp', 'b Int64'])
  t.same(
    shown[0]?.rows.map(row => row['ts']),
    [5n, 6n, 7n]
  )
  const text = timed('at;datestr;%Y-%m-%d %H:%M:%S%z')
  t.same(rows(text, [{ at: '2025-03-04 06:06:07+0100' }]), [{ at: 1_741_064_767_000_000_000n }])
})

t.test('an unusable time fails the item, or becomes the current time', async t => {
  for (const item of [{}, { ts: 'x' }, { ts: null }, { ts: 1.5 }] as Item[]) {
    t.throws(() => run(timed('ts;epoch;ms'), [item]), /item 0: time index field ts: /)
    t.same(rows(timed('ts;epoch;ms', true), [item]), [{ ts: now / 1_000_000n }])
  }
  t.throws(() => run(timed('ts;datestr;%s'), [{ ts: 5n }]), /expected text, got integer/)
})

t.test('the setting of the time index is checked', async t => {
  for (const text of [
    'ts',
    'ts;epoch',
    'ts;epoch;s;x',
    ';epoch;s',
    'ts;epoch;min',
    'ts;text;s',
    'ts;datestr;%Y-%m-%d',
    'ts;datestr;%Q%z'
  ]) {
    t.throws(
      () => parseTimeIndex(text),
      { code: 'InvalidArguments', message: /Invalid custom time index config/ },
      text
    )
  }
})

t.test('tags of the table stay tags', async t => {
  const columns = [{ name: 'host', type: 'String', semantic: 'tag' }]
  const table = { columns } as unknown as Table
  const { shown } = run(identity, [{ host: 'a', v: 1n }], { existing: () => table })
  t.same(shown[0]?.columns.slice(1), ['host String tag', 'v Int64'])
})

t.test('items that failed before the run fail it, or are reported', async t => {
  const broken = () => {
    const batch = ItemBatch.from([{ a: 1n }, { a: 2n }])
    batch.positions = Uint32Array.of(4, 7)
    batch.fail(1, 'invalid JSON')
    return batch
  }
  t.throws(() => runPipeline(identity, broken(), settings()), { message: 'item 7: invalid JSON' })
  for (const lenient of [{ skipError: true }, { ignoreErrors: true }]) {
    const result = runPipeline(identity, broken(), settings(lenient))
    t.equal(result.writes[0]?.rows, 1)
    t.same(result.skipped, { count: 1, errors: [{ index: 7, message: 'invalid JSON' }] })
  }
})

t.test('nested keys that would fill the memory are refused', async t => {
  const items = Array.from({ length: 3000 }, (_, i): Item => {
    const nested: Item = {}
    for (let k = 0; k < 10; k++) nested[`${i}-${k}`] = 1n
    return { nested }
  })
  t.throws(() => run(identity, items, { skipError: true }), {
    code: 'InvalidArguments',
    message: /too many cells: \d+ keys × 3000 items, at most are 4096 keys and 33554432 cells/
  })
})
