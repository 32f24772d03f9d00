import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import {
  compareUtf8,
  type ItemValue,
  isDbError,
  parseJson,
  Timestamp,
  writeJson,
  writeJsonString
} from '../../../core/index.ts'

const plain = (value: unknown) => JSON.parse(writeJson(value as ItemValue))

t.test('integers stay integers and fractions stay floats', async t => {
  t.strictSame(parseJson('88'), 88n)
  t.strictSame(parseJson('88.0'), 88)
  t.strictSame(parseJson('8.8e1'), 88)
  t.strictSame(parseJson('-0'), 0n)
  t.ok(Object.is(parseJson('-0.0'), -0))
  t.strictSame(parseJson('1700000000123456789'), 1700000000123456789n)
  t.strictSame(parseJson('9223372036854775807'), 9223372036854775807n)
  t.strictSame(parseJson('-9223372036854775808'), -9223372036854775808n)
})

t.test('integers beyond 64 bits become floats, numbers beyond floats are errors', async t => {
  t.strictSame(parseJson('9223372036854775808'), 2 ** 63)
  t.strictSame(parseJson('-9223372036854775809'), -(2 ** 63))
  t.strictSame(parseJson(`1${'0'.repeat(300)}`), 1e300)
  t.throws(() => parseJson('1e999'), /out of range at line 1, column 1/)
  t.throws(() => parseJson(`1${'0'.repeat(400)}`), /out of range/)
})

t.test('objects inherit nothing, and of equal keys the last counts', async t => {
  const value = parseJson('{"__proto__":1,"a":1,"a":{"constructor":null}}') as { [key: string]: ItemValue }
  const empty = parseJson('{}') as { [key: string]: ItemValue }
  for (const name of Object.getOwnPropertyNames(Object.prototype)) t.notOk(name in empty, name)
  t.strictSame(Object.keys(value), ['__proto__', 'a'])
  t.equal(writeJson(value), '{"__proto__":1,"a":{"constructor":null}}')
})

t.test('escapes are undone, lone surrogates replaced', async t => {
  t.equal(parseJson('"\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\u00e9\\u20ac\\ud83d\\ude00"'), '"\\/\b\f\n\r\tAé€😀')
  t.equal(parseJson('"\\ud83dx"'), '\ufffdx')
  t.equal(parseJson('"\\ude00\\ud83d\\u0041"'), '\ufffd\ufffdA')
  t.equal(parseJson('"\\ud83d\\ud83d\\ude00"'), '\ufffd😀')
  t.throws(() => parseJson('"\\x"'), /unknown escape.* column 2/)
  t.throws(() => parseJson('"\\u12g4"'), /four hexadecimal digits/)
  t.throws(() => parseJson('"\\u123"'), /four hexadecimal digits/)
})

t.test('invalid JSON is an error with line and column', async t => {
  const wrong = [
    ['', 'expected a value, got the end at line 1, column 1'],
    ['{"a":1,}', 'expected a key in quotes, got "}" at line 1, column 8'],
    ['[1,]', 'expected a value, got "]" at line 1, column 4'],
    ['[1 2]', "expected ',' or ']', got \"2\" at line 1, column 4"],
    ['{"a" 1}', 'expected \':\', got "1" at line 1, column 6'],
    ['01', 'expected the end of the document, got "1" at line 1, column 2'],
    ['1.', 'expected a digit, got the end at line 1, column 3'],
    ['-', 'expected a digit, got the end at line 1, column 2'],
    ['1e+', 'expected a digit, got the end at line 1, column 4'],
    ['.5', 'expected a value, got "." at line 1, column 1'],
    ['+1', 'expected a value, got "+" at line 1, column 1'],
    ['nul', 'expected a value, got "n" at line 1, column 1'],
    ['NaN', 'expected a value, got "N" at line 1, column 1'],
    ['"a\nb"', 'control character in a text; it must be escaped at line 1, column 3'],
    ['"a', 'the text has no end at line 1, column 3'],
    ['{"é":\n\n  x}', 'expected a value, got "x" at line 3, column 3'],
    ['"é" ü', 'expected the end of the document, got "ü" at line 1, column 5']
  ] as const
  for (const [text, message] of wrong) t.throws(() => parseJson(text), { name: 'ParseError', message }, text)
})

t.test('white space in a row is limited', async t => {
  t.equal(parseJson(`${' '.repeat(1 << 20)}1`), 1n)
  t.throws(() => parseJson(`[1,${' \n'.repeat(600_000)}2]`), { message: /more than 1048576 characters of white space/ })
})

t.test('depth is limited', async t => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
  t.ok(parseJson(nested(128)))
  t.throws(() => parseJson(nested(129)), /deeper than 128 levels at line 1, column 129/)
  t.throws(() => parseJson('{"a":'.repeat(1_000_000)), /deeper than 128 levels/)
})

t.test('bytes must be valid UTF-8', async t => {
  t.throws(() => parseJson(Buffer.from('"\xff"', 'latin1')), /invalid UTF-8/)
  t.equal(parseJson(new TextEncoder().encode(' "é" ')), 'é')
})

t.test('it agrees with JSON.parse on every document JSON.stringify makes', async () => {
  fc.assert(
    fc.property(fc.json(), text => {
      assert.deepEqual(plain(parseJson(text)), JSON.parse(text.replaceAll(/\\ud[89a-f]../gi, '\\ufffd')))
    }),
    { numRuns: 300 }
  )
})

t.test('it takes exactly what JSON.parse takes', async t => {
  const token = fc.constantFrom(...'{}[],:"\\'.split(''), '1', '0', '-', '.', 'e', 'true', 'null', ' ', 'u00e9', '"a"')
  fc.assert(
    fc.property(fc.array(token, { maxLength: 12 }), tokens => {
      const text = tokens.join('')
      t.equal(
        accepts(() => parseJson(text)),
        accepts(() => JSON.parse(text)),
        text
      )
    }),
    { numRuns: 2000 }
  )
})

function accepts(read: () => unknown): boolean {
  try {
    read()
    return true
  } catch (error) {
    if (isDbError(error) || error instanceof SyntaxError) return false
    throw error
  }
}

t.test('arbitrary bytes give a value or a ParseError', async () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), bytes => {
      accepts(() => parseJson(bytes))
    }),
    { numRuns: 500 }
  )
})

t.test('values are written compactly, keys in the order of their bytes', async t => {
  t.equal(
    writeJson(parseJson('{"b":[1, 2.0, null],"a":{"é":true,"z":"\\n"}}')),
    '{"a":{"z":"\\n","é":true},"b":[1,2.0,null]}'
  )
  t.equal(writeJson({ '\u{1f600}': 1n, '\uffee': 2n }), '{"\uffee":2,"\u{1f600}":1}')
  t.equal(writeJson([9223372036854775807n, 1e21, 0.1, -0, 5e-324]), '[9223372036854775807,1e+21,0.1,-0.0,5e-324]')
  t.equal(writeJson([Number.NaN, Number.POSITIVE_INFINITY]), '[null,null]')
  t.equal(writeJson(new Timestamp(1_700_000_000_123_000_000n)), '"2023-11-14T22:13:20.123Z"')
  t.equal(writeJsonString('\u0001"\ud800'), '"\\u0001\\"\\ud800"')
})

t.test('compareUtf8 orders as the encoded bytes do', async () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (a, b) => {
      assert.equal(Math.sign(compareUtf8(a, b)), Buffer.compare(Buffer.from(a), Buffer.from(b)))
    })
  )
})

t.test('written JSON reads back the same', async () => {
  const value = fc.letrec<{ value: ItemValue }>(tie => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constant(null),
      fc.boolean(),
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.string({ unit: 'grapheme' }),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(fc.string(), tie('value'), { maxKeys: 4, noNullPrototype: false }) as fc.Arbitrary<ItemValue>
    )
  })).value
  fc.assert(
    fc.property(value, value => {
      const text = writeJson(value)
      assert.equal(writeJson(parseJson(text)), text)
    }),
    { numRuns: 300 }
  )
})
