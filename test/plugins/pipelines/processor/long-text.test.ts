import t from 'tap'
import { processed } from '../sample-run.ts'

t.test('a pattern that looks at all of a long text for every match fails the item', async t => {
  const x = 'a'.repeat(30_000)
  t.match(
    processed(`  - gsub: { field: x, pattern: 'a(?:.*b)?', replacement: '' }`, { x }),
    /^Processor gsub: "a\(\?:\.\*b\)\?" takes too long to find all matches: stopped at character \d+ of 30000, .* \(processors\[0\] \(line 3\)\)$/
  )
  t.match(
    processed(`  - digest: { field: x, regex: ['a(?:.*b)?'] }`, { x }),
    /^Processor digest: "a\(\?:\.\*b\)\?" takes too long/
  )
})

t.test('long texts with many matches pass', async t => {
  const x = 'né 1 '.repeat(20_000)
  t.same(processed(`  - gsub: { field: x, pattern: '(\\d)|[é]', replacement: '-' }`, { x }), {
    x: 'n- - '.repeat(20_000)
  })
})
