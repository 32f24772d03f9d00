import t from 'tap'
import { functionSignatures } from '../../../../plugins/promql/language/signature.ts'
import { ask, memorySource, native, run } from '../source.ts'

const minute = 60_000
const now = { start: 5 * minute }

const source = memorySource(minute, {
  'c_total{a="1"}': [0, 60, 120, 30, 90, 150],
  'g{a="1"}': [3, 1, 4, 1, 5, 9],
  'g{a="2"}': [2, -2.5, 0.4, Number.NaN, 7, -1.5],
  'flat{a="1"}': [2, 2, 2, 2, 2, 2],
  'text{host="web-10", path="/x"}': [1, 1, 1, 1, 1, 1],
  'text{host="web-9", path="/y"}': [2, 2, 2, 2, 2, 2],
  'x_bucket{le="1"}': [10, 10, 10, 10, 10, 10],
  'x_bucket{le="2"}': [30, 30, 30, 30, 30, 30],
  'x_bucket{le="+Inf"}': [40, 40, 40, 40, 40, 40],
  'h{a="1"}': [1, 2, 3, 4, 5, 6].map(n => native(2 * n, [n, 2 * n, n])),
  'target_info{instance="i", job="j", version="3"}': [1, 1, 1, 1, 1, 1],
  'up{instance="i", job="j"}': [1, 1, 1, 1, 1, 1]
})

/** What each answers at the fifth minute. A function is met by its name before a parenthesis. */
const cases: Readonly<Record<string, readonly string[]>> = {
  'abs(g{a="2"})': ['{a="2"} 1.5'],
  'ceil(g{a="2"})': ['{a="2"} -1'],
  'floor(g{a="2"})': ['{a="2"} -2'],
  'round(g{a="2"})': ['{a="2"} -1'],
  'round(vector(2.25), 0.5)': ['{} 2.5'],
  'sgn(g{a="2"})': ['{a="2"} -1'],
  'sqrt(g{a="1"})': ['{a="1"} 3'],
  'exp(vector(0))': ['{} 1'],
  'ln(exp(vector(2)))': ['{} 2'],
  'log2(vector(8))': ['{} 3'],
  'log10(vector(1000))': ['{} 3'],
  'clamp(g{a="1"}, 0, 5)': ['{a="1"} 5'],
  'clamp(g, 5, 0)': [],
  'clamp_max(g{a="1"}, 2)': ['{a="1"} 2'],
  'clamp_min(g{a="2"}, 0)': ['{a="2"} 0'],
  'deg(vector(pi()))': ['{} 180'],
  'rad(vector(180))': ['{} 3.141592654'],
  'sin(vector(0)) + cos(vector(0)) + tan(vector(0))': ['{} 1'],
  'asin(vector(0)) + acos(vector(1)) + atan(vector(0))': ['{} 0'],
  'sinh(vector(0)) + cosh(vector(0)) + tanh(vector(0))': ['{} 1'],
  'asinh(vector(0)) + acosh(vector(1)) + atanh(vector(0))': ['{} 0'],
  'time()': ['300'],
  'min_of(time(), 7) + max_of(2, -1)': ['9'],
  'max_of(1, NaN)': ['NaN'],
  'timestamp(g{a="1"} offset 30s)': ['{a="1"} 240'],
  'timestamp(abs(g{a="1"}))': ['{a="1"} 300'],
  'vector(1)': ['{} 1'],
  'scalar(g{a="1"})': ['9'],
  'scalar(g)': ['NaN'],
  'year(vector(1709210096))': ['{} 2024'],
  'month(vector(1709210096))': ['{} 2'],
  'day_of_month(vector(1709210096))': ['{} 29'],
  'day_of_week(vector(1709210096))': ['{} 4'],
  'day_of_year(vector(1709210096))': ['{} 60'],
  'days_in_month(vector(1709210096))': ['{} 29'],
  'hour(vector(1709210096))': ['{} 12'],
  'minute(vector(1709210096))': ['{} 34'],
  'minute()': ['{} 5'],
  'start() + end() + step() + range()': ['600'],
  'absent(nothing{a="1", b=~"x"})': ['{a="1"} 1'],
  'absent(g)': [],
  'absent_over_time(nothing{a="1"}[5m])': ['{a="1"} 1'],
  'absent_over_time(g[5m])': [],
  'rate(c_total[5m])': ['{a="1"} 0.875'],
  'increase(c_total[5m])': ['{a="1"} 262.5'],
  'irate(c_total[5m])': ['{a="1"} 1'],
  'delta(g{a="1"}[2m])': ['{a="1"} 8'],
  'idelta(g{a="1"}[5m])': ['{a="1"} 4'],
  'resets(c_total[6m])': ['{a="1"} 1'],
  'changes(g{a="2"}[6m])': ['{a="2"} 5'],
  'changes(flat[6m])': ['{a="1"} 0'],
  'deriv(c_total[2m])': ['{a="1"} 1'],
  'predict_linear(c_total[2m], 60)': ['{a="1"} 210'],
  'double_exponential_smoothing(flat[5m], 0.5, 0.5)': ['{a="1"} 2'],
  'avg_over_time(g{a="1"}[6m])': ['{a="1"} 3.833333333'],
  'sum_over_time(g{a="1"}[6m])': ['{a="1"} 23'],
  'count_over_time(g{a="2"}[6m])': ['{a="2"} 6'],
  'min_over_time(g{a="2"}[6m])': ['{a="2"} -2.5'],
  'max_over_time(g{a="2"}[6m])': ['{a="2"} 7'],
  'stddev_over_time(flat[6m])': ['{a="1"} 0'],
  'stdvar_over_time(g{a="1"}[2m])': ['{a="1"} 4'],
  'quantile_over_time(0.5, g{a="1"}[6m])': ['{a="1"} 3.5'],
  'mad_over_time(g{a="1"}[6m])': ['{a="1"} 2'],
  'last_over_time(g{a="1"}[6m])': ['{__name__="g", a="1"} 9'],
  'first_over_time(g{a="1"}[6m])': ['{__name__="g", a="1"} 3'],
  'present_over_time(g{a="1"}[6m])': ['{a="1"} 1'],
  'ts_of_first_over_time(g{a="1"}[6m])': ['{a="1"} 0'],
  'ts_of_last_over_time(g{a="1"}[6m])': ['{a="1"} 300'],
  'ts_of_min_over_time(g{a="1"}[6m])': ['{a="1"} 180'],
  'ts_of_max_over_time(g{a="1"}[6m])': ['{a="1"} 300'],
  'histogram_quantile(0.5, x_bucket)': ['{} 1.5'],
  'histogram_quantile(0.99, x_bucket)': ['{} 2'],
  'histogram_quantiles(x_bucket, "q", 0.25, 0.5)': ['{q="0.25"} 1', '{q="0.5"} 1.5'],
  'histogram_fraction(1, 2, x_bucket)': ['{} 0.5'],
  'histogram_count(h)': ['{a="1"} 24'],
  'histogram_sum(h)': ['{a="1"} 12'],
  'histogram_avg(h)': ['{a="1"} 0.5'],
  'histogram_fraction(1, 2, h)': ['{a="1"} 0.5'],
  'histogram_quantile(0.5, h)': ['{a="1"} 1.414213562'],
  'histogram_stddev(h) == bool sqrt(histogram_stdvar(h))': ['{a="1"} 1'],
  'histogram_count(rate(h[5m])) * 300': ['{a="1"} 20'],
  'histogram_count(sum_over_time(h[2m]))': ['{a="1"} 44'],
  'h </ 2': ['{__name__="h", a="1"} {count:18, sum:21.213203435596427, (0.5,1]:6, (1,2]:12}'],
  'label_replace(text{path="/x"}, "n", "$1", "host", "web-(.*)")': [
    '{__name__="text", host="web-10", n="10", path="/x"} 1'
  ],
  'label_replace(text{path="/x"}, "host", "", "path", "/x")': ['{__name__="text", path="/x"} 1'],
  'label_join(text{path="/x"}, "n", "|", "host", "path")': [
    '{__name__="text", host="web-10", n="web-10|/x", path="/x"} 1'
  ],
  'sort(g)': ['{__name__="g", a="2"} -1.5', '{__name__="g", a="1"} 9'],
  'sort_desc(g)': ['{__name__="g", a="1"} 9', '{__name__="g", a="2"} -1.5'],
  'sort_by_label(text, "host")': [
    '{__name__="text", host="web-9", path="/y"} 2',
    '{__name__="text", host="web-10", path="/x"} 1'
  ],
  'sort_by_label_desc(text, "host")': [
    '{__name__="text", host="web-10", path="/x"} 1',
    '{__name__="text", host="web-9", path="/y"} 2'
  ],
  'info(up)': ['{__name__="up", instance="i", job="j", version="3"} 1']
}

t.test('functions', async t => {
  for (const [text, wanted] of Object.entries(cases)) t.same(await ask(source, text, now), wanted, text)
})

t.test('every function is met by a case', async t => {
  const met = new Set(Object.keys(cases).flatMap(text => [...text.matchAll(/(\w+)\(/g)].map(([, name]) => name!)))
  const unmet = [...functionSignatures.keys()].filter(name => !met.has(name) && name !== 'start_timestamp')
  t.same(unmet, [])
})

t.test('an annotation of several steps is told once', async t => {
  const crooked = memorySource(15_000, {
    'x_bucket{le="1"}': [5, 9, 300],
    'x_bucket{le="2"}': [4, 7, 100],
    'x_bucket{le="+Inf"}': [6, 10, 400]
  })
  const { infos } = await run(crooked, 'histogram_quantile(0.5, x_bucket)', { end: 30_000, step: 15_000 })
  t.match(infos, [
    /for metric name "x_bucket", from buckets 2 to 2, with a max diff of 2e\+02, over 3 samples from 1970-01-01T00:00:00Z to 1970-01-01T00:00:30Z \(1:25\)$/
  ])
  t.equal(infos.length, 1)
})

t.test('native histograms: means do not overflow, a marked reset counts once in a subquery', async t => {
  const large = { ...native(1e308, [1e308, 1e307]), count: 1.1e308 }
  const marked = { ...native(5, [5]), hint: 'reset' as const }
  const source = memorySource(60_000, {
    'h{a="1"}': [large, large],
    'h{a="2"}': [large, large],
    'c{a="1"}': [native(1, [1]), native(3, [3]), marked, native(9, [9])]
  })
  const [mean] = await ask(source, 'avg(h)', { start: 60_000 })
  t.match(mean, /count:1\.1e\+308, sum:1e\+308, \(0\.5,1\]:1e\+308, \(1,2\]:1e\+307/)
  t.same(await ask(source, 'histogram_count(avg_over_time(h{a="1"}[5m]))', { start: 60_000 }), ['{a="1"} 1.1e+308'])
  t.same(await ask(source, 'resets(c[4m])', { start: 180_000 }), ['{a="1"} 1'])
  t.same(await ask(source, 'resets(c[4m:10s])', { start: 180_000 }), ['{a="1"} 0'])
})

t.test('an absent label is sorted last', async t => {
  const source = memorySource(60_000, { 'm{a="10"}': [1], 'm{a="9"}': [2], 'm{b="x"}': [3] })
  const order = ['{__name__="m", a="9"} 2', '{__name__="m", a="10"} 1', '{__name__="m", b="x"} 3']
  t.same(await ask(source, 'sort_by_label(m, "a")'), order)
})
