// Reducing series in reading threads gives the same results as computing from their samples.
import fc from 'fast-check'
import t from 'tap'
import { isDbError } from '../../../../core/index.ts'
import { at } from '../../../../plugins/promql/engine/series.ts'
import type { SeriesSource } from '../../../../plugins/promql/engine/source.ts'
import { expressionMaker } from '../peer/expression.ts'
import { type Asked, memorySource, type Point, reducing, run } from '../source.ts'

const runs = Number(process.env.WEIR_PROPERTY_RUNS ?? 400)
const second = 1_000

const point: fc.Arbitrary<Point> = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: -5, max: 50 }) },
  { weight: 1, arbitrary: fc.constantFrom(0.1, Number.NaN, Number.POSITIVE_INFINITY, -0) },
  { weight: 2, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: fc.constant('stale' as const) }
)
const points = fc.array(point, { minLength: 1, maxLength: 40 })
const load = fc.record({
  'hits_total{code="200", instance="a", job="x"}': points,
  'hits_total{code="500", instance="b", job="x"}': points,
  'temp{instance="a", zone="z1"}': points,
  'temp{instance="b", zone="z2"}': points,
  'level{zone="z1"}': points,
  'level{zone="z2"}': points,
  'small{job="x"}': points,
  'odd{job="y"}': points,
  'size_bucket{le="1"}': points,
  'size_bucket{le="+Inf"}': points
})

const asked = fc.record({
  load,
  seed: fc.nat(1_000_000),
  start: fc.integer({ min: 0, max: 600 }),
  step: fc.constantFrom(1, 7, 15, 60),
  count: fc.integer({ min: 1, max: 30 })
})

function exact(point: ReturnType<typeof at>): string {
  if (typeof point === 'object') return JSON.stringify(point)
  return Object.is(point, -0) ? '-0' : String(point)
}

/** All that a client sees of a query, numbers to the last bit; or why there is nothing. */
async function outcome(source: SeriesSource, text: string, options: Asked): Promise<unknown> {
  try {
    const { value, grid, warnings, infos } = await run(source, text, options)
    if (value.type !== 'vector') return value
    const series = value.series.map(each => {
      const points = Array.from({ length: grid.count }, (_, step) => at(each, step))
      return `${each.labels} ${points.map(exact).join(' ')}`
    })
    return { series: series.sort(), warnings: [...warnings].sort(), infos: [...infos].sort() }
  } catch (error) {
    if (isDbError(error)) return error.message
    throw error
  }
}

t.test('random expressions over resets, gaps, staleness, NaN, offsets, @ and subqueries', async t => {
  let reduced = 0
  const property = fc.asyncProperty(asked, async ({ load, seed, start, step, count }) => {
    const text = expressionMaker(seed)().replaceAll(/17000005\d\d/g, '300')
    const source = memorySource(15 * second, load)
    const counting: SeriesSource = {
      select(selection, signal, room) {
        if (selection.steps !== undefined) reduced++
        return source.select(selection, signal, room)
      }
    }
    const options = { start: start * second, end: (start + (count - 1) * step) * second, step: step * second }
    const lookback = { lookback: 60 * second }
    t.same(
      await outcome(reducing(counting), text, { ...options, ...lookback }),
      await outcome(source, text, { ...options, ...lookback }),
      text
    )
  })
  await fc.assert(property, { numRuns: runs })
  t.ok(reduced > runs / 2, 'most of them ask for steps')
})
