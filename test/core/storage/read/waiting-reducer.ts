// A reduction that goes on until the test lets it end; it runs in a reading thread.
import type { CreateReducer } from '../../../../core/storage/engine.ts'

export interface WaitingOptions {
  /** Shared: a value at `slot` other than 0 lets the reduction end. */
  readonly ended: Int32Array
  readonly slot: number
}

export const createReducer: CreateReducer = options => {
  const { ended, slot } = options as WaitingOptions
  return (_times, _values, out, present) => {
    out[0] = slot
    present[0] = 1
    return (function* () {
      while (Atomics.load(ended, slot) === 0) yield
    })()
  }
}
