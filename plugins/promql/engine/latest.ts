// The latest sample at each step.

/**
 * Gives the place of the latest of some times at each step, -1 where it is too old; series of one sender often have the same times. The
 * caller may write other times into the same memory.
 */
export function latestPlaces(from: Float64Array, back: number): (times: Float64Array) => Int32Array {
  let known = new Float64Array(0)
  let count = -1
  const places = new Int32Array(from.length).fill(-1)
  return times => {
    if (times.length === count && areEqual(times, known)) return places
    count = times.length
    if (known.length < count) known = new Float64Array(2 * count)
    known.set(times)
    let next = 0
    for (let step = 0; step < from.length; step++) {
      const time = from[step]!
      while (next < times.length && times[next]! <= time) next++
      places[step] = next === 0 || times[next - 1]! <= time - back ? -1 : next - 1
    }
    return places
  }
}

/** Whether `b` begins with `a`. */
function areEqual(a: Float64Array, b: Float64Array): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}
