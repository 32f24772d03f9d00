import t from 'tap'
import { fixedFloat, formatFloat } from '../../../../plugins/promql/engine/number.ts'
import type { MatrixSelector } from '../../../../plugins/promql/language/ast.ts'
import { resolveDuration } from '../../../../plugins/promql/language/duration.ts'
import {
  formatDuration,
  parseDuration,
  parseNumber,
  quote,
  unquote
} from '../../../../plugins/promql/language/literal.ts'
import { parse } from '../../../../plugins/promql/language/parse.ts'
import { limits } from '../source.ts'

t.test('numbers are decimal, hexadecimal, infinite, no numbers, or durations in seconds', async t => {
  const numbers: readonly (readonly [string, number | undefined])[] = [
    ['1_000', 1000],
    ['1e-3', 0.001],
    ['-0x10', -16],
    ['+Inf', Number.POSITIVE_INFINITY],
    ['-inf', Number.NEGATIVE_INFINITY],
    ['nan', Number.NaN],
    ['1m30s', 90],
    ['-1ms', -0.001],
    ['1s1m', undefined],
    ['1..2', undefined],
    ['1__0', undefined],
    ['1_', undefined],
    ['0x8000000000000000', undefined],
    ['0x7fffffffffffffff', 2 ** 63],
    ['1e400', undefined],
    ['-017', -15],
    ['09', 9],
    ['293y', undefined],
    ['x', undefined]
  ]
  for (const [text, value] of numbers) t.ok(Object.is(parseNumber(text), value), `${text}: ${parseNumber(text)}`)
})

t.test('durations have units from large to small, each once', async t => {
  t.equal(parseDuration('1y2w3d4h5m6s7ms'), 31_536_000 + 2 * 604_800 + 3 * 86_400 + 4 * 3_600 + 306 + 0.007)
  for (const text of ['', '1', '5m1h', '1h1h', '1.5h', 'h']) t.equal(parseDuration(text), undefined, text)
  for (const text of ['0s', '1ms', '1s', '1m30s', '1h', '8d', '1w', '1y', '-5m', '1d1ms']) {
    t.equal(
      formatDuration(text.startsWith('-') ? -parseDuration(text.slice(1))! * 1000 : parseDuration(text)! * 1000),
      text
    )
  }
})

t.test('texts have the escapes of Go, and quotes go around anything', async t => {
  const texts: readonly (readonly [string, string | undefined])[] = [
    ['"a\\n\\t\\x41\\u00e9\\U0001F600\\101"', 'a\n\tAé😀A'],
    ['"\\xc3\\xa9"', 'é'],
    ['"\\xff"', '\udcff'],
    ["'it\\'s'", "it's"],
    ['"\\\'"', undefined],
    ['`\\n`', '\\n'],
    ['"a\nb"', undefined],
    ['"\\ud800"', undefined],
    ['"', undefined]
  ]
  for (const [literal, value] of texts) t.equal(unquote(literal), value, literal)
  for (const text of ['', 'a"b\\c', 'line\nline\t', '\u0001', 'é😀', '\udcff']) t.equal(unquote(quote(text)), text)
})

t.test('numbers are written as Prometheus writes them', async t => {
  const numbers: readonly (readonly [number, string, string])[] = [
    [0, '0', '0'],
    [-0, '-0', '-0'],
    [0.1, '0.1', '0.1'],
    [1e21, '1e+21', '1000000000000000000000'],
    [1e20, '100000000000000000000', '100000000000000000000'],
    [1e-7, '1e-07', '0.0000001'],
    [-2.5e-10, '-2.5e-10', '-0.00000000025'],
    [5e-324, '5e-324', `0.${'0'.repeat(323)}5`],
    [Number.NaN, 'NaN', 'NaN'],
    [Number.NEGATIVE_INFINITY, '-Inf', '-Inf']
  ]
  for (const [value, text, fixed] of numbers) {
    t.equal(formatFloat(value), text)
    t.equal(fixedFloat(value), fixed)
  }
})

t.test('durations may be computed from the step and the range of the query', async t => {
  const query = { step: 30_000, range: 3_600_000 }
  const cases: readonly (readonly [string, number])[] = [
    ['step()', 30_000],
    ['2 * step()', 60_000],
    ['range() / 60', 60_000],
    ['1m + 30s', 90_000],
    ['min_of(step(), 10s)', 10_000],
    ['max_of(step(), 10s)', 30_000],
    ['(5 - 2) * 1m ', 180_000],
    ['2 ^ 3', 8_000],
    ['7 % 4', 3_000]
  ]
  for (const [text, milliseconds] of cases) {
    const { range } = parse(`up[${text}]`, limits) as MatrixSelector
    t.equal(resolveDuration(range, query), milliseconds, text)
  }
})
