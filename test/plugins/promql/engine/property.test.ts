// A range query equals the instant queries at its steps, for random data.
import fc from 'fast-check'
import t from 'tap'
import { isDbError } from '../../../../core/index.ts'
import { memorySource, native, type Point, samplesOf } from '../source.ts'

const second = 1_000

const float = fc.oneof(fc.integer({ min: -5, max: 50 }), fc.constantFrom(0.5, Number.NaN, Number.POSITIVE_INFINITY))
const histogram = fc
  .tuple(fc.integer({ min: 0, max: 9 }), fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 3 }))
  .map(([sum, counts]) => native(sum, counts))
const point: fc.Arbitrary<Point> = fc.oneof(
  { weight: 6, arbitrary: float },
  { weight: 2, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: fc.constant('stale' as const) },
  { weight: 1, arbitrary: histogram }
)
const points = fc.array(point, { minLength: 4, maxLength: 12 })
const load = fc.record({
  'm{a="1", b="x"}': points,
  'm{a="1", b="y"}': points,
  'm{a="2", b="x"}': points,
  'n_total{a="1"}': points,
  'x_bucket{le="1"}': points,
  'x_bucket{le="+Inf"}': points
})

const queries = [
  'm',
  'm offset 15s',
  'm @ 30',
  '-m',
  'm + on(a, b) m',
  'm > 3',
  'm == bool 1',
  'sum by (a) (m)',
  'avg(m)',
  'max without (b) (m)',
  'topk(1, m)',
  'quantile(0.3, m)',
  'count_values("v", m)',
  'rate(n_total[30s])',
  'increase(n_total[45s] offset 10s)',
  'delta(m[30s])',
  'irate(n_total[1m])',
  'sum_over_time(m[25s])',
  'last_over_time(m[1m] @ end())',
  'max_over_time(sum by (a) (m)[30s:10s])',
  'histogram_quantile(0.5, x_bucket)',
  'histogram_quantile(0.9, m)',
  'm or n_total',
  'm unless on(a) n_total',
  'n_total * on(a) group_right m',
  'scalar(n_total) + time()',
  'absent(m{a="2"})',
  'changes(m[40s])',
  'deriv(m[1m])',
  'label_replace(m, "c", "$1", "b", "(.*)")',
  'timestamp(m)',
  'vector(1) and absent_over_time(n_total[20s])'
]

t.test('each step of a range query is the instant query at its time', async t => {
  const asked = fc.record({
    load,
    text: fc.constantFrom(...queries),
    start: fc.integer({ min: 0, max: 60 }),
    step: fc.constantFrom(1, 7, 10, 23),
    count: fc.integer({ min: 1, max: 8 })
  })
  const property = fc.asyncProperty(asked, async ({ load, text, start, step, count }) => {
    const source = memorySource(10 * second, load)
    // The end of an instant query is its time: `@ end()` is another time at every step.
    const end = (start + (count - 1) * step) * second
    const lookback = 25 * second
    const query = text.replace('@ end()', `@ ${end / second}`)
    const options = { lookback }
    const range = await outcome(
      samplesOf(source, query, { ...options, start: start * second, end, step: step * second })
    )
    const instants: [string, string][] = []
    for (let i = 0; i < count; i++) {
      const found = await outcome(samplesOf(source, query, { ...options, start: (start + i * step) * second }))
      // What the data do not allow at one step, they do not allow in the range.
      if (found === undefined) return range === undefined
      instants.push(...found)
    }
    return range !== undefined && sorted(range) === sorted(instants)
  })
  await t.resolves(fc.assert(property, { numRuns: 600 }))
})

const { vector } = fc.letrec<{ vector: string; range: string; scalar: string }>(tie => {
  const [vector, range, scalar] = [tie('vector'), tie('range'), tie('scalar')]
  const name = (...names: string[]) => fc.constantFrom(...names)
  return {
    vector: fc.oneof(
      { maxDepth: 4 },
      name('m', 'n_total', 'x_bucket', '{__name__=~"m|n_total"}', 'm offset -5s', 'm @ 20', 'nothing'),
      fc
        .tuple(name('abs', 'sort', 'absent', 'histogram_count', 'timestamp', 'exp', '-'), vector)
        .map(([f, v]) => `${f}(${v})`),
      fc
        .tuple(
          name('rate', 'delta', 'irate', 'avg_over_time', 'max_over_time', 'deriv', 'resets', 'last_over_time'),
          range
        )
        .map(([f, r]) => `${f}(${r})`),
      fc
        .tuple(name('sum', 'avg', 'max', 'stddev', 'group', 'count'), name('', 'by (a)', 'without (a, le)'), vector)
        .map(([op, by, v]) => `${op} ${by} (${v})`),
      fc
        .tuple(name('topk', 'bottomk', 'quantile', 'limitk', 'limit_ratio'), scalar, vector)
        .map(([op, s, v]) => `${op}(${s}, ${v})`),
      fc
        .tuple(
          vector,
          name(
            '+',
            '/',
            '%',
            '^',
            'atan2',
            '==',
            '> bool',
            'and',
            'or',
            'unless',
            '* on(a)',
            '- ignoring(b, le) group_left',
            '</',
            '>/'
          ),
          vector
        )
        .map(([l, op, r]) => `(${l}) ${op} (${r})`),
      fc.tuple(vector, name('*', '-', '<', '!= bool'), scalar).map(([l, op, r]) => `(${l}) ${op} (${r})`),
      fc
        .tuple(name('histogram_quantile', 'quantile_over_time'), scalar, vector)
        .map(([f, s, v]) => (f === 'histogram_quantile' ? `${f}(${s}, ${v})` : `${f}(${s}, (${v})[30s:5s])`)),
      fc.tuple(scalar, scalar, vector).map(([low, high, v]) => `histogram_fraction(${low}, ${high}, ${v})`),
      vector.map(v => `label_replace(${v}, "c", "$1", "a", "(.*)")`),
      vector.map(v => `count_values("v", ${v})`),
      scalar.map(s => `vector(${s})`)
    ),
    range: fc.oneof(
      { maxDepth: 4 },
      name('m[30s]', 'n_total[1m]', '{a="1"}[45s]'),
      fc.tuple(vector, name('[1m:10s]', '[30s:]', '[20s:7s] offset 5s', '[1m:10s] @ 30')).map(([v, r]) => `(${v})${r}`)
    ),
    scalar: fc.oneof(
      { maxDepth: 4 },
      name('0', '1', '-0.5', 'NaN', 'Inf', '0.9', 'time()', 'pi()'),
      vector.map(v => `scalar(${v})`),
      fc.tuple(scalar, name('+', '-', '%', '>= bool'), scalar).map(([l, op, r]) => `(${l}) ${op} (${r})`)
    )
  }
})

t.test('any query over any data is answered or refused with a reason', async t => {
  const asked = fc.record({ load, text: vector, step: fc.constantFrom(undefined, 7, 10) })
  const met = { answers: 0, refusals: 0 }
  const property = fc.asyncProperty(asked, async ({ load, text, step }) => {
    const times = { start: 20 * second, end: 80 * second, ...(step !== undefined && { step: step * second }) }
    try {
      await samplesOf(memorySource(10 * second, load), text, step === undefined ? { start: 60 * second } : times)
      met.answers++
    } catch (error) {
      if (!isDbError(error) || error.status >= 500) throw error
      met.refusals++
    }
  })
  await t.resolves(fc.assert(property, { numRuns: 500 }))
  t.ok(met.answers > 100, `${met.answers} answers, ${met.refusals} refusals`)
})

async function outcome(work: Promise<Map<string, string>>): Promise<Map<string, string> | undefined> {
  return work.catch(error => {
    if ((error as { status?: number }).status === 422) return undefined
    throw error
  })
}

function sorted(samples: Iterable<[string, string]>): string {
  return [...samples]
    .map(pair => pair.join(' '))
    .sort()
    .join('\n')
}
