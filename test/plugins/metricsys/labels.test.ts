import t from 'tap'
import { isDbError } from '../../../core/index.ts'
import { ProtoWriter } from '../../../core/wire/index.ts'
import { LabelReader } from '../../../plugins/metricsys/write/labels.ts'
import { processorTime } from '../../time.ts'

type Pairs = readonly (readonly [name: string | Buffer, value: string | Buffer])[]

function encode(pairs: Pairs): Uint8Array {
  const out = new ProtoWriter()
  for (const [name, value] of pairs) {
    out.data(1, new ProtoWriter().data(1, Buffer.from(name)).data(2, Buffer.from(value)).bytes)
  }
  return out.bytes
}

function read(reader: LabelReader, pairs: Pairs) {
  const bytes = encode(pairs)
  return reader.read(bytes, 0, bytes.length)
}

function texts(labels: ReturnType<LabelReader['read']>) {
  return labels.map(({ name, value }) => [name, Buffer.from(value).toString()])
}

function refusal(reader: LabelReader, pairs: Pairs): string {
  try {
    read(reader, pairs)
  } catch (error) {
    if (isDbError(error)) return error.message
  }
  return 'none'
}

t.test('every set is read as it is, whatever came before', async t => {
  const long = 'x'.repeat(300)
  const sets: Pairs[] = [
    [],
    [
      ['a', '1'],
      ['b', 'grün'],
      ['c', '']
    ],
    [['a', '1']],
    [
      ['a', '1'],
      ['b', 'grün'],
      ['c', '3']
    ],
    [
      ['b', '1'],
      ['a', 'grün'],
      ['c', long]
    ],
    [
      ['b', '1'],
      [long, 'y'],
      ['c', long]
    ],
    [
      ['b', '1'],
      [long, 'z'],
      ['c', '3']
    ]
  ]
  const reader = new LabelReader(() => ({ labels: 2_000, bytes: 1 << 22 }))
  for (const i of [0, 1, 2, 3, 4, 5, 6, 3, 1, 4, 4, 2, 6, 6, 0, 5]) t.same(texts(read(reader, sets[i]!)), sets[i])
})

t.test('labels that are those of the set before are the same objects, and keep their values', async t => {
  const reader = new LabelReader(() => ({ labels: 2_000, bytes: 1 << 22 }))
  const bytes = encode([
    ['a', 'one'],
    ['b', 'two']
  ])
  const before = reader.read(bytes, 0, bytes.length)
  const after = read(reader, [
    ['a', 'one'],
    ['b', 'three']
  ])
  bytes.fill(0)
  t.equal(after[0], before[0])
  t.not(after[1], before[1])
  t.same(texts(before), [
    ['a', 'one'],
    ['b', 'two']
  ])
})

t.test('a name that comes twice is refused, however it got there', async t => {
  const twice = 'label a is given twice'
  const reader = new LabelReader(() => ({ labels: 2_000, bytes: 1 << 22 }))
  t.equal(
    refusal(reader, [
      ['a', '1'],
      ['b', '2'],
      ['a', '1']
    ]),
    twice
  )
  t.equal(
    refusal(reader, [
      ['a', '1'],
      ['b', '2'],
      ['a', '1']
    ]),
    twice,
    'again'
  )
  read(reader, [
    ['a', '1'],
    ['b', '2'],
    ['c', '3']
  ])
  t.equal(
    refusal(reader, [
      ['c', '1'],
      ['b', '2'],
      ['c', '3']
    ]),
    'label c is given twice',
    'with one that stands behind'
  )
  read(reader, [
    ['a', '1'],
    ['b', '2']
  ])
  t.equal(
    refusal(reader, [
      ['b', '1'],
      ['a', Buffer.from([0xff])]
    ]),
    'the value of label a is not valid UTF-8'
  )
  t.equal(
    refusal(reader, [
      ['b', '1'],
      ['b', '2']
    ]),
    'label b is given twice',
    'after a set that ended early'
  )
  t.equal(refusal(reader, [[Buffer.from([0xc3]), '1']]), 'a label name is not valid UTF-8')
  t.same(
    texts(
      read(reader, [
        ['b', '1'],
        ['a', '2']
      ])
    ),
    [
      ['b', '1'],
      ['a', '2']
    ]
  )
})

t.test('sets of very many labels are read and held to the same', async t => {
  const reader = new LabelReader(() => ({ labels: 2_000, bytes: 1 << 22 }))
  const many = Array.from({ length: 300 }, (_, i) => [`label_${i}`, `${i % 3}`] as const)
  for (const set of [many, many.slice(0, 120), many, many.toReversed()]) t.same(texts(read(reader, set)), set)
  t.equal(refusal(reader, [...many, ['label_7', '']]), 'label label_7 is given twice')
  t.equal(refusal(reader, [...many.slice(0, 200), ['label_150', '']]), 'label label_150 is given twice')
  t.same(texts(read(reader, many)), many)
})

t.test('a series of more labels than any table has columns is refused before they are all read', async t => {
  const many = (count: number): Pairs => Array.from({ length: count }, (_, i) => [`l${i}`, 'v'] as const)
  const reader = new LabelReader(() => ({ labels: 2_000, bytes: 1 << 30 }))
  t.equal(read(reader, many(2_001)).length, 2_001, 'one of them is the name of the metric')
  const bytes = encode(many(500_000))
  const started = process.cpuUsage()
  t.throws(() => reader.read(bytes, 0, bytes.length), /^a series has more than 2000 labels$/)
  const { user, system } = process.cpuUsage(started)
  t.ok(user + system < 50_000, `${user + system} µs of processor time`)
})

t.test('labels of a series that are longer than any table takes are refused before they are copied', async t => {
  const reader = new LabelReader(() => ({ labels: 2_000, bytes: 1 << 22 }))
  const bytes = encode([['a', 'x'.repeat(60 << 20)]])
  const began = processorTime()
  const reason =
    /^the labels of a series take 629145\d\d bytes, at most 4194304 are taken \(64 times limits\.max_tag_length\)$/
  t.throws(() => reader.read(bytes, 0, bytes.length), reason)
  t.ok(processorTime() - began < 20, `${processorTime() - began} ms of processor time`)
})
