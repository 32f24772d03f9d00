// Rows a client sends again are found by their values, in whatever form they came.
import t from 'tap'
import type { BytesData, ColumnData } from '../../../../core/model/batch.ts'
import type { SentColumn } from '../../../../core/storage/clickhouse/arrow.ts'
import { keysOf, type RepeatablePart } from '../../../../core/storage/clickhouse/repeats.ts'

function texts(...values: (string | undefined)[]): BytesData {
  const offsets = new Uint32Array(values.length + 1)
  const valid = new Uint8Array((values.length + 7) >> 3)
  for (const [i, value] of values.entries()) {
    offsets[i + 1] = offsets[i]! + Buffer.byteLength(value ?? '')
    if (value !== undefined) valid[i >> 3]! |= 1 << (i & 7)
  }
  return { kind: 'bytes', offsets, bytes: Buffer.from(values.join('')), valid }
}

function part(columns: readonly SentColumn[], rows = 3): RepeatablePart {
  return { target: 'weir_public.lines', op: 'put', rows, columns }
}

function text(name: string, data: ColumnData): SentColumn {
  return { name, type: 'String', data }
}

const numbers = (values: number[], valid?: number): SentColumn => ({
  name: 'n',
  type: 'Float64',
  data: {
    kind: 'fixed',
    values: Float64Array.from(values),
    ...(valid !== undefined && { valid: Uint8Array.of(valid) })
  }
})

t.test('the form of a column makes no difference', async t => {
  const plain = text('host', texts('a', 'bc', 'a'))
  const asDictionary = text('host', {
    kind: 'dictionary',
    codes: Uint32Array.of(2, 0, 2, 9),
    dictionary: texts('bc', 'unused', 'a')
  })
  t.strictSame(keysOf([part([plain])]), keysOf([part([asDictionary])]))
  const ofLarger = { ...texts('zz', 'a', 'bc', 'a'), offsets: Uint32Array.of(2, 3, 5, 6) }
  const { valid: _, ...withoutNulls } = ofLarger
  t.strictSame(keysOf([part([plain])]), keysOf([part([text('host', withoutNulls)])]), 'a slice without a bitmap')
  t.strictSame(keysOf([part([plain, numbers([1, 2, 3])])]), keysOf([part([numbers([1, 2, 3]), plain])]), 'the order')
  t.strictSame(keysOf([part([numbers([1, 7, 3], 5)])]), keysOf([part([numbers([1, 8, 3], 5)])]), 'what is below a null')
  const absent = text('new', texts(undefined, undefined, undefined))
  t.strictSame(keysOf([part([plain, absent])]), keysOf([part([plain])]), 'a column of nulls')
})

t.test('other values are other rows', async t => {
  const all = [
    part([text('host', texts('a', 'bc', 'a'))]),
    part([text('host', texts('ab', 'c', 'a'))]),
    part([text('host', texts('a', 'bc', undefined))]),
    part([text('host', texts('a', 'bc', ''))]),
    part([text('host', texts('a', undefined, 'bca'))]),
    part([text('other', texts('a', 'bc', 'a'))]),
    part([numbers([1, 2, 3])]),
    part([numbers([1, 2, 3], 3)]),
    part([numbers([1, 2, 0])]),
    part([numbers([1, 2, 3])], 2),
    { ...part([numbers([1, 2, 3])]), op: 'delete' as const },
    { ...part([numbers([1, 2, 3])]), target: 'weir_public.others' }
  ]
  t.equal(new Set(all.flatMap(each => keysOf([each]))).size, all.length)
})

t.test('equal parts of one request are numbered', async t => {
  const [first, second] = keysOf([part([numbers([1, 2, 3])]), part([numbers([1, 2, 3])])])
  t.equal(second, `${first}-1`)
})
