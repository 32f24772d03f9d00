// Sorts rows by their times in steps.
import { endsStep, type Steps } from './pace.ts'

/** Rows handled in a step. */
const stepRows = 16_384

/**
 * The indexes `from` to before `to` of `times` in the order of their times; those of equal times keep their order. Merges runs of ascending
 * times, so that rows which are in order but for some take little.
 */
export function* orderByTime(times: Float64Array, from = 0, to = times.length): Steps<Uint32Array> {
  const count = to - from
  let [order, merged] = [new Uint32Array(count), new Uint32Array(count)]
  let ends: number[] = []
  for (let i = 0; i < count; i++) {
    const row = from + i
    order[i] = row
    if (i + 1 === count || times[row + 1]! < times[row]!) ends.push(i + 1)
    if (endsStep(i, stepRows)) yield
  }
  while (ends.length > 1) {
    const endsOfMerged: number[] = []
    let first = 0
    for (let run = 0; run < ends.length; run += 2) {
      const middle = ends[run]!
      const end = ends[run + 1] ?? middle
      let [a, b] = [first, middle]
      for (let i = first; i < end; i++) {
        const isFirst = b >= end || (a < middle && times[order[a]!]! <= times[order[b]!]!)
        merged[i] = isFirst ? order[a++]! : order[b++]!
        if (endsStep(i, stepRows)) yield
      }
      endsOfMerged.push(end)
      first = end
    }
    ;[order, merged] = [merged, order]
    ends = endsOfMerged
  }
  return order
}
