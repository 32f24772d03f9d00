import fc from 'fast-check'
import t from 'tap'
import { readQuery } from '../../../../plugins/promql/engine/query.ts'
import { QueryError } from '../../../../plugins/promql/language/error.ts'
import { parse } from '../../../../plugins/promql/language/parse.ts'
import { printExpr } from '../../../../plugins/promql/language/print.ts'
import { limits } from '../source.ts'

/** What it is printed as; absent: as it is written. */
const queries: readonly (readonly [text: string, printed?: string])[] = [
  ['1'],
  ['0x1F', '31'],
  ['1e3', '1000'],
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
  ['up{a=~"("}', /^1:1: parse error: label "a": .*\(/]
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

t.test('long and deep queries are refused', async t => {
  t.match(failure(() => parse('x'.repeat(10_001), limits))?.message, /10001 characters, at most 10000/)
  const deep = `${'('.repeat(300)}1${')'.repeat(300)}`
  t.match(failure(() => parse(deep, limits))?.message, /nests too deep/)
  t.match(failure(() => parse('-'.repeat(5_000).concat('1'), limits))?.message, /parse error/)
})

t.test('whatever the text, it is parsed or refused as a query, and soon', async t => {
  const words = queries
    .flatMap(([text]) => text.split(/(\W)/))
    .concat('#', '\\', '"', '`', '\u0000', 'é', '😀', '[', '{')
  const text = fc.array(fc.constantFrom(...words), { maxLength: 25 }).map(parts => parts.join(''))
  const began = performance.now()
  fc.assert(
    fc.property(fc.oneof(text, fc.string({ maxLength: 40 })), text => {
      const error = failure(() => parse(text, limits))
      return error === undefined || error instanceof QueryError
    }),
    { numRuns: 1_500 }
  )
  t.ok(performance.now() - began < 20_000)
})

t.test('what is parsed at random prints as a text that means the same', async t => {
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
