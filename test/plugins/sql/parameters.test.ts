import t from 'tap'
import { runAtOnce } from '../../../core/index.ts'
import { readParameters } from '../../../plugins/sql/text/parameters.ts'

const read = (json: string, maxTokens: number) => runAtOnce(readParameters(json, maxTokens))!

t.test('as many values are read as a statement can use, and nothing of more', async t => {
  const list = (count: number) => `[${Array.from({ length: count }, (_, i) => i).join()}]`
  t.equal(read(list(1_000), 1_000).size, 1_000)
  t.equal(read(`{${Array.from({ length: 1_000 }, (_, i) => `"k${i}":"a,[{"`).join()}}`, 1_000).size, 1_000)
  for (const params of [list(1_001), list(1_000_000), '['.repeat(1_000_000)])
    t.throws(() => read(params, 1_000), {
      code: 'InvalidArguments',
      message: /more than 1000 values.*max_sql_tokens/
    })
})

t.test('values that are nested are refused, however deep', async t => {
  const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
  t.throws(() => read(nested(2), 50_000), { code: 'InvalidArguments', message: /must be a text, a number/ })
  t.throws(() => read(nested(40_000), 50_000), { code: 'InvalidArguments', message: /nested deeper than/ })
  t.throws(() => read('[1', 50_000), { code: 'InvalidArguments', message: /JSON/ })
})

t.test('numbers keep their digits, other values are as JSON has them', async t => {
  const digits = ['12345678901234567890123456789', '1.10', '-0.5e3']
  const values = read(`[${digits.join(' , ')}, "a\\n\\u00e9", true, null]`, 50)
  t.strictSame([...values.keys()], ['1', '2', '3', '4', '5', '6'])
  const texts = [...values.values()].map(tokens => tokens.map(({ value }) => value).join(''))
  t.strictSame(texts, [...digits, 'a\n\u00e9', 'true', 'null'])
  t.equal(read('{"a":1,"a":2}', 50).get('a')![0]!.value, '2', 'of equal names the last counts')
  t.equal(read(' [ ] ', 50).size, 0)
  for (const json of ['[1] 2', '[01]', '{"a"}', 'x'])
    t.throws(() => read(json, 50), { message: /params: not valid JSON/ }, json)
  for (const json of ['1', '"a"', 'null']) t.throws(() => read(json, 50), { message: /must be a JSON array/ }, json)
})

t.test('many values are read in steps', async t => {
  let steps = 0
  const reading = readParameters(`[${'1,'.repeat(24_989)}1]`, 25_000)
  while (!reading.next().done) steps++
  t.ok(steps >= 40, `${steps} steps`)
})
