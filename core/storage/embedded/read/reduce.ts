// Samples of each series reduced to a few values, as whoever asks wants them.
import type { ResultBatch } from '../../../model/batch.ts'
import type { Reducer } from '../../engine.ts'
import type { Gathered } from './gather.ts'

/** One row for each series of which anything is left; `tsids` by place, samples of one column. */
export function reduce(
  { starts, times, values: [column] }: Gathered,
  tsids: Uint32Array,
  { reducer, width }: { readonly reducer: Reducer; readonly width: number }
): ResultBatch {
  const { values, present } = column!
  const series = new Uint32Array(tsids.length)
  const out = new Float64Array(tsids.length * width)
  const isThere = new Uint8Array(tsids.length * width)
  let rows = 0
  for (let place = 0; place < tsids.length; place++) {
    const [start, end] = [starts[place]!, starts[place + 1]!]
    if (start === end) continue
    const [own, ownPresent] = [rows * width, (rows + 1) * width]
    const mine = isThere.subarray(own, ownPresent)
    const kept = present === undefined ? end : squeeze(times, values, present, start, end)
    reducer(times.subarray(start, kept), values.subarray(start, kept), out.subarray(own, ownPresent), mine)
    if (mine.includes(1)) series[rows++] = tsids[place]!
  }
  const columns = [
    { values: series.subarray(0, rows) },
    { values: out.subarray(0, rows * width) },
    { values: isThere.subarray(0, rows * width) }
  ]
  return { rows, columns }
}

/** Moves the samples that have a value together, by their bits; returns the end. */
function squeeze(times: Float64Array, values: Float64Array, present: Uint8Array, start: number, end: number): number {
  const words = new Uint32Array(values.buffer, values.byteOffset, 2 * values.length)
  let at = start
  for (let row = start; row < end; row++) {
    if (present[row] === 0) continue
    times[at] = times[row]!
    words[2 * at] = words[2 * row]!
    words[2 * at + 1] = words[2 * row + 1]!
    at++
  }
  return at
}
