import fc from 'fast-check'
import t from 'tap'
import { eachElement, eachMember, type JsonCursor, jsonCursor, readJson, startsWith } from '../../../core/index.ts'

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
