// Results of programs: values, paths, operators, control flow, closures.
import t from 'tap'
import { compile, printDiagnostics, readJsonValue, writeValue } from '../../../../plugins/vrl/language/index.ts'

/** JSON of the result, the message of a failure, or what the compiler says. */
function run(source: string, event = '{}'): string {
  const { program, diagnostics } = compile(source)
  if (program === undefined) return printDiagnostics(source, diagnostics)
  const outcome = program.run(readJsonValue(event))
  return outcome.ok ? writeValue(outcome.value) : `${outcome.aborted ? 'abort: ' : ''}${outcome.message}`
}

function table(name: string, rows: readonly (readonly [source: string, result: string, event?: string])[]): void {
  t.test(name, async t => {
    for (const [source, result, event] of rows) t.equal(run(source, event), result, source)
  })
}

table('literals have exact values', [
  ['9223372036854775807', '9223372036854775807'],
  ['1_000', '1000'],
  ['1.50', '1.5'],
  ['2.0', '2.0'],
  ['"a\\n\\u{e9}\\{{ b }}"', '"a\\né{{ b }}"'],
  ["s'a\\nb\\'c'", '"a\\\\nb\\\\\'c"'],
  ["t'2026-01-31T12:00:00.5+01:00'", '"2026-01-31T11:00:00.500Z"'],
  ['{"b": 1, "a": [true, null,],}', '{"a":[true,null],"b":1}'],
  ['{}', '{}']
])

table('a template inserts variables', [
  ['who = "you"\n"to {{ who }}!"', '"to you!"'],
  ['n = null\n"<{{n}}>"', '"<>"']
])

table('operators bind as the language says', [
  ['1 + 2 * 3', '7'],
  ['true || false && false', 'false'],
  ['5 / 0 ?? 1', '1'],
  ['7 / 2', '3.5'],
  ['9223372036854775807 + 1', '-9223372036854775808'],
  ['"ab" * 2 + "c"', '"ababc"'],
  ['1 == 1.0', 'true'],
  ['"1" == 1', 'false'],
  ['{"a": 1} | {"a": 2, "b": 3}', '{"a":2,"b":3}'],
  ['!(1 > 2)', 'true'],
  ['null || "x"', '"x"'],
  ['null && true', 'false'],
  ["t'2026-01-01T00:00:00Z' < t'2026-01-01T01:00:00Z'", 'true']
])

table('paths read, write and remove', [
  ['.a."b c"[-1]', '2', '{"a":{"b c":[1,2]}}'],
  ['.missing.deep[3]', 'null'],
  ['.a[2] = 1\n.', '{"a":[null,null,1]}'],
  ['.a[-3] = 1\n.', '{"a":[1,null,9]}', '{"a":[9]}'],
  ['x.y.z = 1\nx', '{"y":{"z":1}}'],
  ['.a.b = 1\n.', '{"a":{"b":1}}', '{"a":"text"}'],
  ['del(.a)\n.', '{"b":2}', '{"a":1,"b":2}'],
  ['.x = del(.a[0])\n.', '{"a":[2],"x":1}', '{"a":[1,2]}'],
  ['%m = 1\n%m + 1', '2'],
  ['{"a": [1, 2]}.a[1]', '2']
])

table('a value that was read does not change with its source', [
  ['a = .o\n.o.x = 2\n[a, .o]', '[{"x":1},{"x":2}]', '{"o":{"x":1}}'],
  ['.p = .o\n.o.x = 2\n.', '{"o":{"x":2},"p":{"x":1}}', '{"o":{"x":1}}'],
  ['.o.y = 1\na = .o\n.o.y = 2\na.y = 3\n[a.y, .o.y]', '[3,2]', '{"o":{}}'],
  ['a = {"l": [1]}\nb = a\nb.l[0] = 2\n[a, b]', '[{"l":[1]},{"l":[2]}]'],
  ['r = []\nfor_each([1, 2]) -> |_i, v| { o.v = v; r = push(r, o) }\nr', '[{"v":1},{"v":2}]']
])

table('control flows', [
  ['if .n == 1 { "one" } else if .n == 2 { "two" } else { "many" }', '"two"', '{"n":2}'],
  ['if false { 1 }', 'null'],
  ['if (x = 1; x == 1) { "yes" }', '"yes"'],
  ['if true { 1 }\n\nelse { 2 }', '1'],
  ['return 1\n2', '1'],
  ['abort "stop"', 'abort: stop'],
  ['x = 1\n{ x = 2; y = 3 }\nx', '2']
])

table('errors become values or stop the program', [
  [
    'ok, err = to_int("x")\n[ok, err]',
    '[0,"function call error for \\"to_int\\" at (10:21): Invalid integer \\"x\\": invalid digit found in string"]'
  ],
  ['ok, err = to_int("7")\n[ok, err]', '[7,null]'],
  ['.a, _ = upcase(.a)\n.', '{"a":""}'],
  ['to_int!(.a)', 'function call error for "to_int" at (0:11): unable to coerce array into integer', '{"a":[]}'],
  ['upcase!(.a)', 'function call error for "upcase" at (0:11): expected string, got integer', '{"a":1}']
])

table('closures see the variables around them', [
  ['n = 0\nfor_each({"a": 1, "b": 2}) -> |_k, v| { n = n + v }\nn', '3'],
  ['k = "kept"\nfor_each({"a": 1}) -> |k, _| { k = "x" }\nk', '"kept"'],
  ['map_values([1, 2]) -> |v| { v * 2 }', '[2,4]'],
  ['for_each({"a": 1}) -> |_k, _v| { return 1 }', 'null'],
  [
    'for_each([1]) -> |_k, _v| { return 1 }',
    'function call error for "for_each" at (0:38): return cannot be used inside closures'
  ],
  [
    'x = 0\nfor_each([1, 2]) -> |_i, _v| { _y = x + 1; x = "s" }',
    'function call error for "for_each" at (6:58): can\'t add type integer to string'
  ]
])

t.test('a program leaves its event and metadata for whoever runs it', async t => {
  const { program } = compile('.b = .a\n%m = 1')
  program!.run(readJsonValue('{"a":1}'))
  t.equal(writeValue(program!.event), '{"a":1,"b":1}')
  t.equal(writeValue(program!.metadata), '{"m":1}')
})

t.test('functions on paths look into results of expressions as into anything else', async t => {
  for (const [place, before] of [
    ['{"foo": "bar", "list": [1]}', ''],
    ['x', 'x = {"foo": "bar", "list": [1]}\n'],
    ['', '. = {"foo": "bar", "list": [1]}\n']
  ] as const) {
    for (const [path, there] of [
      ['.foo', true],
      ['.baz', false],
      ['.foo.deep', false],
      ['.list[0]', true],
      ['.list[1]', false]
    ] as const) {
      t.equal(run(`${before}exists(${place}${path})`), String(there), `exists(${place}${path})`)
    }
    t.equal(run(`${before}unnest!(${place}.list)`), '[{"foo":"bar","list":1}]', place)
  }
})
