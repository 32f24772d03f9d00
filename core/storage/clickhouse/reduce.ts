// Reduces series as they arrive from the cluster, each as a row with its times and values.
import type { ResultBatch } from '../../model/batch.ts'
import type { ResultType } from '../../model/types.ts'
import type { Steps } from '../../pace.ts'
import type { CreateReducer, Reduction } from '../engine.ts'

/** Lists of numbers, decoded as bytes. */
export const groupedTypes: ReadonlyMap<string, ResultType> = new Map([
  ['__moments', 'Binary'],
  ['__values', 'Binary']
])

/** Converts the cluster's rows to those of a reduced result; series that were not selected are left out. */
export async function reducing({
  module,
  options,
  width
}: Reduction): Promise<(batch: ResultBatch, numberOf: (id: bigint) => number | undefined) => Steps<ResultBatch>> {
  const { createReducer } = (await import(module)) as { readonly createReducer: CreateReducer }
  const reduce = createReducer(options)
  return function* ({ rows, columns }, numberOf) {
    const [ids, moments, numbers] = columns.map(each => each.values) as [BigUint64Array, Uint8Array[], Uint8Array[]]
    const series = new Uint32Array(rows)
    const values = new Float64Array(rows * width)
    const present = new Uint8Array(rows * width)
    let count = 0
    for (let row = 0; row < rows; row++) {
      const number = numberOf(ids[row]!)
      if (number === undefined) continue
      const [from, to] = [count * width, (count + 1) * width]
      const isThere = present.subarray(from, to)
      const samples = ascending(floats(moments[row]!), floats(numbers[row]!))
      const left = reduce(samples.times, samples.values, values.subarray(from, to), isThere)
      if (left !== undefined) yield* left
      if (isThere.includes(1)) series[count++] = number
      yield
    }
    return {
      rows: count,
      columns: [
        { values: series.subarray(0, count) },
        { values: values.subarray(0, count * width) },
        { values: present.subarray(0, count * width) }
      ]
    }
  }
}

function floats({ buffer, byteOffset, byteLength }: Uint8Array): Float64Array {
  return new Float64Array(buffer, byteOffset, byteLength / 8)
}

interface Samples {
  readonly times: Float64Array
  readonly values: Float64Array
}

/** Samples of a table's parts may arrive part by part, so they are sorted. */
function ascending(times: Float64Array, values: Float64Array): Samples {
  let isAscending = true
  for (let i = 1; i < times.length && isAscending; i++) isAscending = times[i]! >= times[i - 1]!
  if (isAscending) return { times, values }
  const order = Uint32Array.from(times.keys()).sort((a, b) => times[a]! - times[b]!)
  const sorted = { times: Float64Array.from(order, i => times[i]!), values: new Float64Array(order.length) }
  // Sorts the bits, because the bits of a NaN have a meaning.
  const [from, to] = [values, sorted.values].map(each => new BigInt64Array(each.buffer, each.byteOffset, each.length))
  for (const [i, old] of order.entries()) to![i] = from![old]!
  return sorted
}
