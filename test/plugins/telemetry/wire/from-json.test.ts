// A message in JSON becomes the same protobuf whether its parts are short (read as a whole) or long (read in pieces).
import t from 'tap'
import { maxJsonDepth, runAtOnce } from '../../../../core/index.ts'
import { ProtoReader, ProtoWriter } from '../../../../core/wire/index.ts'
import { protobufOf } from '../../../../plugins/telemetry/wire/from-json.ts'
import { type Message, requests } from '../../../../plugins/telemetry/wire/message.ts'

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

const long = 'x'.repeat(40_000)
const escaped = '\n\u0001"é\\'.repeat(90_000)

const read = (json: string, most?: number) => Buffer.from(runAtOnce(protobufOf(requests.logs, Buffer.from(json), most)))

/** The same with a long unknown member in each object, so that no object takes the fast path for short ones. */
function padded(value: Json): Json {
  if (Array.isArray(value)) return value.map(padded)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, member]) => [name, padded(member)] as const)
  return { 'not known': [long, { a: [1, 2, { b: long }] }], ...Object.fromEntries(members) }
}

const record = (body: Json, more: { readonly [key: string]: Json } = {}): Json => ({
  timeUnixNano: '1700000000000000000',
  severityNumber: 'SEVERITY_NUMBER_INFO',
  body,
  traceId: '0102030405060708090a0b0c0d0e0f10',
  flags: 1,
  ...more
})
const request = (...logRecords: readonly Json[]): Json => ({
  resourceLogs: [
    {
      resource: { attributes: [{ key: 'a', value: { stringValue: 'b' } }], droppedAttributesCount: 1 },
      scopeLogs: [{ logRecords, schemaUrl: 'x' }, { logRecords: [] }]
    }
  ]
})

const bodies: readonly Json[] = [
  { stringValue: 'short' },
  { stringValue: 'é\n"' },
  { boolValue: true },
  { intValue: '-9' },
  { intValue: 12 },
  { doubleValue: 'NaN' },
  { doubleValue: 1.5 },
  { bytesValue: 'AQID' },
  { arrayValue: { values: [{ intValue: 1 }, { kvlistValue: { values: [{ key: 'k', value: null }] } }] } },
  {},
  null
]

/** The same message with each length in as few bytes as it needs; those of long fields take five. */
function withShortLengths(bytes: Uint8Array, message: Message): Buffer {
  const reader = new ProtoReader(bytes)
  const out = new ProtoWriter()
  while (reader.next()) {
    const { field, type } = reader
    const holds = Object.values(message).find(({ number }) => number === field)?.holds
    const isMessage = typeof holds === 'object' && !Array.isArray(holds)
    if (type === 2) {
      const data = reader.data()
      out.data(field, isMessage ? withShortLengths(data, holds as Message) : data)
    } else {
      const start = reader.at
      reader.skip()
      out.varint(field * 8 + type).raw(bytes.subarray(start, reader.at))
    }
  }
  return Buffer.from(out.bytes)
}

t.test('long and short requests are the same', async t => {
  const json = request(...bodies.map(body => record(body)))
  const short = read(JSON.stringify(json))
  const isSame = (text: string) => withShortLengths(read(text), requests.logs).equals(short)
  t.ok(withShortLengths(short, requests.logs).equals(short))
  t.ok(isSame(JSON.stringify(padded(json))))
  t.ok(isSame(` ${JSON.stringify(padded(json), undefined, 3)}\n`), 'with white space')
})

t.test('long texts and long lists', async t => {
  for (const text of [long, escaped, `${escaped}${long}`]) {
    const json = JSON.stringify(request(record({ stringValue: text })))
    t.ok(read(json).includes(text), `${text.length} characters`)
  }
  const values = Array.from({ length: 5_000 }, (_, i) => ({ intValue: i }))
  const whole = read(JSON.stringify(request(record({ arrayValue: { values } }))))
  const halves = [values.slice(0, 2_000), values.slice(2_000)].map(some =>
    read(
      JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords: [{ body: { arrayValue: { values: some } } }] }] }] })
    )
  )
  t.ok(whole.length > halves[0]!.length && whole.length < halves[0]!.length + halves[1]!.length + 100)
  const bytesValue = Buffer.from(long).toString('base64')
  const resource = { attributes: [{ key: 'k', value: { bytesValue } }] }
  t.ok(read(JSON.stringify({ resourceLogs: [{ resource }] })).includes(long))
})

t.test('of equal keys the last counts in long objects, too', async t => {
  const one = JSON.stringify(request(record({ stringValue: 'one' })))
  const all = (json: string) => json.slice(1, -1)
  const short = `{${all(one)},${all(JSON.stringify(request(record({ stringValue: 'two' }))))}}`
  const far = `{"schemaUrl":"${long}",${all(one)},"n":"${long}",${all(JSON.stringify(request(record({ stringValue: 'two' }))))}}`
  t.ok(read(short).equals(read(far)))
  const scope = (members: string) => `{"resourceLogs":[{"scopeLogs":[{"x":"${long}",${members}}]}]}`
  const twice = scope(
    `"schemaUrl":"a","logRecords":[{"flags":1}],"schemaUrl":"${long}","logRecords":[{"flags":2}],"schemaUrl":"b"`
  )
  t.ok(read(twice).equals(read(scope('"logRecords":[{"flags":2}],"schemaUrl":"b"'))))
  t.ok(read(scope('"schemaUrl":"a","schemaUrl":null,"logRecords":null')).equals(read(scope('"q":1'))), 'null is absent')
})

t.test('a value of the wrong type is told with its path, invalid JSON with line and column', async t => {
  const fails = (json: string, message: RegExp) => t.throws(() => read(json), { code: 'InvalidArguments', message })
  fails(`{"resourceLogs":{"a":"${long}"}}`, /resourceLogs: expected an array, got an object/)
  fails(`{"resourceLogs":["${long}"]}`, /resourceLogs\[0\]: expected an object, got "x{80}"/)
  fails(`{"resourceLogs":[[${'1,'.repeat(40_000)}1]]}`, /resourceLogs\[0\]: expected an object, got an array/)
  fails(`["${long}"]`, /the body: expected an object, got an array/)
  const inside = (members: string) =>
    `{"x":"${long}","resourceLogs":[{"scopeLogs":[{"logRecords":[{},{${members}}]}]}]}`
  fails(inside(`"flags":"${long}"`), /resourceLogs\[0\]\.scopeLogs\[0\]\.logRecords\[1\]\.flags: expected an integer/)
  fails(inside(`"flags":["${long}"]`), /logRecords\[1\]\.flags: expected no array and no object, got an array/)
  fails(inside(`"severityText":{"a":"${long}"}`), /severityText: expected no array and no object, got an object/)
  fails(`{"x":"${long}`, /the body is not valid JSON: the text has no end/)
  fails(`{"x":"${long}","resourceLogs":[}`, /the body is not valid JSON/)
  fails(`{"x":["${long}"]} true`, /expected the end of the document/)
  fails(`{"x":"${long}\u0001"}`, /control character/)
  fails(inside(`"severityText":"${long}\\q"`), /unknown escape/)
  fails(inside(`"severityText":"${long}\\u00"`), /four hexadecimal digits/)
  const nested = (levels: number) => `{"x":${`["${long}",`.repeat(levels)}1${']'.repeat(levels)}}`
  t.ok(read(nested(maxJsonDepth - 1)))
  fails(nested(maxJsonDepth), /nested deeper than/)
  t.throws(() => read('{"a":[1,2,3]}', 3), { code: 'InvalidArguments', status: 413 } as never)
})
