import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { exportedNames, publicNames } from '../docs/api.ts'
import { generatedPages } from '../docs/generate.ts'

t.test('generated pages are up to date (npm run docs writes them)', async t => {
  for (const [name, text] of await generatedPages()) {
    t.equal(readFileSync(join(import.meta.dirname, '../docs', name), 'utf8'), text, `docs/${name}`)
  }
})

t.test('each name of weir-server has its documentation, and an example that a test runs', async t => {
  const names = publicNames()
  t.ok(names.length <= 65, `${names.length} names are promised: more are harder to keep`)
  for (const { name, text, example } of names) {
    t.not(text, '', `${name} says what it is`)
    t.ok(example, `${name} is used in an example`)
  }
})

t.test('the plugin guide says of names without a promise where they are from', async t => {
  const promised = new Set(publicNames().map(({ name }) => name))
  const page = readFileSync(join(import.meta.dirname, '../docs/plugin-guide.md'), 'utf8')
  const [guide] = page.replaceAll(/```[\s\S]*?```/g, '').split('## A plugin inside the repository')
  const others = exportedNames('core/index.ts').filter(name => !promised.has(name))
  t.ok(others.length > 100)
  for (const line of guide!.split('\n')) {
    const named = Array.from(line.matchAll(/`(\w+)\b/g), ([, name]) => name!).filter(name => others.includes(name))
    if (named.length > 0) t.match(line, 'weir-server/internals', named.join())
  }
})
