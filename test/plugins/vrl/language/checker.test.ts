// Programs that the compiler refuses, with code and position.
import t from 'tap'
import { compile, kindText, position, printDiagnostics, writeValue } from '../../../../plugins/vrl/language/index.ts'
import { isWithin, kindOf } from '../../../../plugins/vrl/language/kind.ts'
import { processorTime } from '../../../time.ts'

const refused: readonly (readonly [source: string, first: string])[] = [
  ['upcase(.s)', 'E110 1:8'],
  ['.n = to_int(.n)', 'E103 1:6'],
  ['to_int(.n)', 'E100 1:1'],
  ['if contains(.m, "a") { 1 }', 'E110 1:13'],
  ['if .a { 1 }', 'E102 1:4'],
  ['upcase(1)', 'E110 1:8'],
  ['nothing()', 'E105 1:1'],
  ['http_request("http://x")', 'E105 1:1'],
  ['upcase("a", "b")', 'E106 1:13'],
  ['upcase()', 'E107 1:1'],
  ['upcase(text: "a")', 'E108 1:8'],
  ['upcase("a") -> |x| { x }', 'E109 1:13'],
  ['for_each([])', 'E111 1:1'],
  ['for_each([]) -> |v| { v }', 'E120 1:14'],
  ['filter([1]) -> |_i, v| { v }', 'E122 1:24'],
  ['ok, err = 1', 'E104 1:5'],
  ['1 ?? 2', 'E651 1:1'],
  ['upcase(to_string(.a))', 'E630 1:8'],
  ['abort 1', 'E113 1:7'],
  ['abort to_string(.a)', 'E631 1:7'],
  ['_ = 1', 'E640 1:1'],
  ['x = 1\nx.y = 2', 'E642 2:1'],
  ['1 < 2 < 3', 'E650 1:7'],
  ['1 | {}', 'E652 1:1'],
  ['!1', 'E660 1:2'],
  ['x', 'E701 1:1'],
  ['{ x = 1 }\nx', 'E701 2:1'],
  ["r'('", 'E101 1:1'],
  ["t'yesterday'", 'E601 1:1'],
  ['99999999999999999999', 'E206 1:1'],
  ['"open', 'E207 1:1'],
  ["s'open", 'E208 1:1'],
  ['"\\q"', 'E209 1:2'],
  ['"\\u{110000}"', 'E211 1:2'],
  ['for = 1', 'E205 1:1'],
  ['a!=b', 'E203 1:2'],
  ['5-3', 'E203 1:2'],
  ['a = ', 'E204 1:5'],
  ['?', 'E200 1:1'],
  ['"a".b', 'E203 1:4'],
  ['split("a", ",", limit: "b")', 'E110 1:24'],
  ['chunks("a", 0)', 'E610 1:1'],
  ['to_unix_timestamp(now(), "years")', 'E610 1:1'],
  ['to_unix_timestamp(now(), string!(.u))', 'E610 1:1'],
  ['exists(1)', 'E610 1:1']
]

t.test('a program that cannot be right is refused with code and place', async t => {
  for (const [source, first] of refused) {
    const { program, diagnostics } = compile(source)
    t.equal(program, undefined, source)
    const { code, span } = diagnostics[0]!
    const { line, column } = position(source, span.start)
    t.equal(`E${code} ${line}:${column}`, first, source)
  }
})

const accepted: readonly (readonly [source: string, kind: string])[] = [
  ['.x = "5"\nupcase(.x)', 'string'],
  ['x = if .a == 1 { "a" } else { 1 }\nx', 'string or integer'],
  ['s = string(.s) ?? ""\ns', 'string'],
  ['.a = string!(.a)\nupcase(.a)', 'string'],
  ['10 / 4', 'float'],
  ['n = 4\n10 / n', 'float'],
  ['.a || "x"', 'string, integer, float, boolean, timestamp, regex, array or object'],
  ['parse_regex!("a", r\'(?P<x>a)\').x', 'string'],
  ['map_values(["a"]) -> |v| { upcase(v) }', 'array'],
  ['. = {"a": 1}\ndel(.a)', 'integer'],
  ['if .a == 1 { return 1 }\n"x"', 'string or integer'],
  ['. = {"a": [1, "x"], "h": "b"}\nx = unnest(.a)\nupcase(x[0].h)', 'string'],
  ['. = {"a": [1, "x"]}\n. = unnest(.a)\nupcase(.[1].a)', 'string'],
  ['. = {"p": {"a": [1]}}\nx = unnest(.p.a)\nx[0].p.a + 1', 'integer'],
  ['map_values(unnest({"a": ["x"], "h": "b"}.a)) -> |v| { upcase(v.a + v.h) }', 'array'],
  ['round(1.5)', 'float']
]

t.test('a call that cannot fail needs no handling, and kinds follow the flow', async t => {
  for (const [source, kind] of accepted) {
    const { program, diagnostics } = compile(source)
    t.equal(program && kindText(program.kind), kind, `${source}\n${printDiagnostics(source, diagnostics)}`)
  }
})

t.test('the type of a value says where it may be missing, and what each item is', async t => {
  const cases: readonly (readonly [source: string, type: string])[] = [
    ['x = [1, "a"]\ntype_def(x[1])', '{"bytes":true}'],
    ['x = [1, "a"]\ntype_def(x[-2])', '{"integer":true}'],
    ['x = [1, "a"]\ntype_def(x[2])', '{"undefined":true}'],
    ['type_def({"a": 1}.b)', '{"undefined":true}'],
    ['x = split("a b", " ")\ntype_def(x[1])', '{"bytes":true,"undefined":true}'],
    ['x = split("a b", " ")\ny = x[1]\ntype_def(y)', '{"bytes":true,"null":true}'],
    ['x = split("a b", " ")\ntype_def([x[1]])', '{"array":{"0":{"bytes":true,"null":true}}}'],
    ['type_def(.a)', '{"any":true}'],
    [
      '. = {"a": [1, "x"], "h": "b"}\ntype_def(unnest(.a))',
      '{"array":{"0":{"object":{"a":{"integer":true},"h":{"bytes":true}}},"1":{"object":{"a":{"bytes":true},"h":{"bytes":true}}}}}'
    ],
    [
      '. = {}\n.a = split("a b", " ")\ntype_def(unnest(.a))',
      '{"array":{},"array_unknown_infinite":{"object":{"a":{"bytes":true}},"undefined":true}}'
    ],
    ['. = {"a": []}\ntype_def(unnest(.a))', '{"array":{}}'],
    // Taking out the first item moves the second, which the copies overwrite.
    ['. = [[1, 2], "x"]\ntype_def(unnest(.[0])[0])', '{"array":{"0":{"integer":true}}}']
  ]
  for (const [source, type] of cases) {
    const { program, diagnostics } = compile(source)
    t.ok(program, `${source}\n${printDiagnostics(source, diagnostics)}`)
    const outcome = program!.run(new Map())
    t.equal(outcome.ok && writeValue(outcome.value), type, source)
  }
})

t.test('unnest makes values of the type it says', async t => {
  for (const event of ['{"a":[1,"x"],"h":"b"}', '{"a":[],"b":{"a":[{"c":1},{"c":2}],"d":null}}', '[[1,2],3,[4]]']) {
    for (const path of ['.a', '.b.a', '.[0]', '.[2]', '.b.a[1]', '.h']) {
      const { program } = compile(`. = ${event}\nunnest!(${path})`)
      const outcome = program?.run(new Map())
      if (outcome?.ok !== true) continue
      t.ok(isWithin(kindOf(outcome.value), program!.kind), `${event} ${path}: ${writeValue(outcome.value)}`)
    }
  }
})

t.test('an array of very many items is unnested with one type for all, at once', async t => {
  const items = Array.from({ length: 5000 }, (_, i) => (i % 2 === 0 ? '1' : '"x"')).join()
  const fields = Array.from({ length: 2000 }, (_, i) => `"f${i}":1`).join()
  const { program } = compile(`x = unnest({"a":[${items}],${fields}}.a)\ntype_def(x)`)
  t.ok(program)
  const started = processorTime()
  t.ok(compile(`type_def(unnest({"a":[${items}],"h":1}.a)[0].a)`).program)
  t.ok(processorTime() - started < 5000)
})

t.test('all problems of a program are reported in one pass', async t => {
  t.strictSame(
    compile('.a = nope()\nupcase(1)\n{ x = 1 }\nx').diagnostics.map(({ code }) => code),
    [105, 110, 701]
  )
  t.strictSame(
    compile('1 +\n)\n.a = 1 2\n').diagnostics.map(({ code }) => code),
    [203, 203]
  )
})

t.test('a diagnostic shows the line and marks the place', async t => {
  const source = '.a = 1\n.b = upcase(.c)'
  t.match(
    printDiagnostics(source, compile(source).diagnostics),
    /^error\[E103\]: unhandled fallible assignment\n {2}at 2:6\n {2}\|\n2 \| \.b = upcase\(\.c\)\n {2}\| {6}\^{10} this/
  )
})

t.test('a needless ! is a warning', async t => {
  const { program, diagnostics } = compile('upcase!("a")')
  t.ok(program)
  t.match(diagnostics, [{ code: 620, severity: 'warning' }])
})

t.test('paths may be read-only', async t => {
  const readOnly = [{ root: 'event' as const, path: ['a'], recursive: true }]
  t.match(compile('del(.a)', { readOnly }).diagnostics, [{ code: 610, title: /error\[E315\]/ }])
  for (const source of ['.a = 1', '.a.b = 1', '. = {}'])
    t.equal(compile(source, { readOnly }).diagnostics[0]?.code, 315, source)
  t.ok(compile('.b = .a', { readOnly }).program)
})

t.test('an expression without effect is a warning', async t => {
  const { program, diagnostics } = compile('"foo"\nx = 1\n_y = 2\n.a')
  t.ok(program)
  t.strictSame(
    diagnostics.map(({ code, severity, title }) => [code, severity, title]),
    [
      [900, 'warning', 'unused literal'],
      [900, 'warning', 'unused variable `x`']
    ]
  )
})

t.test('a constant is known inside closures that do not change it', async t => {
  t.ok(compile('n = 2\nfor_each([1]) -> |_i, v| { .x = mod(v, n) }').program)
  t.equal(compile('n = 2\nfor_each([1]) -> |_i, v| { .x = mod(v, n); n = v }').diagnostics[0]?.code, 103)
})

t.test('a program may end in an argument that must be known when it is compiled', async t => {
  const { program } = compile('parse_groks!("x", { abort })')
  t.match(program?.run(new Map()), { ok: false, aborted: true })
})
