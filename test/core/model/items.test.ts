import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { cell, type Item, ItemBatch, type ItemValue, itemState, Timestamp } from '../../../core/index.ts'

t.test('a batch gives back the items it was made of', async t => {
  const items: Item[] = [
    { text: 'é', integer: -5n, float: 1.5, yes: true, no: false, nothing: null },
    { text: '', at: new Timestamp(-1n), list: [1n, 'x'], object: { a: null } },
    {}
  ]
  const batch = ItemBatch.from(items)
  t.equal(batch.rows, 3)
  t.same(
    [0, 1, 2].map(row => batch.item(row)),
    items
  )
  t.equal(batch.get(batch.getOrCreateField('text'), 2), undefined)
  t.strictSame([...batch.fields.keys()].slice(0, 2), ['text', 'integer'])
})

t.test('integers keep all 64 bits, with and without a bigint', async t => {
  const batch = new ItemBatch(1)
  const field = batch.getOrCreateField('n')
  const through = (value: bigint) => {
    field.setInt(0, value)
    return batch.get(field, 0)
  }
  t.equal(through(9223372036854775807n), 9223372036854775807n)
  t.equal(through(-9223372036854775808n), -9223372036854775808n)
  fc.assert(
    fc.property(fc.maxSafeInteger(), value => {
      field.setSafeInt(0, value)
      assert.equal(batch.get(field, 0), BigInt(value))
    })
  )
})

t.test('a time from seconds and nanoseconds is exact', async () => {
  const batch = new ItemBatch(1)
  const field = batch.getOrCreateField('at')
  const seconds = fc.integer({ min: -9_214_560_000, max: 9_214_646_400 })
  fc.assert(
    fc.property(seconds, fc.integer({ min: 0, max: 999_999_999 }), (seconds, nanoseconds) => {
      field.setTime(0, seconds, nanoseconds)
      const value = batch.get(field, 0) as Timestamp
      assert.equal(value.ns, BigInt(seconds) * 1_000_000_000n + BigInt(nanoseconds))
    })
  )
})

t.test('text is a range of the bytes until something is appended behind them', async t => {
  const body = Buffer.from('hello world')
  const batch = new ItemBatch(2, body)
  batch.rows = 2
  const field = batch.getOrCreateField('word')
  field.setRange(0, 6, 11)
  t.equal(batch.bytes, body)
  batch.setText(field, 1, 'ünder')
  t.not(batch.bytes, body)
  t.strictSame([batch.text(field, 0), batch.text(field, 1)], ['world', 'ünder'])
  t.equal(body.toString(), 'hello world', 'the body itself is untouched')
})

t.test('a field is made once and absent where nothing was set', async t => {
  const batch = new ItemBatch(3)
  const field = batch.getOrCreateField('a')
  t.equal(batch.getOrCreateField('a'), field)
  t.equal(batch.field('b'), undefined)
  t.ok(field.kinds.every(kind => kind === cell.absent))
})

t.test('room for more items keeps what is there', async t => {
  const batch = ItemBatch.from([{ a: 'x', b: [1n] as ItemValue }, { a: 7n }])
  batch.fail(1, 'no')
  batch.reserve(100)
  batch.reserve(5)
  t.equal(batch.capacity, 100)
  batch.rows = 100
  batch.setText(batch.getOrCreateField('a'), 99, 'last')
  t.same(
    [batch.item(0), batch.item(1), batch.item(50), batch.item(99)],
    [{ a: 'x', b: [1n] }, { a: 7n }, {}, { a: 'last' }]
  )
  t.equal(batch.states[1], itemState.failed)
  t.equal(batch.getOrCreateField('new').kinds.length, 100)
})

t.test('items leave a batch with or without a reason', async t => {
  const batch = ItemBatch.from([{}, {}, {}])
  batch.positions = Uint32Array.of(0, 4, 7)
  batch.drop(0)
  batch.fail(1, 'too long')
  t.strictSame(
    [0, 1, 2].map(row => batch.isLive(row)),
    [false, false, true]
  )
  t.strictSame(batch.failures, [{ row: 1, message: 'too long' }])
  t.equal(batch.position(1), 4)
})

t.test('an item becomes several rows that remember it', async t => {
  const batch = ItemBatch.from([{ a: 1n }, { a: 2n }])
  batch.positions = Uint32Array.of(5, 6)
  const rows = Array.from({ length: 20 }, () => batch.addRow(1))
  t.same(rows.slice(0, 2), [2, 3])
  t.equal(batch.rows, 22)
  const again = batch.addRow(rows[19]!)
  t.same([batch.position(again), batch.origin(again), batch.position(0), batch.origin(0)], [6, 1, 5, 0])
  t.ok(batch.isLive(again))
  t.same({ ...batch.item(again) }, {})
  t.same({ ...batch.item(1) }, { a: 2n })
})
