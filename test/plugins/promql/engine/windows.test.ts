// A long window computed in steps has the result of one computed at once, and no step goes over more than a piece of it.
import fc from 'fast-check'
import t from 'tap'
import { Annotations } from '../../../../plugins/promql/engine/annotation.ts'
import { noLabels } from '../../../../plugins/promql/engine/labels.ts'
import { TotalSamples } from '../../../../plugins/promql/engine/limits.ts'
import { pieceHistograms, pieceSamples, runAtOnce } from '../../../../plugins/promql/engine/steps.ts'
import { moveWindow, newWindow, type Samples, type Window } from '../../../../plugins/promql/engine/window.ts'
import { isLong, type RangeCall } from '../../../../plugins/promql/functions/range-function.ts'
import { rangeFunctions } from '../../../../plugins/promql/functions/range-functions.ts'
import type { Histogram } from '../../../../plugins/promql/histogram/histogram.ts'
import type { Call } from '../../../../plugins/promql/language/ast.ts'
import { memorySource, native, run } from '../source.ts'

/** Their work does not grow with the window. */
const ofFewSamples = [
  'count_over_time',
  'first_over_time',
  'idelta',
  'irate',
  'last_over_time',
  'present_over_time',
  'ts_of_first_over_time',
  'ts_of_last_over_time'
]
const functions = Object.entries(rangeFunctions)
const stepped = functions.filter(([name]) => !ofFewSamples.includes(name))

/** Numbers from 0 to below 1, the same ones for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed + 1
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

type Shape = 'smooth' | 'few values' | 'ascending' | 'with NaN' | 'with infinities' | 'overflowing' | 'constant'
const shapes: readonly Shape[] = [
  'smooth',
  'few values',
  'ascending',
  'with NaN',
  'with infinities',
  'overflowing',
  'constant'
]

function numberOf(shape: Shape, random: () => number, i: number): number {
  const rare = random() < 0.0001
  switch (shape) {
    case 'smooth':
      return random() * 1e9 - 1e6
    case 'few values':
      return [-0, 0, 1, 2][Math.floor(random() * 4)]!
    case 'ascending':
      return rare ? 0 : i
    case 'with NaN':
      return rare ? Number.NaN : random()
    case 'with infinities':
      return rare ? Number.POSITIVE_INFINITY : random()
    case 'overflowing':
      return (0.5 + random()) * 1e308
    case 'constant':
      return 7.1
  }
}

interface Given {
  readonly seed: number
  readonly shape: Shape
  readonly floats: number
  readonly histograms: number
}

function samplesOf({ seed, shape, floats, histograms }: Given): Samples {
  const random = randomOf(seed)
  const timesOf = (count: number) => Float64Array.from({ length: count }, (_, i) => (i + random() / 2) * 1_000)
  const factor = shape === 'overflowing' ? 1e307 : 1
  const histogramOf = (): Histogram => native(random() * factor, [random() * 10 * factor, 3 * factor, random()])
  return {
    labels: noLabels,
    floats: {
      times: timesOf(floats),
      values: Float64Array.from({ length: floats }, (_, i) => numberOf(shape, random, i))
    },
    histograms: { times: timesOf(histograms), values: Array.from({ length: histograms }, histogramOf) }
  }
}

const call: Call = {
  kind: 'call',
  name: '',
  args: [{ kind: 'number', value: 0.3, start: 0, end: 1 }],
  start: 0,
  end: 1
}
const scalars = [0.3, 0.4, 0.6].map(value => Float64Array.of(value, value, value))

function callOf(samples: Samples, annotations: Annotations): RangeCall {
  return { samples, metric: 'm_total', where: call, annotations, range: 60_000, scalars, call }
}

const given: fc.Arbitrary<Given> = fc.record({
  seed: fc.nat(1_000_000),
  shape: fc.constantFrom(...shapes),
  floats: fc.constantFrom(0, 1, pieceSamples - 1, pieceSamples, pieceSamples + 1, 3 * pieceSamples + 77),
  histograms: fc.constantFrom(0, 0, 0, 2, pieceHistograms + 1, 2 * pieceHistograms + 5)
})

/** Three windows of the samples in ascending order, as fractions of their time. */
const fractions = fc.array(
  fc.tuple(fc.double({ min: 0, max: 0.4, noNaN: true }), fc.double({ min: 0.5, max: 1, noNaN: true })),
  {
    minLength: 1,
    maxLength: 3
  }
)

t.test('a window computed in steps has the same result to the last bit, and the same annotations', async t => {
  const property = fc.property(given, fractions, (of, ends) => {
    const samples = samplesOf(of)
    const end = Math.max(of.floats, of.histograms) * 1_000
    const windows: Window[] = []
    const [starts, stops] = [ends.map(([a]) => a).sort(), ends.map(([, b]) => b).sort()]
    for (const [step, start] of starts.entries()) {
      const window = { ...(windows.at(-1) ?? newWindow()) }
      moveWindow(window, samples, start === 0 ? -1 : start * end, stops[step]! * end)
      windows.push({ ...window, step, time: stops[step]! * end })
    }
    for (const [name, { make }] of stepped) {
      const [expected, found] = [new Annotations(' '), new Annotations(' ')]
      const [atOnce, inSteps, mixed] = [expected, found, found].map(each => make(callOf(samples, each)))
      for (const window of windows.filter(({ f0, f1, h0, h1 }) => f1 > f0 || h1 > h0)) {
        const result = atOnce!.compute(window)
        const steps = runAtOnce(inSteps!.inSteps!(window))
        const either = window.step === 1 ? mixed!.compute(window) : runAtOnce(mixed!.inSteps!(window))
        for (const each of [steps, either]) {
          if (typeof result !== 'object') t.ok(Object.is(each, result), `${name}: ${each}, at once ${result}`)
          else t.same(each, result, name)
        }
      }
      t.same([found.warnings, found.infos], [expected.warnings, expected.infos], name)
    }
  })
  fc.assert(property, { numRuns: 25 })
})

/** The same numbers, and how many of them were read since the last call of `reads`. */
function watched(numbers: Float64Array): { readonly numbers: Float64Array; reads(): number } {
  let count = 0
  const get = (target: Float64Array, key: string | symbol) => {
    const value: unknown = Reflect.get(target, key, target)
    if (typeof value === 'number' && key !== 'length') count++
    return typeof value === 'function' ? value.bind(target) : value
  }
  return {
    numbers: new Proxy(numbers, { get }),
    reads() {
      const before = count
      count = 0
      return before
    }
  }
}

t.test('no step of a long window of floats reads more than a piece of it', async t => {
  const floats = 6 * pieceSamples
  const samples = samplesOf({ seed: 1, shape: 'smooth', floats, histograms: 0 })
  const window = { ...newWindow(), f1: floats }
  t.ok(isLong(window))
  for (const [name, { make }] of functions) {
    const { numbers, reads } = watched(samples.floats.values)
    const work = make(callOf({ ...samples, floats: { ...samples.floats, values: numbers } }, new Annotations(' ')))
    t.ok(reads() <= 10, `${name}: what depends on the series alone`)
    t.equal(work.inSteps === undefined, ofFewSamples.includes(name), `${name} is computed in steps if its work grows`)
    const perStep: number[] = []
    if (work.inSteps === undefined) work.compute(window)
    else for (const steps = work.inSteps(window); !steps.next().done; ) perStep.push(reads())
    perStep.push(reads())
    // Some functions read a number twice.
    const most = Math.max(...perStep)
    t.ok(most <= 2 * pieceSamples + 10, `${name}: ${most} numbers`)
    if (name === 'quantile_over_time') t.ok(perStep.length > 12, `${name}: ${perStep.length} steps of copies`)
  }
})

t.test('a long window of histograms is computed in steps', async t => {
  const histograms = 10 * pieceHistograms
  const samples = samplesOf({ seed: 1, shape: 'smooth', floats: 0, histograms })
  const window = { ...newWindow(), h1: histograms }
  t.ok(isLong(window))
  for (const name of ['avg_over_time', 'sum_over_time', 'changes', 'resets', 'rate', 'increase']) {
    const work = rangeFunctions[name]!.make(callOf(samples, new Annotations(' ')))
    let count = 0
    for (const steps = work.inSteps!(window); !steps.next().done; ) count++
    t.ok(count >= 9, `${name}: ${count} steps`)
  }
})

t.test('samples and copies that a subquery holds count, those of one series and of all queries', async t => {
  const steps = 100_000
  const source = memorySource(1_000, { m: Array.from({ length: steps + 1 }, (_, i) => i % 97) })
  const peakOf = async (name: string) => {
    const total = new TotalSamples(() => 1e9)
    const query = `${name}(vector(time())[${steps}s:1s])`
    const { samples } = await run(source, query, { start: steps * 1_000, limits: { total } })
    t.equal(total.held, 0)
    return samples.peak
  }
  // While the parts of the subquery are joined, both are held; then a copy of the values, which are half of a sample.
  t.equal(await peakOf('sum_over_time'), 2 * steps)
  const refused = { code: 'RateLimited', message: /plugins\.promql\.max_total_samples/ }
  for (const [query, max] of [
    [`sum_over_time(vector(time())[${steps}s:1s])`, 1.9 * steps],
    [`stddev_over_time(vector(time())[${steps}s:1s])`, 1.9 * steps],
    [`quantile_over_time(0.5, m[${steps}s])`, 1.4 * steps]
  ] as const) {
    const total = new TotalSamples(() => max)
    await t.rejects(run(source, query, { start: steps * 1_000, limits: { total } }), refused, query)
    t.equal(total.held, 0, query)
    await run(source, query, { start: steps * 1_000, limits: { total: new TotalSamples(() => max + 0.2 * steps) } })
  }
})
