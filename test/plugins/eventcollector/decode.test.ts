import fc from 'fast-check'
import t from 'tap'
import { type Column, ItemField, isValid, runAtOnce } from '../../../core/index.ts'
import { columnsOf } from '../../../plugins/eventcollector/columns.ts'
import { decodeEvents } from '../../../plugins/eventcollector/decode/events.ts'
import { setTime } from '../../../plugins/eventcollector/decode/time.ts'
import { tableOfIndex } from '../../../plugins/eventcollector/index-name.ts'
import { itemsOf } from '../../../plugins/eventcollector/items.ts'

const now = 1_234_567_890_123_456_789n
const text = fc.string({ unit: 'grapheme', maxLength: 30 })
const word = text.filter(value => [...value].some(character => character > ' '))
const float = fc.double({ noNaN: true, noDefaultInfinity: true }).filter(value => !Number.isInteger(value))
/** Keys always have values of one type. */
const members = fc.record(
  {
    s: text,
    'ü"\\': word,
    i: fc.integer(),
    f: float,
    b: fc.boolean(),
    none: fc.constant(null),
    o: fc.record({ s: text, deep: fc.record({ i: fc.integer() }) }, { requiredKeys: [], noNullPrototype: true })
  },
  { requiredKeys: [], noNullPrototype: true }
)
const event = fc.record(
  {
    /** Milliseconds since 1970. */
    ms: fc.integer({ min: 0, max: 9_200_000_000_000 }),
    host: text,
    source: text,
    sourcetype: text,
    index: fc.constantFrom('main', 'my index', ' main'),
    event: fc.oneof(word, members),
    fields: fc.record({ dc: text, zone: fc.integer() }, { requiredKeys: [], noNullPrototype: true }),
    extra: float
  },
  { requiredKeys: ['event'], noNullPrototype: true }
)

type TestEvent = typeof event extends fc.Arbitrary<infer T> ? T : never
type Row = Record<string, unknown>

function write({ ms, ...rest }: TestEvent, asText: boolean): string {
  const time = ms === undefined ? {} : { time: asText ? (ms / 1000).toFixed(3) : ms / 1000 }
  return JSON.stringify({ ...time, ...rest })
}

/** What becomes of an event, by column. */
function expected(given: TestEvent): { table: string; row: Row } {
  const { ms, host, source, sourcetype, index, event, fields, extra } = given
  const row: Row = { svc_timestamp: ms === undefined ? now : BigInt(ms) * 1_000_000n }
  const put = (name: string, value: unknown) => {
    if (value !== undefined && value !== null)
      row[name] = typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : value
  }
  const flatten = (name: string, value: unknown) => {
    if (typeof value !== 'object' || value === null) put(name, value)
    else for (const [key, member] of Object.entries(value)) flatten(`${name}.${key}`, member)
  }
  for (const [name, value] of Object.entries({ host, source, sourcetype, extra, ...fields })) put(name, value)
  flatten('event', event)
  return { table: index === undefined ? 't' : index.trim().replace(' ', '_'), row }
}

function rowOf(columns: readonly Column[], i: number): Row {
  const row: Row = {}
  for (const { name, type, data } of columns) {
    if (!isValid(data.valid, i)) continue
    if (data.kind === 'fixed') row[name] = type === 'Boolean' ? data.values[i] === 1 : data.values[i]
    else if (data.kind === 'bytes')
      row[name] = Buffer.from(data.bytes.subarray(data.offsets[i], data.offsets[i + 1])).toString()
  }
  return row
}

const comparable = (rows: readonly Row[]) =>
  JSON.stringify(
    rows.map(row => Object.entries(row).sort()),
    (_, value) => (typeof value === 'bigint' ? `${value}n` : Object.is(value, -0) ? '-0' : value)
  )

t.test('sent events are read back, table by table', async t => {
  fc.assert(
    fc.property(
      fc.array(event, { minLength: 1, maxLength: 6 }),
      fc.boolean(),
      fc.constantFrom('', '\n'),
      (sent, asText, between) => {
        const body = Buffer.from(sent.map(each => write(each, asText)).join(between))
        const events = runAtOnce(decodeEvents(body, { spread: true, table: 't', now }))
        const wanted = Map.groupBy(sent.map(expected), each => each.table)
        if (events.groups.length !== wanted.size) return false
        return events.groups.every(({ table, rows }) => {
          const columns = runAtOnce(columnsOf(events, rows, undefined))
          const found = Array.from(rows, (_, i) => rowOf(columns, i))
          return comparable(found) === comparable(wanted.get(table)!.map(each => each.row))
        })
      }
    )
  )
  t.pass()
})

t.test('a time is read to the last digit', async t => {
  const time = new ItemField('t', 1)
  const read = (text: string) => {
    const bytes = Buffer.from(text)
    return setTime(time, 0, bytes, 0, bytes.length) ? time.ints[0] : undefined
  }
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 999_999_999_999n }), fc.stringMatching(/^\d{0,12}$/), (seconds, fraction) => {
      const wanted = seconds * 1_000_000_000n + BigInt(fraction.slice(0, 9).padEnd(9, '0'))
      const found = read(fraction === '' ? String(seconds) : `${seconds}.${fraction}`)
      return found === (seconds > 9_223_372_035n ? undefined : wanted)
    })
  )
  const cases: [string, bigint | undefined][] = [
    ['000001', 1_000_000_000n],
    ['1700000000000', 1_700_000_000_000_000_000n],
    ['1700000000000.0000015', 1_700_000_000_000_000_001n],
    ['1700000000000000', 1_700_000_000_000_000_000n],
    ['1700000000000000001', 1_700_000_000_000_000_001n],
    ['1700000000000000001.9', 1_700_000_000_000_000_001n],
    ['9223372035999999999', 9_223_372_035_999_999_999n],
    ['9223372037000000000', undefined],
    ['1.5e3', 1_500_000_000_000n],
    ['+2', 2_000_000_000n],
    ['-0.25', -250_000_000n],
    ['.5', 500_000_000n],
    ['5.', 5_000_000_000n],
    ['1e400', undefined],
    ['', undefined],
    [' ', undefined],
    ['.', undefined],
    ['1 2', undefined],
    ['0x10', undefined]
  ]
  for (const [text, wanted] of cases) t.equal(read(text), wanted, text)
})

t.test('an index becomes a name', async t => {
  const cases: [string, string | undefined][] = [
    ['main', 'main'],
    [' web logs ', 'web_logs'],
    ['a/b?é🙂', 'a_b___'],
    ['9a', '_9a'],
    ['.a', '_.a'],
    ['a.b-c@d#e:f_', 'a.b-c@d#e:f_'],
    ['  ', undefined],
    ['', undefined]
  ]
  for (const [index, name] of cases) t.equal(tableOfIndex(index), name, index)
})

t.test('events of many tables, and those that go through a pipeline, are handled in steps', async t => {
  const body = Buffer.from(Array.from({ length: 20_000 }, (_, i) => `{"event":"a","index":"i${i % 5_000}"}`).join(''))
  const options = { spread: true, table: 't', now }
  const refused = { message: /go to more than 1000 tables/, status: 400 }
  t.throws(() => runAtOnce(decodeEvents(body, { ...options, maxTables: 1_000 })), refused)
  const events = runAtOnce(decodeEvents(body, { ...options, maxTables: 5_000 }))
  t.equal(events.groups.length, 5_000)
  const long = Buffer.from(`{"event":"a","index":"${'x'.repeat(300)}"}`.repeat(2))
  t.throws(() => runAtOnce(decodeEvents(long, options)), { message: /the name of a table has 300 bytes/ })
  const two = Buffer.from('{"event":"a","index":"b"}{"event":"a"}'.repeat(20_000))
  const grouped = runAtOnce(decodeEvents(two, options))
  const steps = itemsOf(grouped, grouped.groups[1]!)
  let count = 0
  let step = steps.next()
  for (; !step.done; step = steps.next()) count++
  t.ok(count > 30, `${count} steps`)
  t.equal(step.value.rows, 20_000)
  t.match(step.value.item(19_999), { event: 'a', svc_timestamp: { ns: now } })
  t.equal(step.value.position(19_999), 39_999)
})
