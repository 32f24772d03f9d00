import fc from 'fast-check'
import t from 'tap'
import {
  checkJson,
  eachMember,
  type JsonCursor,
  jsonCursor,
  parseJson,
  readJson,
  startsWith
} from '../../../core/index.ts'
import { eachElement } from '../../../core/model/json-walk.ts'

/** Reads with the walkers what JSON.parse reads at once. */
function walk(cursor: JsonCursor): unknown {
  if (startsWith(cursor, 0x7b)) {
    const found: [string, unknown][] = []
    eachMember(cursor, key => found.push([key, walk(cursor)]))
    return Object.fromEntries(found)
  }
  if (!startsWith(cursor, 0x5b)) return readJson(cursor)
  const found: unknown[] = []
  eachElement(cursor, () => found.push(walk(cursor)))
  return found
}

t.test('walks over every document as a parser of the whole reads it, whatever spaces are in it', async t => {
  const property = fc.property(fc.object({ values: [fc.string({ unit: 'grapheme' }), fc.boolean()] }), value => {
    for (const indent of [0, 1, '\t', '\r\n ']) {
      const text = JSON.stringify(value, null, indent)
      const cursor = jsonCursor(Buffer.from(text))
      t.strictSame(walk(cursor), JSON.parse(text))
      if (cursor.at !== cursor.end) throw new Error('the cursor is not behind the document')
    }
  })
  fc.assert(property, { numRuns: 50, seed: 20_261_121 })
  t.strictSame(walk(jsonCursor(Buffer.from('{"\\u0061\\n":[],"ö":[{}]}'))), { 'a\n': [], ö: [{}] })
})

t.test('says what is missing, and where', async t => {
  const cases: [string, RegExp][] = [
    ['{', /expected a key in quotes, got the end at line 1, column 2/],
    ['{a', /expected a key in quotes, got "a" at line 1, column 2/],
    ['{"a"}', /expected ':', got "}" at line 1, column 5/],
    ['{"a":true', /expected ',' or '}', got the end at line 1, column 10/],
    ['{"a":true,}', /expected a key in quotes, got "}" at line 1, column 11/],
    ['[true\n,]', /expected a value, got "]" at line 2, column 2/],
    ['[true true]', /expected ',' or ']', got "t" at line 1, column 7/],
    ['{"a', /the text has no end/]
  ]
  for (const [text, message] of cases) t.throws(() => walk(jsonCursor(Buffer.from(text))), message, text)
})

t.test('a document is checked as a parser of the whole checks it', async t => {
  const said = (read: () => unknown) => {
    try {
      read()
    } catch (error) {
      return (error as Error).message
    }
  }
  const token = fc.constantFrom(
    ...'{}[],:"\\'.split(''),
    '1',
    '-',
    '.',
    'e',
    'true',
    ' ',
    '\n',
    'u00e9',
    '"a"',
    '"a":',
    '['
  )
  const property = fc.property(fc.array(token, { maxLength: 12 }), tokens => {
    const text = tokens.join('')
    t.equal(
      said(() => checkJson(text)),
      said(() => parseJson(text)),
      text
    )
  })
  fc.assert(property, { numRuns: 1000, seed: 20_261_121 })
  for (const depth of [128, 129]) {
    const text = `${'[{"a":'.repeat(depth / 2)}${'[]'.repeat(depth % 2)}${depth % 2 ? '' : '0'}${'}]'.repeat(depth / 2)}`
    t.equal(
      said(() => checkJson(text)),
      said(() => parseJson(text)),
      String(depth)
    )
  }
})
