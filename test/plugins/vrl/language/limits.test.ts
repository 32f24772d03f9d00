// Limits on programs, which tenants write: size, depth, time and output.
import t from 'tap'
import { compile, readJsonValue } from '../../../../plugins/vrl/language/index.ts'

function failure(source: string, event = '{}', limits = {}): string {
  const { program, diagnostics } = compile(source, { limits })
  if (program === undefined) return diagnostics[0]!.label
  const outcome = program.run(readJsonValue(event))
  return outcome.ok ? 'no failure' : outcome.message
}

t.test('a long program is refused', async t => {
  t.match(failure('.a = 1\n'.repeat(10_000)), 'longer than 65536 characters')
})

t.test('deep nesting is refused', async t => {
  t.match(failure(`${'['.repeat(500)}1${']'.repeat(500)}`), 'more than 128 levels')
  t.match(failure(`${'!'.repeat(5000)}true`), 'more than 128 levels')
  t.equal(failure(Array(800).fill('1').join(' + ')), 'no failure')
})

t.test('long texts are refused before they are made', async t => {
  t.match(failure('x = "abc" * 1_000_000_000'), 'longer than 16777216 bytes')
  t.match(failure(`x = "abcdefgh"\n${'x = x + x\n'.repeat(40)}`), 'longer than')
  t.match(failure(`x = "abcdefgh"\n${'x = join!([x, x])\n'.repeat(40)}`), 'longer than')
})

t.test('values and kinds that double with every line do not hang the compiler or the run', async t => {
  const doubling = `x = [1]\ny = [1]\n${'x = [x, x]\ny = [y, y]\n'.repeat(60)}`
  t.match(failure(`${doubling}x == y`), 'too large to be compared')
  t.match(failure(`${doubling}encode_json(x)`), 'too long')
  t.match(failure(`${doubling}z = if .a == 1 { x } else { y }\nz`), 'no failure')
  t.match(failure(`x = [1]\n${'x = append(x, x)\n'.repeat(60)}`), 'longer than')
})

t.test('a run ends with its time', async t => {
  const source = `x = [1]\n${'x = append(x, x)\n'.repeat(12)}for_each(x) -> |_i, _v| { for_each(x) -> |_j, _w| { _z = 1 } }`
  t.match(failure(source, '{}', { time: 50 }), 'the program ran longer than 50 ms')
})

t.test('nothing handles a limit', async t => {
  t.match(failure('x = "abc" * 1_000_000_000 ?? "handled"'), /longer than|can't fail/)
  t.match(failure('x, err = to_int(string!(.s) * 1_000_000_000)', '{"s":"a"}'), 'longer than')
})

t.test('an index far out is refused', async t => {
  t.match(failure('.a[100_000_000] = 1'), 'too large')
})

t.test('a pattern that looks at all of the text for every match ends the run, whatever handles errors', async t => {
  const event = JSON.stringify({ s: 'x'.repeat(12_000) })
  for (const call of [
    "parse_regex_all(.s, r'x*y|x') ?? []",
    "split(string!(.s), r'x*y|x')",
    'replace(string!(.s), r\'x*y|x\', "z")',
    "replace_with(string!(.s), r'x*y|x') -> |m| { m.string }"
  ]) {
    t.match(failure(call, event, { time: 60_000 }), 'takes too long to find all matches', call)
    t.match(failure(call, event, { time: 20 }), /ran longer than 20 ms|takes too long/, call)
  }
})

t.test('an array is padded in front by more elements than a call takes arguments', async t => {
  const padded = '[.a[0], .a[1], .a[-1], length(array!(.a))]'
  t.equal(failure(`.a[-200000] = 1\nassert_eq!(${padded}, [1, null, 7, 200000])`, '{"a":[7]}'), 'no failure')
})
