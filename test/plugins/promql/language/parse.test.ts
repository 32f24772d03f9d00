import fc from 'fast-check'
import t from 'tap'
import { readQuery } from '../../../../plugins/promql/engine/query.ts'
import { QueryError } from '../../../../plugins/promql/language/error.ts'
import { parse } from '../../../../plugins/promql/language/parse.ts'
import { printExpr } from '../../../../plugins/promql/language/print.ts'
import { processorTime } from '../../../time.ts'
import { limits } from '../source.ts'

/** What it is printed as; absent: as it is written. */
const queries: readonly (readonly [text: string, printed?: string])[] = [
  ['1'],
  ['0x1F', '31'],
  ['1e3', '1000'],
  ['0X1F', '31'],
  ['017', '15'],
  ['08', '8'],
  ['1_000.5', '1000.5'],
  ['0x7FFFFFFFFFFFFFFF', '9223372036854776000'],
  ['up[292y]'],
  ['{"a", __name__=~"b.*"}', '{"a", __name__=~"b.*"}'],
  ['.5', '0.5'],
  ['1.', '1'],
  ['-Inf'],
  ['NaN'],
  ['1h30m', '5400'],
  ['"a\\"b"'],
  ["'a'", '"a"'],
  ['`a\\b`', '"a\\\\b"'],
  ['up'],
  ['job:up:sum'],
  ['{__name__="up"}', '{"up"}'],
  ['{"up.time", "label.name"="x"}'],
  ['up{a="b",c!="d",e=~"f.*",g!~"h"}', 'up{a="b", c!="d", e=~"f.*", g!~"h"}'],
  ['up{a="b",}', 'up{a="b"}'],
  ['up{}', 'up'],
  ['up[5m]'],
  ['up[300]', 'up[5m]'],
  ['up offset 5m'],
  ['up offset -5m'],
  ['up @ 10', 'up @ 10.000'],
  ['up @ start() offset 1m'],
  ['up offset 1m @ end()', 'up @ end() offset 1m'],
  ['up[5m] @ 1.5 offset 1w', 'up[5m] @ 1.500 offset 1w'],
  ['rate(up[5m])[1h:1m]'],
  ['rate(up[5m])[1h:]'],
  ['-up'],
  ['-1 ^ 2'],
  ['2 ^ 3 ^ 2'],
  ['1+2*3', '1 + 2 * 3'],
  ['(1+2)*3', '(1 + 2) * 3'],
  ['a and b or c unless d'],
  ['a atan2 b'],
  ['a AND b', 'a and b'],
  ['a == bool b'],
  ['a / on(x) b', 'a / on (x) b'],
  ['a / ignoring(x,y) group_left(z) b', 'a / ignoring (x, y) group_left (z) b'],
  ['a / on() group_right b', 'a / on () group_right () b'],
  ['sum(up)'],
  ['sum by(a,b)(up)', 'sum by (a, b) (up)'],
  ['SUM(up) BY (a)', 'sum by (a) (up)'],
  ['sum without() (up)', 'sum without () (up)'],
  ['topk(3, up)'],
  ['count_values("version", up)'],
  ['sum by ("label.name") (up)'],
  ['histogram_quantile(0.9, sum by (le) (rate(x_bucket[5m])))'],
  ['label_replace(up, "a", "$1", "b", "(.*)")'],
  ['time()'],
  ['sum(up) # a comment', 'sum(up)'],
  ['foo\n+\nbar', 'foo + bar'],
  ['a + fill(0) b', 'a + fill (0) b'],
  ['up[step()]'],
  ['rate(up[5m] smoothed)'],
  ['min_of(1, max_of(2, 3))'],
  ['up[min_of(step(), 10s)] offset max_of(1m, step())'],
  ['up offset (min_of(1, step()) + 2) + min_of(1, 2)', 'up offset (min_of(1s, step()) + 2s) + min_of(1, 2)'],
  ['"min_of(1)"'],
  ['rate(up[5m] anchored)']
]

t.test('a query is printed with canonical spaces, and reads back as the same', async t => {
  for (const [text, printed = text] of queries) {
    const expr = parse(text, limits)
    t.equal(printExpr(expr), printed, text)
    t.same(withoutPlaces(parse(printed, limits)), withoutPlaces(expr), `${text} again`)
  }
})

function withoutPlaces(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, inner) => (key === 'start' || key === 'end' ? undefined : numberText(inner)))
  )
}

/** JSON has neither NaN nor -0. */
function numberText(value: unknown): unknown {
  return typeof value === 'number' ? (Object.is(value, -0) ? '-0' : String(value)) : value
}

const mistakes: readonly (readonly [text: string, message: RegExp])[] = [
  ['', /^1:1: parse error: no expression found in input/],
  ['   ', /^1:1: parse error: no expression found in input/],
  ['1 +', /^1:\d+: parse error: unexpected/],
  ['up{', /^1:\d+: parse error: unexpected end of input/],
  ['up{a=b}', /^1:6: parse error: unexpected/],
  ['sum(\n  up\n) by', /^3:\d+: parse error/],
  ['"abc', /parse error/],
  ['up{a="\\q"}', /^1:6: parse error: unterminated quoted string or invalid escape/],
  ['sum()', /^1:1: parse error: no arguments for aggregate expression/],
  ['sum(a, b, c)', /wrong number of arguments for aggregate expression/],
  ['topk(up)', /wrong number of arguments for aggregate expression provided, expected 2, got 1/],
  ['sum(1)', /^1:5: parse error: expected type instant vector in aggregation expression, got scalar/],
  ['rate(up)', /^1:6: parse error: expected type range vector in call to function "rate", got instant vector/],
  ['rate(up[5m], 1)', /expected 1 argument\(s\) in call to "rate", got 2/],
  ['nothing(up)', /parse error/],
  ['abs("a")', /expected type instant vector in call to function "abs", got string/],
  ['{}', /vector selector must contain at least one non-empty matcher/],
  ['{a=~".*"}', /vector selector must contain at least one non-empty matcher/],
  ['up{__name__="down"}', /metric name must not be set twice/],
  ['1 == 2', /comparisons between scalars must use BOOL modifier/],
  ['1 and 2', /set operator "and" not allowed in binary scalar expression/],
  ['a + bool b', /bool modifier can only be used on comparison operators/],
  ['a and on(x) group_left b', /no grouping allowed for "and" operation/],
  ['a / on(x) group_left(x) b', /label "x" must not occur in ON and GROUP clause at once/],
  ['1 + on(a) up', /vector matching only allowed between instant vectors/],
  ['up[5m] + 1', /binary expression must contain only scalar and instant vector types/],
  ['-"a"', /unary expression only allowed on expressions of type scalar or instant vector/],
  ['up[0s]', /duration must be greater than 0/],
  ['(up)[5m]', /ranges only allowed for vector selectors/],
  ['up offset 1m offset 2m', /offset may not be set multiple times/],
  ['up @ 1 @ 2', /@ <timestamp> may not be set multiple times/],
  ['up @ Inf', /timestamp out of bounds for @ modifier/],
  ['sum(up) offset 5m', /offset modifier must be preceded by/],
  ['1[5m:1m]', /subquery is only allowed on instant vector/],
  ['rate(up[5m] smoothed)', /^1:6: parse error: the smoothed modifier is not supported/],
  ['up{a=~"("}', /^1:4: parse error: error parsing regexp: missing closing \): `\(`$/],
  ['up{a=~")("}', /^1:4: parse error: error parsing regexp: unexpected \): `\)\(`$/],
  ['up{a!~"*"}', /^1:4: parse error: error parsing regexp: missing argument to repetition operator: `\*`$/],
  ['level{__name__=~"temp"}', /^1:1: parse error: metric name must not be set twice: "level" or "temp"$/],
  ['a{"b"}', /metric name must not be set twice: "a" or "b"$/],
  ['nope(up)', /^1:1: parse error: unknown function with name "nope"$/],
  ['1 +\n  RATE(up[5m])', /^2:3: parse error: unknown function with name "RATE"$/],
  ['"é" + nope(x)', /^1:8: parse error: unknown function with name "nope"$/],
  ['été', /^1:1: parse error: unexpected character: 'é'$/],
  ['up\u00a0+ 1', /^1:3: parse error: unexpected character: '\\u00a0'$/],
  ['1\f+ 1', /^1:2: parse error: unexpected character: '\\u000c'$/],
  ['sum by foo (bar)', /^1:8: parse error: unexpected identifier "foo" in grouping opts, expected "\("$/],
  ['sum by (foo bar)', /^1:13: parse error: unexpected identifier "bar" in grouping opts, expected "," or "\)"$/],
  ['a + on b', /^1:8: parse error: unexpected identifier "b" in grouping opts, expected "\("$/],
  ['up{a=b}', /^1:6: parse error: unexpected identifier "b" in label matching, expected string$/],
  ['up{a="b" c="d"}', /^1:10: parse error: unexpected identifier "c" in label matching, expected "," or "}"$/],
  ['up{a}', /^1:5: parse error: unexpected "}" in label matching, expected label matching operator$/],
  ['up{a="b"', /^1:9: parse error: unexpected end of input inside braces$/],
  ['sum(up', /^1:7: parse error: unclosed left parenthesis$/],
  ['up[5m', /^1:6: parse error: unclosed left bracket$/],
  ['up offset', /^1:10: parse error: unexpected end of input in offset, expected number or duration$/],
  ['up @ foo', /^1:6: parse error: unexpected identifier "foo" in @, expected timestamp$/],
  ['1 +* 2', /^1:4: parse error: unexpected <op:\*>$/],
  ['up[1m30]', /^1:4: parse error: bad number or duration syntax: "1m30"$/],
  ['up[5m1h]', /^1:4: parse error: not a valid duration string: "5m1h"$/],
  ['1__0', /^1:1: parse error: bad number or duration syntax: "1__0"$/],
  ['0xFFFFFFFFFFFFFFFFF', /^1:1: parse error: error parsing number: 0xFFFFFFFFFFFFFFFFF is out of range$/],
  ['1e400', /^1:1: parse error: error parsing number: 1e400 is out of range$/],
  ['up[293y]', /^1:4: parse error: duration out of range$/],
  ['up offset 106752d', /^1:11: parse error: duration out of range$/],
  ['293y', /^1:1: parse error: duration out of range$/]
]

t.test('a mistake is told with its place, its reason and code 2000', async t => {
  for (const [text, message] of mistakes) {
    const error = failure(() => readQuery({ text, experimental: false, limits }))
    t.match(error?.message, message, text)
    t.ok(error instanceof QueryError, `${text}: ${error?.name}`)
  }
})

t.test('experimental functions and syntax name the key that lets them in', async t => {
  const texts = [
    'limitk(1, up)',
    'mad_over_time(up[5m])',
    'info(up)',
    'up[step()]',
    'min_of(1, 2)',
    'a + fill(0) b',
    'sort_by_label(up, "a")'
  ]
  for (const text of texts) {
    const error = failure(() => readQuery({ text, experimental: false, limits }))
    t.match(error?.message, /experimental and must be enabled with plugins\.promql\.experimental/, text)
    t.equal(
      failure(() => readQuery({ text, experimental: true, limits })),
      undefined,
      `${text} is let in`
    )
  }
})

t.test('a chain of operators is as long as it likes, up to its limit', async t => {
  const long = { ...limits, length: 100_000 }
  const chain = (count: number, operator: string) => Array(count).fill('1').join(` ${operator} `)
  for (const operator of ['+', '^', '* 2 -']) {
    const text = chain(900, operator)
    t.equal(printExpr(parse(text, long)), text)
  }
  t.ok(parse(chain(2_001, '+'), long))
  t.match(failure(() => parse(chain(2_002, '+'), long))?.message, /more than 2000 operators .*max_query_operators/)
})

t.test('long and deep queries are refused', async t => {
  t.match(failure(() => parse('x'.repeat(10_001), limits))?.message, /10001 characters, at most 10000/)
  const deep = `${'('.repeat(300)}1${')'.repeat(300)}`
  t.match(failure(() => parse(deep, limits))?.message, /nests more than 200 deep \(plugins\.promql\.max_query_depth\)/)
  t.match(failure(() => parse('-'.repeat(5_000).concat('1'), limits))?.message, /parse error/)
})

t.test('any text is parsed or refused as a query, and soon', async t => {
  const words = queries
    .flatMap(([text]) => text.split(/(\W)/))
    .concat('#', '\\', '"', '`', '\u0000', 'é', '😀', '[', '{')
  const text = fc.array(fc.constantFrom(...words), { maxLength: 25 }).map(parts => parts.join(''))
  const began = processorTime()
  fc.assert(
    fc.property(fc.oneof(text, fc.string({ maxLength: 40 })), text => {
      const error = failure(() => parse(text, limits))
      return error === undefined || error instanceof QueryError
    }),
    { numRuns: 1_500 }
  )
  t.ok(processorTime() - began < 20_000)
})

t.test('a random expression prints as a text that means the same', async t => {
  const label = fc.constantFrom('a', 'le', 'label.name', 'é')
  const { expr } = fc.letrec<{ expr: string }>(tie => ({
    expr: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.constantFrom('up', '1', '-2', 'up{a="b"}', '{"x.y"}', 'rate(up[5m])', 'time()', 'up offset 3m', 'up @ 7'),
      tie('expr').map(inner => `(${inner})`),
      tie('expr').map(inner => `-${inner}`),
      tie('expr').map(inner => `abs(${inner})`),
      fc.tuple(tie('expr'), label).map(([inner, name]) => `sum by ("${name}") (${inner})`),
      fc
        .tuple(
          tie('expr'),
          fc.constantFrom('+', '-', '*', '/', '%', '^', '==', '<', 'and', 'or', '> bool'),
          tie('expr')
        )
        .map(parts => parts.join(' ')),
      tie('expr').map(inner => `(${inner})[1h:5m]`)
    )
  }))
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(expr, text => {
        let tree: ReturnType<typeof parse>
        try {
          tree = parse(text, limits)
        } catch (error) {
          return error instanceof QueryError
        }
        const again = parse(printExpr(tree), limits)
        return JSON.stringify(withoutPlaces(again)) === JSON.stringify(withoutPlaces(tree))
      }),
      { numRuns: 400 }
    )
  )
})

function failure(work: () => unknown): Error | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    return error as Error
  }
}
