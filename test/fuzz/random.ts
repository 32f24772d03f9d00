// Random choices that are the same for the same seed, and what a fuzz run is.

/** Does `runs` runs from a seed. */
export type Fuzz = (seed: number, runs: number) => FuzzResult

export interface FuzzResult {
  readonly runs: number
  /** What was met, in words. */
  readonly summary: string
  /** The first input that broke something, with what it broke; absent: none did. */
  readonly broken?: string
}

export interface Random {
  /** 0 ≤ x < 1 */
  next(): number
  /** An integer from 0 to below `limit`. */
  below(limit: number): number
  pick<T>(list: readonly T[]): T
  /** True once in so many times. */
  once(of: number): boolean
}

/** mulberry32 */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return { next, below, pick: list => list[below(list.length)]!, once: of => below(of) === 0 }
}
