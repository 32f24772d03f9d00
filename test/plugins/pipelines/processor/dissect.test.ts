import fc from 'fast-check'
import t from 'tap'
import { matchDissect, parseDissect } from '../../../../plugins/pipelines/processor/dissect-pattern.ts'
import { compile, processed } from '../sample-run.ts'

const refuse = (message: string) => new Error(message)

const dissect = (pattern: string, line: string, more = '') =>
  processed(`  - dissect:\n      field: line\n      pattern: ${JSON.stringify(pattern)}\n${more}`, { line })

t.test('placeholders take what stands between the literals', async t => {
  const cases: [string, string, Record<string, string>][] = [
    ['%{a} %{b}', 'x y z', { a: 'x', b: 'y z' }],
    ['%{a} %{b}', 'x ', { a: 'x', b: '' }],
    ['<%{a}>', '<x> rest is ignored', { a: 'x' }],
    ['%{}-%{?named}-%{c}', '1-2-3', { c: '3' }],
    ['%{a} %{a}', '1 2', { a: '2' }],
    ['%{a->} %{b}', 'x    y', { a: 'x', b: 'y' }],
    ['%{->} %{b}', 'x    y', { b: 'y' }],
    ['%{+a} %{+a} %{+a}', '1 2 3', { a: '1 2 3' }],
    ['%{+a/2}|%{+a/1}', '1|2', { a: '2 1' }],
    ['%{+a}/%{+b}/%{+a}', '1/2/3', { a: '1 3', b: '2' }],
    ['%{größe}é%{b}', 'αéβ', { größe: 'α', b: 'β' }],
    ['%{a}→→%{b}', 'x→→y', { a: 'x', b: 'y' }],
    ['%{*k}=%{&k} %{rest}', 'x=1 y', { rest: 'y' }],
    ['plain', 'plain text', {}]
  ]
  for (const [pattern, line, expected] of cases) t.same(dissect(pattern, line), { line, ...expected }, pattern)
  t.same(
    dissect(
      '[%{lvl->} ] %{+when} %{+when} %{?pid} %{msg}',
      '[INFO  ] 2025-03-04 05:06:07 991 up',
      '      append_separator: T'
    ),
    { line: '[INFO  ] 2025-03-04 05:06:07 991 up', lvl: 'INFO', when: '2025-03-04T05:06:07', msg: 'up' }
  )
})

t.test('a value ends at the first character of its literal, and there the whole literal must stand', async t => {
  t.match(dissect('%{a} - %{b}', 'x y - z'), /^Processor dissect: No matching pattern found for line = "x y - z"/)
  t.match(dissect('a%{b}', 'x'), /No matching pattern/)
  t.match(dissect('%{a},%{b}', 'no comma'), /No matching pattern/)
})

t.test('patterns are tried in order, fields of failing ones stay as they were', async t => {
  const text = '  - dissect:\n      fields: [line]\n      patterns: ["%{a}={%{b}", "%{b}=%{c}"]'
  t.same(processed(text, { line: 'x=y', a: 'old' }), { line: 'x=y', a: 'old', b: 'x', c: 'y' })
})

t.test('missing, null and wrongly typed input', async t => {
  const strict = '  - dissect: { field: line, pattern: "%{a}" }'
  const lenient = '  - dissect: { field: line, pattern: "%{a}", ignore_missing: true }'
  t.match(processed(strict, {}), /^Processor dissect: missing field: line \(processors\[0\] \(line 3\)\)$/)
  t.match(processed(strict, { line: null }), /missing field: line/)
  t.same(processed(lenient, { line: null }), { line: null })
  t.same(processed(lenient, {}), {})
  t.match(processed(lenient, { line: 5n }), /expect string value in line, but got integer/)
})

t.test('wrong patterns are refused when the document is compiled', async t => {
  const wrong = [
    '',
    '%{a}%{b}',
    '%{a',
    '%{a->b}',
    '%{a-}',
    '%{a/}',
    '%{a/1}',
    '%{+a/1/2}',
    '%{+}',
    '%{?}',
    '%{*}',
    '%{+/1}'
  ]
  for (const pattern of [...wrong, '%{a b}', '%{*a} %{b}', '%{*a} %{&b}', '%{*a} %{*a} %{&a}', '%{a.b}']) {
    const text = `processors:\n  - dissect: { field: x, pattern: ${JSON.stringify(pattern)} }`
    t.throws(
      () => compile(text),
      { code: 'InvalidArguments', message: /processors\[0\] \(line 2\), dissect: / },
      pattern
    )
  }
  t.throws(() => compile('processors:\n  - dissect: { field: x }'), /pattern or patterns is required/)
  t.throws(() => compile('processors:\n  - dissect: { field: x, pattern: 5 }'), /pattern must be a string/)
})

t.test('matching bytes equals a plain implementation on strings', async t => {
  const literal = fc.stringMatching(/^[ab é]{1,2}$/)
  const shape = fc.tuple(
    fc.stringMatching(/^[ab]?$/),
    fc.array(fc.tuple(literal, fc.boolean()), { maxLength: 4 }),
    fc.boolean()
  )
  const line = fc.stringMatching(/^[abc é]{0,20}$/)
  fc.assert(
    fc.property(shape, line, ([prefix, parts, open], text) => {
      const steps = parts.map(([literal, padded], i) => ({ name: `n${i}`, literal, padded }))
      if (open) steps.push({ name: 'last', literal: '', padded: false })
      const pattern =
        prefix + steps.map(({ name, literal, padded }) => `%{${name}${padded ? '->' : ''}}${literal}`).join('')
      if (pattern === '') return
      t.same(onBytes(pattern, text), onStrings(prefix, steps, text), `${pattern} on ${text}`)
    }),
    { numRuns: 500 }
  )
})

function onBytes(pattern: string, text: string): Record<string, string> | undefined {
  const compiled = parseDissect(pattern, refuse)
  const bytes = Buffer.from(`..${text}..`)
  const ranges = new Uint32Array(compiled.steps.length * 2)
  if (!matchDissect(compiled, bytes, 2, bytes.length - 2, ranges)) return undefined
  const found: Record<string, string> = {}
  compiled.steps.forEach(({ placeholder }, i) => {
    if (placeholder.kind === 'name')
      found[placeholder.name] = bytes.subarray(ranges[i * 2], ranges[i * 2 + 1]).toString()
  })
  return found
}

function onStrings(prefix: string, steps: { name: string; literal: string; padded: boolean }[], text: string) {
  const found: Record<string, string> = {}
  if (!text.startsWith(prefix)) return undefined
  let rest = text.slice(prefix.length)
  for (const { name, literal, padded } of steps) {
    if (literal === '') {
      found[name] = rest
      return found
    }
    const at = rest.indexOf(literal[0]!)
    if (at < 0) return undefined
    found[name] = rest.slice(0, at)
    rest = rest.slice(at)
    while (padded && rest[1] === literal[0]) rest = rest.slice(1)
    if (!rest.startsWith(literal)) return undefined
    rest = rest.slice(literal.length)
  }
  return found
}
