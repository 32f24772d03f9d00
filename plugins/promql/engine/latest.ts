// The latest sample at each step.
import type { RawSeries } from './source.ts'

/** The index of the first time after `time`, of ascending times; those before index `from` are not. */
export function firstAfter(times: Float64Array, time: number, from = 0): number {
  let [low, high] = [from, times.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (times[middle]! <= time) low = middle + 1
    else high = middle
  }
  return low
}

/** The samples with `after < time <= until`. */
export function samplesWithin({ labels, floats, histograms }: RawSeries, after: number, until: number): RawSeries {
  const [first, end] = [firstAfter(floats.times, after), firstAfter(floats.times, until)]
  const within = { times: floats.times.subarray(first, end), values: floats.values.subarray(first, end) }
  if (histograms === undefined) return { labels, floats: within }
  const [from, to] = [firstAfter(histograms.times, after), firstAfter(histograms.times, until)]
  return {
    labels,
    floats: within,
    histograms: { times: histograms.times.subarray(from, to), values: histograms.values.slice(from, to) }
  }
}

/**
 * Returns, for each step, the index of the latest time that is not too old, or -1. The result for equal times is reused, because series of
 * one sender often have the same times. The caller may overwrite the memory of `times`.
 */
export function latestIndices(from: Float64Array, back: number): (times: Float64Array) => Int32Array {
  let known = new Float64Array(0)
  let count = -1
  const indices = new Int32Array(from.length).fill(-1)
  return times => {
    if (times.length === count && areEqual(times, known)) return indices
    count = times.length
    if (known.length < count) known = new Float64Array(2 * count)
    known.set(times)
    let next = 0
    for (let step = 0; step < from.length; step++) {
      const time = from[step]!
      while (next < times.length && times[next]! <= time) next++
      indices[step] = next === 0 || times[next - 1]! <= time - back ? -1 : next - 1
    }
    return indices
  }
}

/** Whether `b` begins with `a`. */
function areEqual(a: Float64Array, b: Float64Array): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}
