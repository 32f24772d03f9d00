import t from 'tap'
import { type Column, checkGrowth, createGrowth, internalContext, type TableWrite } from '../../../core/index.ts'
import { startServer } from '../../helpers.ts'

const limits = {
  tables: { most: 2, key: 'most.tables' },
  columns: { most: 3, key: 'most.columns' },
  series: { most: 3, key: 'most.series' }
}

/** Rows with one tag of texts that repeat or are missing, or of numbers. */
function rowsOf(table: string, tags: readonly (string | undefined)[] | BigInt64Array): TableWrite {
  const rows = tags.length
  const time = { kind: 'fixed', values: BigInt64Array.from({ length: rows }, (_, i) => BigInt(i)) } as const
  const tag: Column =
    tags instanceof BigInt64Array
      ? { name: 'tag', type: 'Int64', semantic: 'tag', data: { kind: 'fixed', values: tags } }
      : { name: 'tag', type: 'String', semantic: 'tag', data: texts(tags) }
  return {
    table,
    rows,
    columns: [{ name: 'at', type: 'TimestampMillisecond', semantic: 'timestamp', data: time }, tag]
  }
}

function texts(values: readonly (string | undefined)[]) {
  const known = [...new Set(values.map(value => value ?? ''))]
  const bytes = Buffer.from(known.join(''))
  const offsets = Uint32Array.from([0, ...known.map((_, i) => known.slice(0, i + 1).join('').length)])
  const valid = new Uint8Array((values.length + 7) >> 3)
  for (const [i, value] of values.entries()) if (value !== undefined) valid[i >> 3]! |= 1 << (i & 7)
  const codes = Uint32Array.from(values, value => known.indexOf(value ?? ''))
  return { kind: 'dictionary', codes, dictionary: { kind: 'bytes', offsets, bytes }, valid } as const
}

t.test('writes of columns count their different tags, with what the table has, over all of a request', async t => {
  const { core } = await startServer(t)
  const { store } = core
  const check = (...writes: TableWrite[]) => checkGrowth(store, 'public', writes, limits)
  const write = (...writes: TableWrite[]) => store.write(internalContext(core, 'test'), writes)
  check(rowsOf('texts', ['a', 'b', undefined, 'a', 'b']))
  t.throws(() => check(rowsOf('texts', ['a', 'b', undefined, 'c'])), /more than 3 series \(most.series\)/)
  t.throws(() => check(rowsOf('texts', ['a', 'b']), rowsOf('texts', ['c', 'd'])), /more than 3 series/)
  await write(rowsOf('texts', ['a', 'b']), rowsOf('numbers', BigInt64Array.of(1n, 2n, 3n)))
  check(rowsOf('texts', ['b', 'c', 'a', 'c']), rowsOf('numbers', BigInt64Array.of(3n, 1n)))
  t.throws(() => check(rowsOf('texts', ['c', 'd'])), /table texts would have more than 3 series/)
  t.throws(() => check(rowsOf('numbers', BigInt64Array.of(3n, 4n))), /table numbers would have more than 3 series/)
  t.throws(() => check(rowsOf('other', ['a'])), /database public would have more than 2 tables \(most.tables\)/)
})

t.test('what does not fit is not counted', async t => {
  const { core } = await startServer(t)
  const growth = createGrowth(core.store, 'public', 'new', limits)
  const add = (tags: Record<string, string>) =>
    growth.addTags(Object.entries(tags).map(([name, value]) => ({ name, value: Buffer.from(value) })))
  growth.addColumns(['at'])
  add({ a: '1', b: '1' })
  t.throws(() => add({ a: '2', c: '1' }), /more than 3 columns \(most.columns\)/)
  add({ b: '1', a: '2' })
  add({ a: '3' })
  t.throws(() => add({ a: '4' }), /more than 3 series/)
  add({ b: '1', a: '1' })
  t.throws(() => growth.addColumns(['c']), /more than 3 columns/)
})
