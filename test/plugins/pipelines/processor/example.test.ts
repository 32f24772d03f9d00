// The examples of the reference page do what the page says.
import t from 'tap'
import { formatTimestamp, type Item, type ItemValue, parseJson, Timestamp, writeJson } from '../../../../core/index.ts'
import { processors } from '../../../../plugins/processors.ts'
import { processed } from '../sample-run.ts'

t.test('every kind has a page entry whose example is true', async t => {
  for (const { kind, doc } of processors) {
    t.ok(doc, kind)
    if (doc === undefined) continue
    const { yaml, input, output } = doc.example
    const result = processed(`  - ${yaml}`, parseJson(input) as Item)
    const expected = result === 'dropped' ? 'nothing: the item is dropped' : output
    t.equal(typeof result === 'string' ? expected : shown(result), output, kind)
  }
})

t.test('kinds and options of the page are spelled as documents spell them', async t => {
  for (const { kind, doc } of processors) {
    t.match(kind, /^[a-z_]+$/)
    for (const { name, text } of doc?.options ?? []) {
      t.match(name, /^[a-z_]+$/, kind)
      t.match(text, /\.$/, `${kind}.${name}`)
    }
  }
})

function shown(item: Item): string {
  const sorted: Item = Object.create(null)
  for (const key of Object.keys(item).sort()) sorted[key] = plain(item[key]!)
  return writeJson(sorted)
}

function plain(value: ItemValue): ItemValue {
  return value instanceof Timestamp ? formatTimestamp(value.ns) : value
}
