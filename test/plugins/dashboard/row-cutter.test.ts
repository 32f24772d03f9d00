import t from 'tap'
import { cutRows } from '../../../plugins/dashboard/web/src/row-cutter.ts'
import { createRandom } from '../../fuzz/random.ts'

function cut(text: string, pageRows: number, lengths: () => number) {
  const pages: { readonly list: unknown[]; readonly rows: number }[] = []
  const cutter = cutRows(pageRows, (parts, rows) => pages.push({ list: JSON.parse(parts.join('')), rows }))
  let rest: string | undefined
  for (let at = 0; at < text.length && rest === undefined; ) {
    const end = at + lengths()
    rest = cutter.push(text.slice(at, end))
    if (rest !== undefined) rest += text.slice(end)
    at = end
  }
  return { pages, rest, rows: cutter.rows() }
}

t.test('rows are cut into pages wherever the parts of their text end', async t => {
  const random = createRandom(11)
  const cells = [1, -2.5, null, 'a', '"', '\\', '],[', '\\"]', '{"a":[', [1, [2, '[']], { a: ['}'] }, '', 'ä€😀']
  for (let round = 0; round < 300; round++) {
    const rows = Array.from({ length: random.below(40) }, () =>
      Array.from({ length: 1 + random.below(4) }, () => cells[random.below(cells.length)])
    )
    const pageRows = 1 + random.below(12)
    const text = `${JSON.stringify(rows).slice(1)},"total_rows":${rows.length}}}]}`
    const found = cut(text, pageRows, () => 1 + random.below(30))
    t.strictSame(
      found.pages.flatMap(({ list }) => list),
      rows
    )
    t.equal(found.pages.length, Math.ceil(rows.length / pageRows))
    t.ok(
      found.pages.every(
        ({ list, rows }, i) => list.length === rows && (i === found.pages.length - 1 || rows === pageRows)
      )
    )
    t.equal(found.rows, rows.length)
    t.match(found.rest, ',"total_rows":')
  }
})

t.test('without an end there is none', async t => {
  const { pages, rest, rows } = cut('[1],["]', 1, () => 3)
  t.equal(rest, undefined)
  t.equal(pages.length, 1)
  t.equal(rows, 1)
})
