import fc from 'fast-check'
import t from 'tap'
import { ProtoReader, ProtoWriter } from '../../../core/wire/protobuf.ts'

t.test('numbers are read as they were written', async () => {
  const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
  fc.assert(
    fc.property(int64, int64, fc.double(), fc.nat(), fc.integer(), (a, b, number, field, small) => {
      const out = new ProtoWriter()
      out
        .int64(1, a)
        .sint64(2, b)
        .double(3, number)
        .uint(1 + (field % 5000), 7)
        .sint64(4, BigInt(small))
        .text(5, 'grüße')
      const reader = new ProtoReader(out.bytes)
      const next = () => reader.next()
      next()
      const first = reader.int64()
      next()
      const second = reader.sint64()
      next()
      const third = reader.double()
      next()
      const fourth = [reader.field, reader.uint()]
      next()
      const fifth = reader.sint32()
      next()
      const last = reader.text()
      return (
        first === a &&
        second === b &&
        Object.is(third, number) &&
        fourth[0] === 1 + (field % 5000) &&
        fourth[1] === 7 &&
        fifth === small &&
        last === 'grüße' &&
        !next()
      )
    }),
    { numRuns: 300 }
  )
})

t.test('repeated numbers are taken packed and one by one', async t => {
  const packed = new ProtoWriter().data(1, new ProtoWriter().varint(1).varint(300).bytes).uint(1, 5)
  const found: number[] = []
  const reader = new ProtoReader(packed.bytes)
  while (reader.next()) reader.repeated(each => found.push(each.uint()))
  t.same(found, [1, 300, 5])
})

t.test('unknown fields are skipped, truncated messages are refused with their position', async t => {
  const bytes = new ProtoWriter()
    .uint(9, 1)
    .double(10, 1)
    .text(11, 'x')
    .raw(Uint8Array.of((12 << 3) | 5, 1, 2, 3, 4))
    .uint(13, 2).bytes
  const reader = new ProtoReader(bytes)
  while (reader.next() && reader.field !== 13) reader.skip()
  t.equal(reader.uint(), 2)
  for (const broken of [
    [0x0a, 5, 1],
    [0x09, 1],
    [0x08, 0x80],
    [0x08, ...Array(11).fill(0x80)],
    [0x0b],
    [0x00, 1],
    [0x0a, 1, 0xff]
  ]) {
    t.throws(
      () => {
        const each = new ProtoReader(Uint8Array.from(broken))
        while (each.next()) each.type === 2 ? each.text() : each.skip()
      },
      { code: 'InvalidArguments', message: /not a valid protobuf message: .*byte \d+/ }
    )
  }
})

t.test('a field whose length is written after it is read like any other', async t => {
  for (const length of [0, 1, 127, 128, 20_000]) {
    const out = new ProtoWriter(8)
    const outer = out.beginField(1)
    const inner = out.beginField(2)
    out.raw(new Uint8Array(length).fill(7))
    out.endField(inner)
    out.uint(3, 5)
    out.endField(outer)
    out.uint(4, 6)
    const reader = new ProtoReader(out.bytes)
    reader.next()
    const message = reader.message()
    message.next()
    t.equal(message.data().length, length)
    message.next()
    t.same([message.field, message.uint(), message.next()], [3, 5, false])
    reader.next()
    t.same([reader.field, reader.uint(), reader.next()], [4, 6, false])
  }
})
