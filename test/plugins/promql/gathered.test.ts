// Samples of one series whose runs overlap in time are sorted without holding the thread.
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import t from 'tap'
import { Pace, runAtOnce, runPaced } from '../../../core/index.ts'
import { wordsOf } from '../../../plugins/promql/engine/source.ts'
import { pieceSamples } from '../../../plugins/promql/engine/steps.ts'
import { GatheredNumbers, GatheredTexts, sortSteps } from '../../../plugins/promql/source/gathered.ts'

t.test(
  'samples are sorted by time, those of equal times in order of arrival, with all bits of their values',
  async t => {
    const property = fc.property(fc.array(fc.nat(30), { maxLength: 60 }), numbers => {
      const floats = { times: Float64Array.from(numbers), values: Float64Array.from(numbers.keys()) }
      // The staleness marker has bits that an arithmetic NaN has not.
      if (numbers.length > 0) wordsOf(floats.values).set([2, 0x7ff00000])
      const sorted = runAtOnce(sortSteps(floats))
      const order = [...numbers.keys()].sort((a, b) => numbers[a]! - numbers[b]!)
      const words = wordsOf(floats.values)
      t.same(
        [...sorted.times],
        [...numbers].sort((a, b) => a - b)
      )
      t.same(
        [...wordsOf(sorted.values)],
        order.flatMap(i => [words[2 * i], words[2 * i + 1]])
      )
    })
    fc.assert(property, { numRuns: 200 })
  }
)

t.test('two million samples that overlap do not hold the thread for 100 ms', async t => {
  const count = 1_000_000
  const gather = async () => {
    const gathered = new GatheredNumbers()
    for (const shift of [0, 1_000]) {
      const times = Float64Array.from({ length: count }, (_, i) => i * 2_000 + shift)
      runAtOnce(gathered.add(count, new Uint32Array(count), times, { values: times.slice() }))
    }
    await setImmediate()
    return () => gathered.series(1, new Pace())
  }
  const held: number[] = []
  for (let round = 0; round < 2; round++) {
    const work = await gather()
    let [done, longest] = [false, 0]
    let before = process.threadCpuUsage()
    const sorted = work().finally(() => {
      done = true
    })
    while (!done) {
      await setImmediate()
      const { user, system } = process.threadCpuUsage(before)
      longest = Math.max(longest, (user + system) / 1_000)
      before = process.threadCpuUsage()
    }
    held.push(longest)
    const { times, values } = (await sorted).get(0)!
    t.ok(times.every((time, i) => time === i * 1_000 && values[i] === time))
  }
  t.ok(Math.min(...held) < 100, `held for ${held.map(time => time.toFixed(0)).join(' and ')} ms`)
})

t.test('a sample in the wrong order is found at the borders of steps, too', async t => {
  const count = 100_000
  for (const wrong of [1, pieceSamples - 1, pieceSamples, pieceSamples + 1, 2 * pieceSamples, count - 1]) {
    const times = Float64Array.from({ length: count }, (_, i) => i)
    times[wrong] = times[wrong]! - 2
    const gathered = new GatheredNumbers()
    runAtOnce(gathered.add(count, new Uint32Array(count), times, { values: times.slice() }))
    const sorted = (await gathered.series(1, new Pace())).get(0)!.times
    t.ok(
      sorted.every((time, i) => i === 0 || sorted[i - 1]! <= time),
      `sample ${wrong}`
    )
  }
})

t.test('runs of one huge series are joined and looked through in steps', async t => {
  const [runs, count] = [200, 100_000]
  const gathered = new GatheredNumbers()
  for (let run = 0; run < runs; run++) {
    const times = Float64Array.from({ length: count }, (_, i) => run * count + i)
    runAtOnce(gathered.add(count, new Uint32Array(count), times, { values: times }))
  }
  const [longest, series] = await longestTurn(() => gathered.series(1, new Pace()))
  t.equal(series.get(0)!.times.length, runs * count)
  t.ok(longest < 60, `${longest.toFixed(0)} ms of work at a time`)
})

t.test(
  'numbers with gaps and texts of a large batch are gathered in steps, texts in the order of their times',
  async t => {
    const count = 1_000_000
    const times = Float64Array.from({ length: count }, (_, i) => (i ^ 1) * 1_000)
    const ids = Uint32Array.from({ length: count }, (_, i) => Math.floor((2 * i) / count))
    const valid = new Uint8Array(count / 8).fill(0b1111_0111)
    const numbers = new GatheredNumbers()
    const [ofNumbers, gathered] = await longestTurn(async () => {
      await runPaced(new Pace(), numbers.add(count, ids, times, { values: times, valid }))
      return numbers.series(1, new Pace())
    })
    t.strictSame(
      [...gathered].map(([id, { times }]) => [id, times.length]),
      [
        [0, (count * 7) / 16],
        [1, (count * 7) / 16]
      ]
    )
    t.strictSame([...gathered.get(0)!.values.subarray(0, 5)], [0, 1_000, 3_000, 4_000, 5_000])
    const texts = new GatheredTexts(text => JSON.parse(text) as number)
    const values = Array.from(times, String)
    const [ofTexts, read] = await longestTurn(async () => {
      await runPaced(new Pace(), texts.add(count, ids, times, { values }))
      return texts.series(1_000, new Pace())
    })
    t.strictSame([...read.get(1)!.times.subarray(0, 3)], [500_000, 500_001, 500_002])
    t.strictSame(read.get(1)!.values.slice(0, 3), [500_000_000, 500_001_000, 500_002_000])
    t.ok(Math.max(ofNumbers, ofTexts) < 100, `${ofNumbers.toFixed(0)} and ${ofTexts.toFixed(0)} ms of work at a time`)
  }
)

/** Milliseconds of processor time of the longest turn of the event loop while the work goes on, and its result. */
async function longestTurn<T>(work: () => Promise<T>): Promise<[number, T]> {
  let longest = 0
  let last = process.threadCpuUsage()
  let isOver = false
  const watch = (async () => {
    while (!isOver) {
      await setImmediate()
      const { user, system } = process.threadCpuUsage(last)
      last = process.threadCpuUsage()
      longest = Math.max(longest, (user + system) / 1000)
    }
  })()
  const result = await work()
  isOver = true
  await watch
  return [longest, result]
}
