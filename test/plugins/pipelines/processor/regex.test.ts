import t from 'tap'
import { processorTime } from '../../../time.ts'
import { compile, processed } from '../sample-run.ts'

const regex = (options: string, item: Record<string, string>) => processed(`  - regex: { ${options} }`, item)

t.test('named groups become fields behind the field name or its new name', async t => {
  const path = '/cart/77'
  const pattern = String.raw`pattern: '^/(?<area>\w+)/(?P<id>\d+)'`
  t.same(regex(`field: path, ${pattern}`, { path }), { path, path_area: 'cart', path_id: '77' })
  t.same(regex(`field: "path, p", ${pattern}`, { path }), { path, p_area: 'cart', p_id: '77' })
})

t.test('groups are found in text of any script', async t => {
  const x = 'größe=αβγ; ende'
  t.same(regex(`field: x, pattern: '=(?<v>[^;]+);'`, { x }), { x, x_v: 'αβγ' })
})

t.test('every pattern is tried, no match is not an error, and a group that took no part is not set', async t => {
  const both = `field: x, pattern: '(?<a>\\d+)', patterns: ['(?<b>[a-z]+)|(?<c>[A-Z]+)']`
  t.same(regex(both, { x: '7 ab' }), { x: '7 ab', x_a: '7', x_b: 'ab' })
  t.same(regex(both, { x: '-' }), { x: '-' })
})

t.test('wrong patterns are refused when the document is compiled', async t => {
  const wrong = ['(?<a>', 'no group', '(\\d+)', '(?<a>x)(?=y)', '(?<a>x)\\1']
  for (const pattern of wrong) {
    const text = `processors:\n  - regex: { field: x, pattern: ${JSON.stringify(pattern)} }`
    t.throws(() => compile(text), { code: 'InvalidArguments' }, pattern)
  }
  t.throws(() => compile(`processors:\n  - regex: { pattern: '(?<a>x)' }`), /field or fields is required/)
  t.throws(() => compile('processors:\n  - regex: { field: x }'), /pattern or patterns is required/)
})

t.test('a pattern that explodes elsewhere runs in linear time', async t => {
  const time = (length: number) => {
    const start = processorTime()
    regex(`field: x, pattern: '^(?<a>(?:a|a)*)*b$'`, { x: 'a'.repeat(length) })
    return processorTime() - start
  }
  time(1000)
  t.ok(time(20_000) < 2000)
})
