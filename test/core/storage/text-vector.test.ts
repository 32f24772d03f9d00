import t from 'tap'
import { openDuckdb } from '../../../core/storage/embedded/duckdb/index.ts'
import { temporaryFolder } from '../../helpers.ts'

const signal = new AbortController().signal

/** Texts of a query as they are read, and the same as hexadecimal digits of DuckDB's own making. */
async function read(
  t: Parameters<typeof temporaryFolder>[0],
  text: string,
  from: string
): Promise<[unknown[], string[]]> {
  const folder = temporaryFolder(t)
  const duckdb = await openDuckdb({ folders: [folder], spill: folder, memoryLimit: 1 << 28, threads: 2 })
  t.teardown(() => duckdb.close())
  const sql = `SELECT s, hex(encode(s)) AS h FROM (SELECT ${text} AS s FROM ${from})`
  const result = await duckdb.stream({ sql }, signal, () => {})
  const texts: unknown[] = []
  const digits: string[] = []
  for await (const { rows, columns } of result.batches()) {
    for (let i = 0; i < rows; i++) {
      texts.push(columns[0]!.values[i])
      digits.push(columns[1]!.values[i] as string)
    }
  }
  return [texts, digits]
}

const cases: Record<string, readonly [string, string]> = {
  'short and long ones': [`repeat(chr(97 + (i % 26)::INT), (i % 40)::INT)`, 'range(5000) r(i)'],
  'more than ASCII, whole or in part': [
    `repeat(['a', 'ä', '😀', '日'][(i * i) % 4 + 1], (i % 15)::INT)`,
    'range(5000) r(i)'
  ],
  'nulls between them': [`CASE WHEN i % 3 = 0 THEN NULL ELSE 'a rather long text ' || i END`, 'range(5000) r(i)'],
  'repeated ones': [`['the first long text', 'another, longer text', 'kurz'][i % 3 + 1]`, 'range(5000) r(i)'],
  'a constant': [`'a constant that is long'`, 'range(5000) r(i)'],
  'beginnings of one text': [`'abcdefghijklmnopqrstuvwxyz'[:13 + i % 10]`, 'range(3000) r(i)'],
  'in any order': [`'long enough to be a pointer ' || i`, '(SELECT i FROM range(5000) r(i) ORDER BY hash(i))'],
  'large ones': [`repeat('x', 100000) || i`, 'range(50) r(i)']
}

for (const [name, [text, from]] of Object.entries(cases)) {
  t.test(`texts of a result are read whole: ${name}`, async t => {
    const [texts, digits] = await read(t, text, from)
    t.ok(texts.length > 0)
    const wrong = texts.findIndex(
      (text, i) => (text === null ? null : Buffer.from(String(text)).toString('hex').toUpperCase()) !== digits[i]
    )
    t.equal(wrong, -1)
  })
}

t.test('many long texts in a row are read piece by piece', async t => {
  const [texts, digits] = await read(t, `repeat('abc', 10000) || i`, 'range(300) r(i)')
  t.equal(texts.length, 300)
  t.equal(Buffer.from(String(texts[299])).toString('hex').toUpperCase(), digits[299])
})
