// The best members of a group at each step, for topk and bottomk.
import type { Series } from './series.ts'

/** So many are kept in order while all members are looked at, one after the other; more are found by sorting. */
const mostKept = 64

/**
 * Gives the places of the first floats at a step, as many as `most` says there: the highest first, or with `sign` -1 the lowest. NaN
 * comes last in either order, equal values stay as they come.
 */
export function chooseBest(
  members: readonly Series[],
  most: Float64Array,
  sign: 1 | -1
): (step: number) => ArrayLike<number> {
  const counts = Uint32Array.from(most, each => Math.min(members.length, Math.max(0, Math.trunc(each))))
  const width = counts.reduce((all, each) => Math.max(all, each), 0)
  return width <= mostKept
    ? keepBest(members, counts, width, sign)
    : step => sortBest(members, step, counts[step]!, sign)
}

/** Member by member, all steps at once: that is how their values lie in memory. */
function keepBest(
  members: readonly Series[],
  counts: Uint32Array,
  width: number,
  sign: 1 | -1
): (step: number) => ArrayLike<number> {
  const places = new Uint32Array(counts.length * width)
  const best = new Float64Array(counts.length * width)
  const kept = new Uint32Array(counts.length)
  for (const [i, { kinds, values }] of members.entries()) {
    for (let step = 0; step < counts.length; step++) {
      if (kinds[step] !== 1) continue
      const value = sign * values[step]!
      const first = step * width
      let at = kept[step]!
      if (at === counts[step]) {
        if (at === 0 || !beats(value, best[first + at - 1]!)) continue
        at--
      } else kept[step]!++
      for (; at > 0 && beats(value, best[first + at - 1]!); at--) {
        best[first + at] = best[first + at - 1]!
        places[first + at] = places[first + at - 1]!
      }
      best[first + at] = value
      places[first + at] = i
    }
  }
  return step => places.subarray(step * width, step * width + kept[step]!)
}

/** Any number comes before NaN. */
function beats(a: number, b: number): boolean {
  return a > b || (Number.isNaN(b) && !Number.isNaN(a))
}

function sortBest(members: readonly Series[], step: number, count: number, sign: 1 | -1): readonly number[] {
  const found: number[] = []
  for (let i = 0; i < members.length; i++) if (members[i]!.kinds[step] === 1) found.push(i)
  found.sort((i, j) => {
    const [a, b] = [sign * members[i]!.values[step]!, sign * members[j]!.values[step]!]
    return beats(a, b) ? -1 : beats(b, a) ? 1 : i - j
  })
  return found.slice(0, count)
}
