// The latest sample at each step.

/** Gives the place of the latest of some times at each step, -1 where it is too old; series of one sender often have the same times. */
export function latestPlaces(from: Float64Array, back: number): (times: Float64Array) => Int32Array {
  let known: Float64Array = new Float64Array(0)
  const places = new Int32Array(from.length).fill(-1)
  return times => {
    if (areEqual(times, known)) return places
    known = times
    let next = 0
    for (let step = 0; step < from.length; step++) {
      const time = from[step]!
      while (next < times.length && times[next]! <= time) next++
      places[step] = next === 0 || times[next - 1]! <= time - back ? -1 : next - 1
    }
    return places
  }
}

function areEqual(a: Float64Array, b: Float64Array): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}
