import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import {
  decodeItems,
  type ItemBatch,
  type ItemValue,
  isDbError,
  itemContentTypes,
  itemState,
  type KeyMapping,
  parseJson,
  writeJson
} from '../../../../core/index.ts'
import { itemSteps } from '../../../../core/wire/item/decode.ts'

const ndjson = 'application/x-ndjson'
const json = 'application/json'
const text = 'text/plain'
const bytes = (body: string) => Buffer.from(body)
const latin1 = (body: string) => Buffer.from(body, 'latin1')
const live = (batch: ItemBatch) =>
  Array.from({ length: batch.rows }, (_, row) => row)
    .filter(row => batch.isLive(row))
    .map(row => batch.item(row))
const failed = (batch: ItemBatch) => batch.failures.map(({ row, message }) => [batch.position(row), message])

t.test('the three content types are known', async t => {
  t.strictSame(itemContentTypes, [json, ndjson, text])
})

t.test('NDJSON: a line is an item, empty lines and carriage returns do not matter', async t => {
  const batch = decodeItems(bytes('{"a":1}\r\n\n\r\n{ "a" : "x" , "b" : [1, {"c":2.0}] }\n{}'), ndjson)
  t.same(live(batch), [{ a: 1n }, { a: 'x', b: [1n, { c: 2 }] }, {}])
  t.strictSame(
    [0, 1, 2].map(row => batch.position(row)),
    [0, 3, 4]
  )
  t.equal(decodeItems(bytes('\n\n'), ndjson).rows, 0)
  t.equal(decodeItems(bytes(''), ndjson).rows, 0)
})

t.test('lines: a byte order mark is no part of the first one', async t => {
  t.same(live(decodeItems(bytes('\ufeff{"a":1}\n{"a":2}'), ndjson)), [{ a: 1n }, { a: 2n }])
  t.same(live(decodeItems(bytes('\ufeffone\ntwo'), text)), [{ message: 'one' }, { message: 'two' }])
  t.equal(decodeItems(bytes('\ufeff'), ndjson).rows, 0)
})

t.test('NDJSON: the first line that is not an object fails the body with its number', async t => {
  const fails = (body: string, message: string) =>
    t.throws(() => decodeItems(bytes(body), ndjson), { name: 'ItemsError', code: 'InvalidArguments', message }, body)
  fails('{"a":1}\n\n{"b":oops}\n', 'item 2: invalid JSON: expected a value, got "o" at line 3, column 6')
  fails('{"a":1}\n{"a":1', "item 1: invalid JSON: expected ',' or '}', got the end at line 2, column 7")
  fails('{"a":1} {"a":2}', 'item 0: invalid JSON: expected the end of the line, got "{" at line 1, column 9')
  fails('{"a":\n1}', 'item 0: invalid JSON: expected a value, got the end at line 1, column 6')
  fails('[1]', 'item 0: expected a JSON object, got an array')
  fails('"x"', 'item 0: expected a JSON object, got a text')
  fails('null', 'item 0: expected a JSON object, got null')
})

t.test('NDJSON: invalid UTF-8 is an error of its line, not of the others', async t => {
  const body = latin1('{"a":1}\n{"a":"\xff"}\n{"a":"\xc3\xa9"}\n')
  t.throws(() => decodeItems(body, ndjson), { message: 'item 1: invalid UTF-8 in the line' })
  const batch = decodeItems(body, ndjson, { ignoreErrors: true })
  t.same(live(batch), [{ a: 1n }, { a: 'é' }])
})

t.test('NDJSON: with skip_error or ignore_errors bad lines are left out and named', async t => {
  for (const options of [{ skipError: true }, { ignoreErrors: true }]) {
    const batch = decodeItems(bytes('{"a":1}\n\nnope\n{"a":3,"b":{"c":}}\n{"a":4}\n7'), ndjson, options)
    t.same(live(batch), [{ a: 1n }, { a: 4n }])
    t.strictSame(failed(batch), [
      [2, 'invalid JSON: expected a value, got "n" at line 3, column 1'],
      [3, 'invalid JSON: expected a value, got "}" at line 4, column 17'],
      [5, 'expected a JSON object, got a number']
    ])
    t.equal(batch.states[1], itemState.failed)
  }
})

t.test('JSON: a stream of documents, arrays flattened one level', async t => {
  const items = (body: string) => live(decodeItems(bytes(body), json))
  t.same(items('[{"a":1},{"a":2}]'), [{ a: 1n }, { a: 2n }])
  t.same(items('\ufeff{"a":1}{"a":2}\n[ {"a":3} , {} ] [] {"a":\n4}'), [{ a: 1n }, { a: 2n }, { a: 3n }, {}, { a: 4n }])
  t.same(items(''), [])
  t.same(items(' [ ] '), [])
})

t.test('JSON: elements and documents that are no objects fail with their number', async t => {
  t.throws(() => decodeItems(bytes('[{"a":1},2]'), json), { message: 'item 1: expected a JSON object, got a number' })
  t.throws(() => decodeItems(bytes('[{},[{}]]'), json), { message: 'item 1: expected a JSON object, got an array' })
  t.throws(() => decodeItems(bytes('{} true'), json), { message: 'item 1: expected a JSON object, got a boolean' })
  const batch = decodeItems(bytes('[{"a":1},2,{"a":3}]'), json, { skipError: true })
  t.same(live(batch), [{ a: 1n }, { a: 3n }])
  t.strictSame(failed(batch), [[1, 'expected a JSON object, got a number']])
})

t.test('JSON: a syntax error fails the body; with ignore_errors what came before it stays', async t => {
  const body = bytes('[{"a":1},{"a":2},\n {"a":x},{"a":4}]')
  const message = 'Failed to parse payload as json: expected a value, got "x" at line 2, column 7'
  t.throws(() => decodeItems(body, json), { code: 'InvalidArguments', message })
  t.throws(() => decodeItems(body, json, { skipError: true }), { message })
  const batch = decodeItems(body, json, { ignoreErrors: true })
  t.same(live(batch), [{ a: 1n }, { a: 2n }])
  t.strictSame(failed(batch), [[2, `${message}; nothing behind it is read`]])
})

t.test('JSON: invalid UTF-8 is an error of its item', async t => {
  const body = latin1('[{"a":1},{"a":"\xff"},{"a":"\xc3\xa9"}]')
  t.throws(() => decodeItems(body, json), { message: 'item 1: invalid UTF-8 in the item' })
  t.same(live(decodeItems(body, json, { skipError: true })), [{ a: 1n }, { a: 'é' }])
})

t.test('text: a line is an item, blanks are kept', async t => {
  t.same(live(decodeItems(bytes('one\r\n\n  \n two \r\r\nthree'), text)), [
    { message: 'one' },
    { message: '  ' },
    { message: ' two \r' },
    { message: 'three' }
  ])
})

t.test('text: a line of invalid UTF-8 is an error and never dropped in silence', async t => {
  const body = latin1('good\n\nb\xe4d\nfine\n')
  t.throws(() => decodeItems(body, text), { message: 'item 2: invalid UTF-8 in the line' })
  const batch = decodeItems(body, text, { skipError: true })
  t.same(live(batch), [{ message: 'good' }, { message: 'fine' }])
  t.strictSame(failed(batch), [[2, 'invalid UTF-8 in the line']])
})

t.test('numbers keep their kind and every digit', async t => {
  const numbers = [
    '0',
    '-0',
    '7',
    '-7',
    '999999999999999',
    '-999999999999999',
    '1000000000000000',
    '9007199254740993',
    '1700000000123456789',
    '8999999999999999999',
    '9000000000000000000',
    '9223372036854775807',
    '-9223372036854775808',
    '9223372036854775808',
    '-1700000000123456789',
    '123456789012345678',
    '0.1',
    '-0.0',
    '0.5',
    '123456789.123456',
    '1234567890.12345',
    '0.12345678901234',
    '0.123456789012345',
    '0.1234567890123456789',
    '-1.5',
    '1e5',
    '1E-5',
    '1.25e+3',
    '88.0',
    '179769313486231570000000000000000000000',
    '1e-400'
  ]
  for (const number of numbers) {
    const value = decodeItems(bytes(`{"n":${number}}`), ndjson).item(0)['n']
    t.equal(typeof value, typeof parseJson(number), number)
    t.ok(Object.is(value, parseJson(number)), number)
  }
  for (const wrong of ['01', '-', '1.', '.5', '1e', '1e+', '+1', '00', '-01', '1.e3', '1e999', '0x1']) {
    t.throws(() => decodeItems(bytes(`{"n":${wrong}}`), ndjson), { code: 'InvalidArguments' }, wrong)
  }
})

t.test('of equal keys the last counts, however they are spelt', async t => {
  t.same(live(decodeItems(bytes('{"a":1,"b":2,"\\u0061":"x","b":null}\n{"a":1,"a":{"b":1},"a":2}'), ndjson)), [
    { a: 'x', b: null },
    { a: 2n }
  ])
})

t.test('keys may change their order, come and go', async t => {
  const lines = [
    '{"a":1,"b":2,"c":3}',
    '{"b":1,"a":2}',
    '{"c":1,"a" :2,"d": 3}',
    '{"a":1,"c":3}',
    '{}',
    '{"a":1,"b":2,"c":3}'
  ]
  const expected = lines.map(line => parseJson(line))
  t.same(live(decodeItems(bytes(lines.join('\n')), ndjson)), expected)
  t.same(live(decodeItems(bytes(lines.join('\n').repeat(3)), json)), [...expected, ...expected, ...expected])
})

t.test('escaped text is appended, other text stays in the body', async t => {
  const body = bytes('{"a":"plain","b":"tab\\there","\\n":"\\ud83d\\ude00"}')
  const before = Buffer.from(body)
  t.same(live(decodeItems(body, ndjson)), [{ a: 'plain', b: 'tab\there', '\n': '😀' }])
  t.ok(body.equals(before), 'the body is not changed')
  const plain = bytes('{"a":"plain"}')
  t.equal(decodeItems(plain, ndjson).bytes.buffer, plain.buffer)
})

t.test('more items than the first line promised find room', async t => {
  const long = `{"a":"${'x'.repeat(5000)}"}`
  const body = [long, ...Array.from({ length: 5000 }, (_, i) => (i % 7 === 0 ? '' : `{"b":${i}}`))].join('\n')
  const batch = decodeItems(bytes(body), ndjson)
  const lines = body.split('\n')
  t.same(
    live(batch),
    lines.filter(line => line !== '').map(line => parseJson(line))
  )
  t.ok(live(batch).every((_, row) => lines[batch.position(row)] !== ''))
  t.same(live(decodeItems(bytes(`[${lines.filter(line => line !== '').join()}]`), json)), live(batch))
})

t.test('a body that would need room without bound is refused', async t => {
  const keys = Array.from({ length: 3000 }, (_, i) => `"k${i}":1`).join()
  t.throws(
    () => decodeItems(bytes(`{${keys}}\n${'{}\n'.repeat(20_000)}`), ndjson),
    /too many cells: \d+ keys × \d+ items, at most/
  )
  const many = Array.from({ length: 20_000 }, (_, i) => `"k${i}":1`).join()
  t.throws(() => decodeItems(bytes(`{${many}}`), json), /4097 keys/)
  t.throws(() => decodeItems(bytes('x\n'.repeat(100_001)), ndjson, { skipError: true }), /100000 items before it/)
})

const shallow = fc.dictionary(fc.string({ unit: 'grapheme', maxLength: 8 }), fc.jsonValue({ maxDepth: 3 }), {
  maxKeys: 6
})

t.test('for arbitrary objects the items are what the JSON reader gives', async () => {
  fc.assert(
    fc.property(fc.array(shallow, { maxLength: 8 }), fc.boolean(), (objects, spaced) => {
      const lines = objects.map(object => (spaced ? JSON.stringify(object, null, ' ') : JSON.stringify(object)))
      const expected = lines.map(line => Object.assign(Object.create(null), parseJson(line)))
      assert.deepEqual(live(decodeItems(bytes(lines.join(' ')), json)), expected)
      assert.deepEqual(live(decodeItems(bytes(`[${lines.join(' , ')}]`), json)), expected)
      const flat = lines.map(line => line.replaceAll('\n', ' '))
      assert.deepEqual(live(decodeItems(bytes(flat.join('\r\n')), ndjson)), expected)
    }),
    { numRuns: 200 }
  )
})

t.test('for arbitrary bytes nothing but a DbError is thrown', async () => {
  const token = fc.constantFrom(
    ...'{}[],:"\\\n \r'.split(''),
    '{"a":',
    '"b"',
    '1',
    '-2.5e3',
    'true',
    '\xff',
    '{"a":"x"}\n'
  )
  const body = fc.oneof(
    fc.uint8Array({ maxLength: 60 }).map(bytes => Buffer.from(bytes)),
    fc.array(token, { maxLength: 20 }).map(tokens => latin1(tokens.join('')))
  )
  const flags = fc.record({ skipError: fc.boolean(), ignoreErrors: fc.boolean() })
  fc.assert(
    fc.property(body, flags, fc.constantFrom(...itemContentTypes), (body, options, type) => {
      const batch = attempt(body, type, options)
      if (batch === undefined) return !(options.ignoreErrors || (options.skipError && type !== json))
      assert.equal(live(batch).length + batch.failures.length, batch.rows)
      return true
    }),
    { numRuns: 2000 }
  )
})

t.test('every truncation of a valid body is decoded or refused', async () => {
  const body = bytes('{"a":"é\\n","b":[1,{"c":null}],"d":-12.5e1}\n{"a":"x","b":true,"d":1700000000123456789}\n')
  for (const type of itemContentTypes) {
    for (let length = 0; length <= body.length; length++) {
      const part = body.subarray(0, length)
      attempt(part, type, {})
      const whole = part.toString('latin1').split('\n').length - 1
      const batch = decodeItems(part, type, { ignoreErrors: true })
      assert.ok(live(batch).length >= whole, `${type}: ${length} bytes`)
    }
  }
})

function attempt(
  body: Buffer,
  type: string,
  options: { skipError?: boolean; ignoreErrors?: boolean }
): ItemBatch | undefined {
  try {
    return decodeItems(body, type, options)
  } catch (error) {
    if (isDbError(error)) return undefined
    throw error
  }
}

t.test('a property named by the body never reaches a prototype', async t => {
  const item = decodeItems(bytes('{"__proto__":{"polluted":1},"constructor":2}'), ndjson).item(0) as {
    [key: string]: ItemValue
  }
  t.strictSame(Object.keys(item), ['__proto__', 'constructor'])
  t.equal(({} as { polluted?: unknown }).polluted, undefined)
})

const mappings = new Map<string, KeyMapping>([
  ['t', 'text'],
  ['e', { prefix: 'e.', levels: 2 }],
  ['f', { prefix: '', levels: 9 }]
])

t.test('values at some keys are kept in another way: numbers as text, members as fields', async t => {
  const body =
    '{"t":1.10,"e":{"a":1,"b":{"c":[1,{"d":2}],"x":{"y":1}},"z":null},"f":{"g":true,"h":{"i":{"j":"x"}}},"k":{"l":1}}'
  const batch = decodeItems(bytes(`${body}{"t":"x","e":"text","f":[],"k":1}{"t":null,"e":{}}{"e":[1]}`), json, {
    mappingOf: key => mappings.get(key)
  })
  t.same(live(batch), [
    {
      t: '1.10',
      e: {},
      'e.a': 1n,
      'e.b': {},
      'e.b.c': '[1,{"d":2}]',
      'e.b.x': '{"y":1}',
      'e.z': null,
      f: {},
      g: true,
      h: {},
      'h.i': {},
      'h.i.j': 'x',
      k: { l: 1n }
    },
    { t: 'x', e: 'text', f: '[]', k: 1n },
    { t: null, e: {} },
    { e: '[1]' }
  ])
  const long = `{"e":{"${'x'.repeat(300)}":{"a":1}}}`
  t.throws(() => decodeItems(bytes(long), json, { mappingOf: key => mappings.get(key) }), {
    message: /on the way to a nested value are too long/
  })
  t.throws(() => decodeItems(bytes('{"e":{"a":1,}}'), json, { mappingOf: key => mappings.get(key) }), {
    message: /expected a key in quotes/
  })
})

t.test('for arbitrary values spread members are those of the JSON reader, levels deep', async t => {
  const spreadOf = (value: ItemValue, name: string, levels: number, into: Record<string, unknown>) => {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    if (!isObject || levels === 0) into[name] = typeof value === 'object' && value !== null ? writeJson(value) : value
    else {
      into[name] = {}
      for (const [key, member] of Object.entries(value))
        spreadOf(member as ItemValue, `${name}.${key}`, levels - 1, into)
    }
  }
  const key = fc.constantFrom('a', 'b', 'c', 'é')
  const { tree } = fc.letrec(tie => ({
    leaf: fc.oneof(fc.integer(), fc.string(), fc.boolean(), fc.constant(null)),
    tree: fc.oneof({ maxDepth: 5 }, tie('leaf'), fc.array(tie('leaf')), fc.dictionary(key, tie('tree')))
  }))
  fc.assert(
    fc.property(fc.array(tree, { maxLength: 4 }), values => {
      const texts = values.map(value => JSON.stringify({ e: value }))
      const found = live(decodeItems(bytes(texts.join('')), json, { mappingOf: key => mappings.get(key) }))
      const expected = texts.map(text => {
        const into: Record<string, unknown> = {}
        spreadOf((parseJson(text) as { e: ItemValue }).e, 'e', 2, into)
        return into
      })
      assert.deepEqual(
        found.map(item => ({ ...item, ...spreadless(item) })),
        expected
      )
    })
  )
  t.pass()
})

/** Objects without a prototype compare as others. */
function spreadless(item: Readonly<Record<string, ItemValue>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(item).map(([key, value]) => [
      key,
      typeof value === 'object' && value !== null ? { ...value } : value
    ])
  )
}

t.test('room for items with many keys is counted, then made in steps', t => {
  // The first line is so long that few items are expected.
  const first = `{"f0":"${'x'.repeat(5_000)}"}\n`
  const body = (items: number) =>
    bytes(first + Array.from({ length: items - 1 }, (_, i) => `{"f${(i + 1) % 1000}":1}\n`).join(''))
  for (const type of [json, ndjson]) {
    const memory: number[] = []
    let steps = 0
    const reading = itemSteps(body(5_000), type, {})
    let step = reading.next()
    for (; !step.done; step = reading.next()) {
      steps++
      if (step.value !== undefined) memory.push(step.value)
    }
    // One step for 64 items, and one for 2^18 cells.
    t.ok(steps >= 5_000 / 64 + (1000 * 8192) / 2 ** 18, `${type}: ${steps} steps`)
    t.equal(step.value.rows, 5_000)
    t.equal(step.value.item(4_999)['f999'], 1n)
    t.equal(Math.max(...memory), step.value.memory, 'all of it was counted')
  }
  t.end()
})

t.test('long items, and lines that are empty, are decoded in steps', async t => {
  const steps = (body: string, type: string) => [...itemSteps(Buffer.from(body), type)].length
  for (const type of ['application/x-ndjson', 'text/plain'])
    t.ok(steps(`{"a":1}\n${'\n'.repeat(4 << 20)}`, type) >= 64, `${type}: empty lines`)
  const items = Array.from({ length: 40 }, () => `{"a":"${'x'.repeat(200_000)}"}`)
  for (const [type, between] of [
    ['application/x-ndjson', '\n'],
    ['application/json', ' '],
    ['text/plain', '\n']
  ] as const)
    t.ok(steps(items.join(between), type) >= 40, `${type}: long items`)
})
