import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { generatedPages } from '../docs/generate.ts'

t.test('generated pages are up to date (npm run docs writes them)', async t => {
  for (const [name, text] of await generatedPages()) {
    t.equal(readFileSync(join(import.meta.dirname, '../docs', name), 'utf8'), text, `docs/${name}`)
  }
})
