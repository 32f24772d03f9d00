import fc from 'fast-check'
import t from 'tap'
import { firstValue, parameterOf, parseParameters, readParameters } from '../../../core/http/query.ts'
import { runAtOnce } from '../../../core/pace.ts'

t.test('a query string becomes a record', async t => {
  const cases: [string, Record<string, unknown>][] = [
    ['', {}],
    ['a=1', { a: '1' }],
    ['a=1&b=2&a=3', { a: ['1', '3'], b: '2' }],
    ['match[]=up&match%5B%5D=down', { 'match[]': ['up', 'down'] }],
    ['flag', { flag: '' }],
    ['a=&&b', { a: '', b: '' }],
    ['sql=SELECT+1%2B1', { sql: 'SELECT 1+1' }],
    ['a=x=y', { a: 'x=y' }],
    ['a=100%25', { a: '100%' }],
    ['a=100%', { a: '100%' }],
    ['a=%f%f0%9f%98%80%', { a: '%f😀%' }],
    ['a=%ed%a0%80&b=%f4%90%80%80&c=%c0%af', { a: '%ed%a0%80', b: '%f4%90%80%80', c: '%c0%af' }],
    ['é=ü+%C3%BC', { é: 'ü ü' }],
    ['a=%zz%20b', { a: '%zz b' }],
    ['a=%ff%c3%a9', { a: '%ff%c3%a9' }],
    ['__proto__=1', { ['__proto__']: '1' }]
  ]
  for (const [text, expected] of cases) t.strictSame({ ...parseParameters(text) }, { ...expected }, text || 'nothing')
})

t.test('text written by URLSearchParams is read back', async t => {
  const text = fc.string({ unit: 'grapheme' })
  fc.assert(
    fc.property(
      text.filter(key => key !== ''),
      text,
      (key, value) => {
        const parameters = parseParameters(new URLSearchParams({ [key]: value }).toString())
        return firstValue(parameters, key) === value
      }
    )
  )
  t.pass()
})

t.test('no text makes it throw', async t => {
  fc.assert(fc.property(fc.string(), text => typeof parseParameters(text) === 'object'))
  t.pass()
})

t.test('runs of signs are text where the runtime says so, whatever they are', async t => {
  const byte = fc.oneof(fc.integer({ min: 0, max: 255 }), fc.constantFrom(0xc3, 0xa9, 0xe2, 0x82, 0xac, 0xf0, 0x9f))
  const run = fc.array(byte, { minLength: 1, maxLength: 6 })
  fc.assert(
    fc.property(run, bytes => {
      const signs = bytes.map(each => `%${each.toString(16).padStart(2, '0')}`).join('')
      let expected = signs
      try {
        expected = decodeURIComponent(signs)
      } catch {}
      return firstValue(parseParameters(`a=${signs}`), 'a') === expected
    }),
    { numRuns: 5000 }
  )
  t.pass()
})

t.test('more fields than are allowed are refused', async t => {
  t.strictSame({ ...runAtOnce(readParameters(Buffer.from('a&b&&c'), 3)) }, { a: '', b: '', c: '' })
  t.throws(() => runAtOnce(readParameters(Buffer.from('a&b&&c&d'), 3)), {
    code: 'InvalidArguments',
    message: /3 fields.*max_form_fields/
  })
})

t.test("a parameter is the URL's before the form's; bytes are no form", async t => {
  const query = parseParameters('a=url&b=')
  const body = parseParameters('a=form&b=form&c=form')
  const found = ['a', 'b', 'c', 'd'].map(key => parameterOf({ query, body }, key))
  t.strictSame(found, ['url', '', 'form', undefined])
  for (const other of [undefined, null, Buffer.from('c=form')]) {
    t.equal(parameterOf({ query, body: other }, 'c'), undefined)
  }
})

t.test('a long field is decoded in slices', async t => {
  const bytes = Buffer.from(`sql=${'%ffa%20+%'.repeat(200_000)}`)
  let slices = 1
  const steps = readParameters(bytes, 10)
  let step = steps.next()
  for (; !step.done; step = steps.next()) slices++
  t.equal(firstValue(step.value, 'sql'), '%ffa  %'.repeat(200_000))
  t.ok(slices > bytes.length / (128 << 10), `${slices} slices`)
})
