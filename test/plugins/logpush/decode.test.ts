import fc from 'fast-check'
import t from 'tap'
import { isDbError, runAtOnce, type Steps } from '../../../core/index.ts'
import { encodeSnappy, ProtoWriter } from '../../../core/wire/index.ts'
import { columnsOf as columnSteps } from '../../../plugins/logpush/columns.ts'
import { decodeJson as jsonSteps } from '../../../plugins/logpush/decode/json.ts'
import { parseLabels } from '../../../plugins/logpush/decode/labels.ts'
import {
  decodeProtobuf as protobufSteps,
  readRequest as requestSteps
} from '../../../plugins/logpush/decode/protobuf.ts'
import { itemsOf as itemSteps } from '../../../plugins/logpush/items.ts'
import { processorTime } from '../../time.ts'
import { contents, labelText, type TestStream, writeJsonPush, writeProtobuf } from './messages.ts'

const columnsOf = (...taken: Parameters<typeof columnSteps>) => runAtOnce(columnSteps(...taken))
const itemsOf = (...taken: Parameters<typeof itemSteps>) => runAtOnce(itemSteps(...taken))
const decodeJson = (...taken: Parameters<typeof jsonSteps>) => runAtOnce(jsonSteps(...taken))
const decodeProtobuf = (...taken: Parameters<typeof protobufSteps>) => runAtOnce(protobufSteps(...taken))
const readRequest = (...taken: Parameters<typeof requestSteps>) => runAtOnce(requestSteps(...taken))

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.string({ unit: 'grapheme-ascii', maxLength: 200 })
)
const name = fc.stringMatching(/^[a-zA-Z_][a-zA-Z0-9_]{0,12}$/)
const pairs = (key: fc.Arbitrary<string>) => fc.dictionary(key, text, { maxKeys: 5, noNullPrototype: true })
const time = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.bigInt({ min: 1_700_000_000_000_000_000n, max: 1_800_000_000_000_000_000n })
)
const entry = fc.record(
  { time, line: text, metadata: pairs(text).filter(found => Object.keys(found).length > 0) },
  { requiredKeys: ['time', 'line'], noNullPrototype: true }
)
const stream = fc.record({ labels: pairs(name), entries: fc.array(entry, { minLength: 1, maxLength: 5 }) })
const streams: fc.Arbitrary<TestStream[]> = fc.array(stream, { maxLength: 5 })

const now = 5n

/** Comparable whatever the order of keys. */
function canonical(found: readonly TestStream[]): string {
  const sorted = (record: Readonly<Record<string, string>> = {}) => Object.entries(record).sort()
  return JSON.stringify(
    found.map(({ labels, entries }) => [
      sorted(labels),
      entries.map(({ time, line, metadata }) => [String(time), line, sorted(metadata)])
    ])
  )
}

t.test('pushed entries are read back, from protobuf and JSON, with spaces and without', async t => {
  fc.assert(
    fc.property(streams, fc.constantFrom(undefined, 1), (sent, space) => {
      const expected = canonical(sent)
      const byProtobuf = canonical(contents(decodeProtobuf(encodeSnappy(writeProtobuf(sent)), now)))
      const byJson = canonical(contents(decodeJson(Buffer.from(writeJsonPush(sent, space)))))
      return byProtobuf === expected && byJson === expected
    })
  )
  t.pass()
})

t.test('labels are read back from their text', async t => {
  fc.assert(
    fc.property(pairs(name), labels => {
      const found = parseLabels(labelText(labels))
      return JSON.stringify([...found!]) === JSON.stringify(Object.entries(labels))
    })
  )
  const read = (text: string) => {
    const found = parseLabels(text)
    return found && Object.fromEntries(found)
  }
  t.same(read(''), {})
  t.same(read(' { } '), {})
  t.same(read('{a="1",b = `x"\\y` ,}'), { a: '1', b: 'x"\\y' })
  t.same(read('{a="\\u00e9\\x41\\101\\t\\U0001F642"}'), { a: 'éAA\t🙂' })
  t.same(read('{a="1", a="2"}'), { a: '2' }, 'of equal names the last counts')
  t.same(read('{a="say "hi", you", b="c=\\"d\\""}'), { a: 'say "hi", you', b: 'c="d"' }, 'quotes nobody escaped')
  t.same(read('{a="C:\\dir"}'), { a: 'C:\\dir' }, 'an escape nobody meant')
  for (const text of [
    'a="1"',
    '{a}',
    '{a=}',
    '{a="1}',

    '{="1"}',
    '{a="1"}}',
    '{"a"="1"}',
    '{a=1}',
    '{',
    '}'
  ])
    t.equal(parseLabels(text), undefined, text)
  const long = `{a="${'x" '.repeat(100_000)}"}`
  const before = processorTime()
  t.equal(parseLabels(long), undefined)
  t.ok(processorTime() - before < 1000, 'a long text that is none is refused in time')
})

t.test('JSON parts of another shape are left out and told', async t => {
  const push = decodeJson(
    Buffer.from(`{"x":[1,{"y":2}],"streams":[7, null,
      {"stream":{"a":"1","n":5},"values":[
        ["1","one"], ["2"], "x", [" 3","three"], ["4",4], [5,"five",{"k":"v","n":1}], [6.5,"x"],
        ["-7","minus",7], ["99999999999999999999","late"], ["8","eight",{"k":"a","k":"b"}], ["9","\\u00e9\\n",{}, "more"]]},
      {"values":[["10","no labels"]]}, {"stream":[],"values":[["11","labels of a list"]]},
      {"stream":{"a":"2"},"values":{}}, {"stream":{"a":"2"}}]}`)
  )
  t.same(contents(push), [
    {
      labels: { a: '1' },
      entries: [
        { time: 1n, line: 'one' },
        { time: 5n, line: 'five', metadata: { k: 'v' } },
        { time: -7n, line: 'minus' },
        { time: 8n, line: 'eight', metadata: { k: 'b' } },
        { time: 9n, line: 'é\n' }
      ]
    },
    { labels: {}, entries: [{ time: 10n, line: 'no labels' }] },
    { labels: {}, entries: [{ time: 11n, line: 'labels of a list' }] }
  ])
  t.equal(push.skipped, 9)
  t.match(push.errors[0], { index: 0, message: 'the stream is not an object' })
  t.match(push.errors[3], { index: 4, message: 'expected an array of a time and a line' })
  t.same(push.dropped, { label: 2, metadata: 2, utf8: 0 })
})

t.test('members come in any order, and of equal ones the last counts', async t => {
  const body = `\ufeff {"streams":[{"values":[["1","gone"]],"stream":{"a":"0"}}],"streams":[
    {"values":[["1","gone, too"],["x","never"]],"values":[["2","kept"]],"stream":{"a":"0"},"stream":{"a":"1"}}]} `
  t.same(contents(decodeJson(Buffer.from(body))), [{ labels: { a: '1' }, entries: [{ time: 2n, line: 'kept' }] }])
})

t.test('a body that is no push is refused', async t => {
  const cases: [string | Buffer, RegExp][] = [
    ['', /expected a value, got the end at line 1/],
    ['[]', /payload is not an object/],
    ['"x"', /payload is not an object/],
    ['{}', /missing streams/],
    ['{"streams":{}}', /streams is not an array/],
    ['{"streams":[]} x', /expected the end of the document, got "x"/],
    ['{"streams":[{"stream":{},"values":[["1","x\n"]]}]}', /control character/],
    ['{"streams":[{"stream":{},"values":[["1","x"]}]}', /expected ',' or ']'/],
    ['{"streams":[{"stream":{},"values":[["1","x"', /got the end/],
    ['{"streams":[{"stream":{},"values":[["1","x\\q"]]}]}', /unknown escape/],
    [Buffer.of(0x7b, 0xff), /not valid UTF-8/]
  ]
  for (const [body, message] of cases) t.throws(() => decodeJson(Buffer.from(body)), { message, status: 400 })
  t.throws(() => decodeProtobuf(Buffer.from('no snappy'), now), { message: /not a Snappy block/ })
  t.throws(() => decodeProtobuf(new Uint8Array(), now), { message: /begin with its length/ })
  const wrong = new ProtoWriter().data(1, new ProtoWriter().data(2, Uint8Array.of(0x0a, 0x7f)).bytes).bytes
  t.throws(() => readRequest(wrong, now), { message: /not a valid protobuf message.*beyond its message/, status: 400 })
  t.throws(() => readRequest(new ProtoWriter().uint(1, 5).bytes, now), { message: /wire type/ })
})

t.test('protobuf fields may be missing, repeated, out of order or unknown', async t => {
  const stamp = new ProtoWriter().uint(1, 1).uint(2, 2).uint(9, 1).bytes
  const pair = (name: string, value: string) => new ProtoWriter().text(2, value).text(1, name).uint(5, 1).bytes
  const entry = new ProtoWriter()
    .data(3, pair('k', 'a'))
    .text(2, 'old')
    .data(4, pair('parsed', 'x'))
    .data(1, stamp)
    .text(2, 'new')
    .data(3, pair('k', 'b"\n\u0001é'))
  const stream = new ProtoWriter()
    .data(2, entry.bytes)
    .data(2, new Uint8Array())
    .data(2, new ProtoWriter().data(1, new Uint8Array()).bytes)
    .text(1, '{a="1"}')
    .text(9, 'unknown')
  const push = readRequest(new ProtoWriter().uint(7, 1).data(1, stream.bytes).bytes, now)
  t.same(contents(push), [
    {
      labels: { a: '1' },
      entries: [
        { time: 1_000_000_002n, line: 'new', metadata: { k: 'b"\n\u0001é' } },
        { time: now, line: '' },
        { time: 0n, line: '' }
      ]
    }
  ])
})

t.test(
  'times beyond 64 bits are left out, labels nobody can read and bytes that are no text do not cost the line',
  async t => {
    const late = new ProtoWriter().uint(1, 9_223_372_037).bytes
    const far = new ProtoWriter().uint(1, 2n ** 62n).bytes
    const bad = Uint8Array.of(0x61, 0xff, 0x62)
    const stream = new ProtoWriter()
      .text(1, 'no labels')
      .data(2, new ProtoWriter().data(1, late).text(2, 'late').bytes)
      .data(2, new ProtoWriter().data(1, far).text(2, 'far').bytes)
      .data(2, new ProtoWriter().data(2, bad).data(3, new ProtoWriter().data(1, bad).data(2, bad).bytes).bytes)
    const push = readRequest(new ProtoWriter().data(1, stream.bytes).bytes, now)
    t.same(contents(push), [
      { labels: {}, entries: [{ time: now, line: 'a\ufffdb', metadata: { 'a\ufffdb': 'a\ufffdb' } }] }
    ])
    t.equal(push.skipped, 2)
    t.same(push.dropped, { label: 1, metadata: 0, utf8: 3 })
  }
)

t.test('columns: labels sorted within their stream, equal values stored once', async t => {
  const line = (time: bigint) => ({ time, line: `l${time}` })
  const sent: TestStream[] = [
    { labels: { b: 'x', a: '1' }, entries: [line(1n), line(2n)] },
    { labels: { c: 'z', b: 'x' }, entries: [line(3n)] },
    { labels: {}, entries: [line(4n)] }
  ]
  const columns = columnsOf(readRequest(writeProtobuf(sent), now))
  t.same(
    columns.map(({ name, type, semantic }) => `${name} ${type} ${semantic}`),
    [
      'svc_timestamp TimestampNanosecond timestamp',
      'line String field',
      'structured_metadata Json field',
      'a String tag',
      'b String tag',
      'c String tag'
    ]
  )
  const b = columns[4]!.data
  t.match(b, { kind: 'dictionary', codes: Uint32Array.of(0, 0, 0, 0), dictionary: { offsets: Uint32Array.of(0, 1) } })
  t.same(b.valid, Uint8Array.of(0b11110111))
  const taken = readRequest(writeProtobuf([{ labels: { line: 'x' }, entries: [line(1n)] }]), now)
  t.throws(() => columnsOf(taken), { message: /label line has the name of a column/, status: 400 })
})

t.test('items of a pipeline hold line, labels and metadata under names of their own', async t => {
  const sent: TestStream[] = [
    { labels: { app: 'api' }, entries: [{ time: 1n, line: 'x', metadata: { id: '9' } }] },
    { labels: { env: 'dev' }, entries: [{ time: 2n, line: 'y' }] }
  ]
  const batch = itemsOf(readRequest(writeProtobuf(sent), now))
  t.match(batch.item(0), { logpush_line: 'x', logpush_label_app: 'api', logpush_metadata_id: '9' })
  t.match(batch.item(1), { svc_timestamp: { ns: 2n }, logpush_line: 'y', logpush_label_env: 'dev' })
  t.notOk('logpush_label_app' in batch.item(1))
})

t.test('hundreds of thousands of entries make the batch grow', async t => {
  const entries = Array.from({ length: 200_000 }, (_, i) => ({ time: BigInt(i), line: '' }))
  const push = readRequest(writeProtobuf([{ labels: {}, entries }]), now)
  t.equal(push.batch.rows, 200_000)
  t.equal(push.time.ints[199_999], 199_999n)
})

t.test('a push that would take too much memory is refused', async t => {
  const labels = Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`l${i}`, 'x']))
  const entries = Array.from({ length: 20_000 }, () => ({ time: 1n, line: '' }))
  const push = readRequest(writeProtobuf([{ labels, entries }]), now)
  const fault = t.throws(() => columnsOf(push), { message: /too many cells: 2003 keys × 20000 items/ })
  t.ok(isDbError(fault))
})

const row = '"values":[["1","x"]]'
const numbers = `[${'1,'.repeat(400_000)}1]`
const long = 'x'.repeat(8 << 20)
const pushOf = (...fields: readonly ProtoWriter[]) =>
  new ProtoWriter().data(1, Buffer.concat(fields.map(({ bytes }) => bytes))).bytes
const entryOf = (metadata: number) => {
  const one = new ProtoWriter().text(2, 'x')
  for (let i = 0; i < metadata; i++) one.data(3, new ProtoWriter().text(1, `k${i}`).bytes)
  return new ProtoWriter().data(2, one.bytes)
}
const tooLong = /labels of a stream take more than 1048576 bytes \(plugins\.logpush\.max_entry_size\)/

t.test('however a push is made, no step of it takes long', async t => {
  const json = (body: string) => jsonSteps(Buffer.from(body), 1 << 20)
  const protobuf = (body: Uint8Array) => requestSteps(body, now, 1 << 20)
  const cases: Readonly<Record<string, () => Steps<unknown>>> = {
    'an unknown field of JSON': () => json(`{"x":${numbers},"streams":[]}`),
    'an unknown text of JSON': () => json(`{"x":"${long}","streams":[]}`),
    'an unknown field of a stream': () => json(`{"streams":[{"x":${numbers},${row}}]}`),
    'no object': () => json(numbers),
    'a stream that is no object': () => json(`{"streams":[${numbers}]}`),
    'values that are no array': () => json(`{"streams":[{"values":{"a":${numbers}}}]}`),
    'a label that is no text': () => json(`{"streams":[{"stream":{"a":${numbers}},${row}}]}`),
    'a long label': () => json(`{"streams":[{"stream":{"a":"${long}"},${row}}]}`),
    'many labels': () => json(`{"streams":[{"stream":{${'"a":1,'.repeat(200_000)}"b":1},${row}}]}`),
    'entries that are no entries': () => json(`{"streams":[{"values":[["1","x"],${'[1],'.repeat(100_000)}[1]]}]}`),
    'metadata that are no texts': () => json(`{"streams":[{"values":[["1","x",{"a":[${'[],'.repeat(300_000)}1]}]]}]}`),
    'a long key': () => json(`{"streams":[],"${long}":1}`),
    'unknown fields of protobuf': () => protobuf(Buffer.alloc(8 << 20, 0x20)),
    'empty streams': () => protobuf(Buffer.alloc(1 << 18, Buffer.of(0x0a, 0))),
    'long labels in protobuf': () => protobuf(pushOf(new ProtoWriter().text(1, `{a="${long}"}`), entryOf(0))),
    'many metadata in protobuf': () => protobuf(pushOf(entryOf(60_000))),
    'a block of Snappy': () => protobufSteps(encodeSnappy(Buffer.alloc(32 << 20, 'words ')), now)
  }
  for (const [name, steps] of Object.entries(cases)) {
    let longest = 0
    for (let attempt = 0; attempt < 2; attempt++) {
      const work = steps()
      longest = 0
      for (let isDone = false; !isDone; ) {
        const began = processorTime()
        try {
          isDone = work.next().done === true
        } catch (error) {
          t.ok(isDbError(error), `${name}: ${(error as Error).message}`)
          isDone = true
        }
        longest = Math.max(longest, processorTime() - began)
      }
      // A collection of garbage may have come into one of them.
      if (longest < 40) break
    }
    t.ok(longest < 40, `${name}: ${longest.toFixed(0)} ms of work in one step`)
  }
})

t.test('labels of a stream have a size, and a number', async t => {
  const many = Object.fromEntries(Array.from({ length: 4_100 }, (_, i) => [`l${i}`, 'x']))
  const tooMany = /too many cells: 4097 keys/
  const sent = (labels: Record<string, string>): TestStream[] => [{ labels, entries: [{ time: 1n, line: '' }] }]
  for (const [labels, expected] of [
    [{ a: 'x'.repeat(1 << 20) }, { message: tooLong, status: 413 }],
    [many, { message: tooMany, status: 400 }]
  ] as const) {
    t.throws(() => decodeJson(Buffer.from(writeJsonPush(sent(labels), undefined)), 1 << 20), expected)
    t.throws(() => readRequest(writeProtobuf(sent(labels)), now, 1 << 20), expected)
  }
})

t.test('an entry with too many names of structured metadata is left out', async t => {
  const metadata = Object.fromEntries(Array.from({ length: 4_097 }, (_, i) => [`k${i}`, 'x']))
  const sent = [
    {
      labels: {},
      entries: [
        { time: 1n, line: 'a', metadata },
        { time: 2n, line: 'b' }
      ]
    }
  ]
  for (const push of [decodeJson(Buffer.from(writeJsonPush(sent, undefined))), readRequest(writeProtobuf(sent), now)]) {
    t.same(contents(push), [{ labels: {}, entries: [{ time: 2n, line: 'b' }] }])
    t.match(push.errors, [{ index: 0, message: 'the entry has more than 4096 names of structured metadata' }])
  }
  const { k4096: _, ...fewer } = metadata
  const kept = [{ labels: {}, entries: [{ time: 1n, line: 'a', metadata: fewer }] }]
  t.same(canonical(contents(readRequest(writeProtobuf(kept), now))), canonical(kept))
})
