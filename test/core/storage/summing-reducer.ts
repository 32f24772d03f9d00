// A reduction of the tests: how many samples there were, their first and last time and, as long as it is a number, their sum.
import type { Reducer } from '../../../core/storage/engine.ts'

export function createReducer(options: unknown): Reducer {
  const { most } = options as { readonly most: number }
  return (times, values, out, present) => {
    const sum = values.subarray(0, most).reduce((all, value) => all + value, 0)
    out.set([times.length, times[0]!, times.at(-1)!, sum])
    present.set([1, 1, 1, Number.isNaN(sum) ? 0 : 1])
    return undefined
  }
}
