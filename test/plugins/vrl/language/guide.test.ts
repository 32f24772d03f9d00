// The scripts of the VRL guide compile as they are printed there.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { run } from './functions/run.ts'

const guide = readFileSync(join(import.meta.dirname, '../../../../docs/pipelines.md'), 'utf8')
const chapter = guide.slice(guide.indexOf('## Scripts'), guide.indexOf('## Transform'))

t.test('scripts of the guide', async t => {
  const scripts = [...chapter.matchAll(/```coffee\n([^`]*)```/g)].map(([, script]) => script!)
  t.equal(scripts.length, 2)
  for (const script of scripts) t.notMatch(run(script, '{"lines":[{"kind":"a"}],"a":1}'), /error|warning/)
})

t.test('the first of them', async t => {
  const script = /source: \|\n([^`]*)```/.exec(chapter)![1]!
  const event = '{"message":"{\\"level\\":\\"WARN\\",\\"duration\\":\\"1.5\\"}"}'
  t.equal(run(script, event), '{"duration":"1.5","level":"warn","ms":1.5}')
})

t.test('refusals in the guide are those of the checker', async t => {
  const shown = run('.n = to_int(.a)').split('\n').slice(0, 5).join('\n')
  t.ok(chapter.includes(shown), shown)
})
