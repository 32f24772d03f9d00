// Processors on bytes give what plain implementations on strings give.
import fc from 'fast-check'
import t from 'tap'
import type { Item } from '../../../../core/index.ts'
import { processed } from '../sample-run.ts'

const letters = fc.constantFrom(
  'a',
  'Z',
  '0',
  ' ',
  ',',
  ';',
  '"',
  "'",
  '\n',
  '\r',
  '%',
  '%4',
  '%41',
  '%C3%A9',
  '/',
  '~',
  'é',
  '😀'
)
const colours = fc.constantFrom('\u001b[31m', '\u001b[', '\u001b', '1;2', 'm', '[', '\u001b[m')
const text = fc.array(fc.oneof(letters, colours), { maxLength: 12 }).map(parts => parts.join(''))

function field(processor: string, x: string, name = 'x'): unknown {
  const result = processed(`  - ${processor}`, { x })
  return typeof result === 'string' ? result : (result as Item)[name]
}

function holds(property: fc.IProperty<[string]> | fc.IProperty<[string[]]>) {
  const check = fc.check(property as fc.IProperty<unknown>, { numRuns: 600 })
  return check.failed ? fc.defaultReportMessage(check) : ''
}

t.test('percent encoding', async t => {
  const encoded = (x: string) =>
    encodeURIComponent(x).replace(/[!*'()]/g, sign => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
  t.equal(holds(fc.property(text, x => field('urlencoding: { field: x, method: encode }', x) === encoded(x))), '')
  t.equal(holds(fc.property(text, x => field('urlencoding: { field: x }', encoded(x)) === x)), '')
})

t.test('colours', async t => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
  const plain = (x: string) => x.replace(/\u001b\[[0-9;]*m/g, '')
  t.equal(holds(fc.property(text, x => field('decolorize: { field: x }', x) === plain(x))), '')
})

t.test('case', async t => {
  const lower = (x: string) => x.replace(/[A-Z]/g, letter => letter.toLowerCase())
  const upper = (x: string) => x.replace(/[a-z]/g, letter => letter.toUpperCase())
  t.equal(holds(fc.property(text, x => field('letter: { field: x }', x) === lower(x))), '')
  t.equal(holds(fc.property(text, x => field('letter: { field: x, method: upper }', x) === upper(x))), '')
})

t.test('columns that were quoted come back', async t => {
  const quote = (column: string) => `"${column.replaceAll('"', '""')}"`
  const columns = fc.array(text, { minLength: 3, maxLength: 3 })
  const read = (row: string) => {
    const result = processed('  - csv: { field: row, target_fields: "a,b,c" }', { row })
    return typeof result === 'string' ? [] : ['a', 'b', 'c'].map(name => result[name])
  }
  const same = (list: string[]) => {
    const row = list.map(column => (/[",\r\n]/.test(column) || list[0] === '' ? quote(column) : column)).join(',')
    return JSON.stringify(read(row)) === JSON.stringify(list)
  }
  t.equal(holds(fc.property(columns, same)), '')
})
