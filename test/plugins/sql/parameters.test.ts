import t from 'tap'
import { readParameters } from '../../../plugins/sql/text/parameters.ts'

t.test('as many values are read as a statement can use, and nothing of more', async t => {
  const list = (count: number) => `[${Array.from({ length: count }, (_, i) => i).join()}]`
  t.equal(readParameters(list(1_000), 1_000)!.size, 1_000)
  t.equal(readParameters(`{${Array.from({ length: 1_000 }, (_, i) => `"k${i}":"a,[{"`).join()}}`, 1_000)!.size, 1_000)
  for (const params of [list(1_001), list(1_000_000), '['.repeat(1_000_000)])
    t.throws(() => readParameters(params, 1_000), {
      code: 'InvalidArguments',
      message: /more than 1000 values.*max_sql_tokens/
    })
})

t.test('values that are nested are refused, however deep', async t => {
  const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
  t.throws(() => readParameters(nested(2), 50_000), { code: 'InvalidArguments', message: /must be a text, a number/ })
  t.throws(() => readParameters(nested(40_000), 50_000), { code: 'InvalidArguments', message: /nested too deeply/ })
  t.throws(() => readParameters('[1', 50_000), { code: 'InvalidArguments', message: /JSON/ })
})
