import t, { type Test } from 'tap'
import { ask, memorySource, native, run } from '../source.ts'

const minute = 60_000

const basics = memorySource(minute, {
  'http{code="200", path="/a"}': [0, 10, 20, 30, 40],
  'http{code="200", path="/b"}': [5, 5, 5, 5, 5],
  'http{code="500", path="/a"}': [1, null, null, 4, 'stale', null],
  'limit{path="/a"}': [100, 100, 100, 100, 100],
  'limit{path="/b"}': [50, 50, 50, 50, 50]
})
const now = { start: 3 * minute }

/** What each query answers at the third minute, in any order. */
async function table(t: Test, source: ReturnType<typeof memorySource>, rows: Record<string, readonly string[]>) {
  for (const [text, wanted] of Object.entries(rows)) {
    t.same((await ask(source, text, now)).sort(), [...wanted].sort(), text)
  }
}

t.test('selectors take the latest sample that is young enough and no end of its series', async t => {
  await table(t, basics, {
    'http{path="/b"}': ['{__name__="http", code="200", path="/b"} 5'],
    'http{code!="200"}': ['{__name__="http", code="500", path="/a"} 4'],
    'http{path=~"/[bc]"}': ['{__name__="http", code="200", path="/b"} 5'],
    'http{path!~"/b|/c", code="200"}': ['{__name__="http", code="200", path="/a"} 30'],
    'http{path="/b"} offset 2m': ['{__name__="http", code="200", path="/b"} 5'],
    'http{code="200",path="/a"} offset -1m': ['{__name__="http", code="200", path="/a"} 40'],
    'http{code="200",path="/a"} @ 60': ['{__name__="http", code="200", path="/a"} 10'],
    'http{code="200",path="/a"} @ end()': ['{__name__="http", code="200", path="/a"} 30'],
    'http{code="500"} @ 240': [],
    nothing: []
  })
  const at = (start: number, lookback: number) => ask(basics, 'http{code="500"}', { start, lookback })
  t.equal((await at(2 * minute, 3 * minute)).length, 1, 'two minutes old')
  t.equal((await at(2 * minute, 2 * minute)).length, 0, 'the lookback ends before it')
  t.equal((await at(4 * minute, 60 * minute)).length, 0, 'a marker ends the series')
})

t.test('a range vector holds the samples after its start up to its end, without markers', async t => {
  await table(t, basics, {
    'http{code="200",path="/a"}[2m]': ['{__name__="http", code="200", path="/a"} 20@120 30@180'],
    'http{code="500"}[10m] offset -2m': ['{__name__="http", code="500", path="/a"} 1@0 4@180'],
    'http{path="/b"}[1m] @ 0': ['{__name__="http", code="200", path="/b"} 5@0']
  })
  t.same(await ask(basics, 'sum(http)[2m:30s]', now), ['{} 16@90 26@120 26@150 39@180'], 'of a subquery')
  t.same(await ask(basics, 'sum(http)[2m:50s]', now), ['{} 16@100 26@150'], 'its steps lie on multiples of its own')
})

t.test('operators between numbers, a vector and a number, and vectors', async t => {
  const a = '{code="200", path="/a"}'
  await table(t, basics, {
    '1 + 2 * 3 ^ 2 % 5 - -1': ['8'.replace('8', String(1 + ((2 * 9) % 5) + 1))],
    '2 ^ 3 ^ 2': ['512'],
    '-2 ^ 2': ['-4'],
    '1 / 0': ['Infinity'],
    '0 / 0 == bool 0 / 0': ['0'],
    '5 % -3': ['2'],
    '1 > bool 2': ['0'],
    '1 atan2 1': [String(Number(Math.atan2(1, 1).toPrecision(10)))],
    'http{code="200",path="/a"} * 2': [`${a} 60`],
    '100 - http{code="200",path="/a"}': [`${a} 70`],
    'http > 4': ['{__name__="http", code="200", path="/a"} 30', '{__name__="http", code="200", path="/b"} 5'],
    'http{code="200"} >= bool 10': [`${a} 1`, '{code="200", path="/b"} 0'],
    '10 < http': ['{__name__="http", code="200", path="/a"} 30'],
    '-http{path="/b"}': ['{code="200", path="/b"} -5'],
    'http{code="200"} / on(path) limit': ['{path="/a"} 0.3', '{path="/b"} 0.1'],
    'http{code="200"} / ignoring(code) limit': ['{path="/a"} 0.3', '{path="/b"} 0.1'],
    'http / ignoring(code) group_left limit': [
      `${a} 0.3`,
      '{code="500", path="/a"} 0.04',
      '{code="200", path="/b"} 0.1'
    ],
    'limit - on(path) group_right http': [`${a} 70`, '{code="500", path="/a"} 96', '{code="200", path="/b"} 45'],
    'http{code="200"} and on(path) http{code="500"}': ['{__name__="http", code="200", path="/a"} 30'],
    'http{code="200"} unless on(path) http{code="500"}': ['{__name__="http", code="200", path="/b"} 5'],
    'http{code="500"} or on(path) limit': [
      '{__name__="http", code="500", path="/a"} 4',
      '{__name__="limit", path="/b"} 50'
    ],
    'http{code="200"} + ignoring(code) fill(1) limit{path="/b"}': ['{path="/a"} 31', '{path="/b"} 55'],
    'limit{path="/a"} == on(path) limit': ['{path="/a"} 100'],
    'sum(http) + fill_right(1) sum(nothing)': ['{} 40']
  })
})

t.test('aggregations by and without labels', async t => {
  await table(t, basics, {
    'sum(http)': ['{} 39'],
    'sum by (path) (http)': ['{path="/a"} 34', '{path="/b"} 5'],
    'sum without (code) (http)': ['{path="/a"} 34', '{path="/b"} 5'],
    'avg(http)': ['{} 13'],
    'min(http)': ['{} 4'],
    'max by (nothing) (http)': ['{} 30'],
    'count by (code) (http)': ['{code="200"} 2', '{code="500"} 1'],
    'group(http)': ['{} 1'],
    'stddev(limit)': ['{} 25'],
    'stdvar(limit)': ['{} 625'],
    'quantile(0.5, http)': ['{} 5'],
    'quantile(-1, http)': ['{} -Infinity'],
    'topk(1, http)': ['{__name__="http", code="200", path="/a"} 30'],
    'bottomk by (code) (1, http)': [
      '{__name__="http", code="200", path="/b"} 5',
      '{__name__="http", code="500", path="/a"} 4'
    ],
    'count_values("v", http)': ['{v="30"} 1', '{v="5"} 1', '{v="4"} 1'],
    'count(limitk(2, http))': ['{} 2'],
    'count(limit_ratio(0.3, http) or limit_ratio(-0.7, http))': ['{} 3'],
    'sum(nothing)': []
  })
  t.same(
    (await ask(basics, 'topk(2, http)', now)).map(line => line.split(' ').at(-1)),
    ['30', '5'],
    'the best come in order'
  )
})

t.test('a query that the data do not allow fails with status 422', async t => {
  const failures: readonly (readonly [string, RegExp])[] = [
    ['http / on(path) limit', /multiple matches for labels: many-to-one matching must be explicit/],
    ['limit / on(path) http', /found duplicate series for the match group \{path="\/a"\} on the right hand-side/],
    ['http + on() group_left limit', /found duplicate series/],
    ['label_replace(http, "path", "x", "", "")', /vector cannot contain metrics with the same labelset/],
    [
      '{__name__=~"http|limit", path="/b"} * on(path) group_left(code) limit',
      /grouping labels must ensure unique matches|same labelset|duplicate/
    ],
    ['label_replace(http, "a", "b", "c", "(")', /invalid regular expression in label_replace/],
    ['topk(0 / 0, http)', /Parameter value is NaN/]
  ]
  for (const [text, message] of failures) {
    await t.rejects(run(basics, text, now), { status: 422, message }, text)
  }
})

t.test('limits are named', async t => {
  const most = { maxSamples: 10, maxPoints: 5 }
  await t.rejects(
    run(basics, 'http', { ...now, limits: { ...most, maxSamples: 3 } }),
    /more than 3 at a time \(plugins\.promql\.max_samples\)/
  )
  const range = { start: 0, end: 3_600_000, step: 1000 }
  await t.rejects(
    run(basics, 'http', { ...range, limits: most }),
    /maximum resolution of 5 points per timeseries.*\(plugins\.promql\.max_points\)/
  )
  const subquery = 'sum_over_time(vector(1)[1h:1s])'
  t.same(await ask(basics, subquery, { limits: { ...most, maxSamples: 10_000 } }), ['{} 3600'], 'as long as it likes')
  await t.rejects(run(basics, subquery, { limits: most }), { status: 422, message: /max_samples/ })
  await t.rejects(run(basics, 'count_over_time(nothing[290y:1ms])'), { status: 422, message: /max_samples/ })
  await t.rejects(
    run(basics, 'http[5m]', { ...range, limits: {} }),
    /invalid expression type "range vector" for range query/
  )
})

t.test('a query that nobody waits for ends', async t => {
  const source = memorySource(1000, { 'm{a="1"}': Array.from({ length: 5_000 }, (_, i) => i) })
  const stop = new AbortController()
  stop.abort(new Error('gone'))
  const { runQuery } = await import('../../../../plugins/promql/engine/query.ts')
  const { limits } = await import('../source.ts')
  const text = 'sum_over_time(sum_over_time(m[1h])[1h:1s])'
  const request = {
    text,
    times: { start: 0, end: 5_000_000, step: 1000 },
    instant: false,
    lookback: 300_000,
    experimental: false,
    limits: { ...limits, maxSamples: 1e9 }
  }
  await t.rejects(runQuery(source, request, stop.signal), /gone/)
})

t.test('warnings and infos say what and where, each once', async t => {
  const mixed = memorySource(minute, {
    'm{a="1"}': [1, 2, 3, 4],
    'm{a="2"}': [native(1, [1]), native(3, [2]), native(5, [3]), native(9, [4])],
    'x_bucket{le="1"}': [1, 2, 3, 4],
    'x_bucket{le="many"}': [1, 2, 3, 4],
    'x_bucket{le="+Inf"}': [1, 2, 3, 5]
  })
  const cases: readonly (readonly [string, RegExp | undefined, RegExp | undefined])[] = [
    ['rate(m[2m])', undefined, /PromQL info: metric might not be a counter, name does not end in .*: "m" \(1:6\)/],
    ['sum(m)', /PromQL warning: encountered a mix of histograms and floats for aggregation \(1:5\)/, undefined],
    ['m + on() m{a="1"}', undefined, undefined],
    ['max(m)', undefined, /ignored histogram in max aggregation/],
    ['quantile(2, m{a="1"})', /quantile value should be between 0 and 1, got 2 \(1:10\)/, undefined],
    ['histogram_quantile(0.5, x_bucket)', /bucket label "le" is missing or has a malformed value of "many"/, undefined],
    ['m{a="2"} > 1', undefined, /incompatible sample types encountered for binary operator ">": histogram > float/],
    ['delta(m{a="2"}[2m])', /this native histogram metric is not a gauge: "m"/, undefined],
    ['m{a="1"}', undefined, undefined]
  ]
  for (const [text, warning, info] of cases) {
    const { warnings, infos } = await run(mixed, text, now).catch(() => ({ warnings: [], infos: [] }))
    if (warning) t.match(warnings[0], warning, text)
    else t.same(warnings, [], `${text} has no warning`)
    if (info) t.match(infos[0], info, text)
    else t.same(infos, [], `${text} has no info`)
    t.ok(warnings.length < 2 && infos.length < 2, `${text}: once`)
  }
})
