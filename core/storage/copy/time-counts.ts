// Counts the rows of a table by time interval and, if requested, sums their hashes.
import { type TimestampType, timeUnit, unitsPerSecond } from '../../model/types.ts'

/** Initial length of an interval in seconds. */
const firstWidth = 60n
/** Maximum number of intervals; beyond it they become twice as long. */
const maxStretches = 65_536

interface Stretch {
  rows: number
  /** Sums of the two hashes of each row, modulo 2^32; 0 if only rows are counted. */
  a: number
  b: number
}

const empty: Readonly<Stretch> = { rows: 0, a: 0, b: 0 }

/** Counts by intervals of equal length, aligned to 1970. */
export class TimeCounts {
  /** Length of an interval, in the unit of the time index. */
  #width: bigint
  #stretches = new Map<number, Stretch>()
  rows = 0

  constructor(type: TimestampType) {
    this.#width = firstWidth * unitsPerSecond[timeUnit(type)]
  }

  get width(): bigint {
    return this.#width
  }

  /** Counts rows with the first `rows` times; `hashes` has two words per row. */
  add(times: BigInt64Array, rows: number, hashes?: Int32Array): void {
    let [from, to] = [1n, 0n]
    let stretch: Stretch = { ...empty }
    for (let i = 0; i < rows; i++) {
      const time = times[i]!
      if (time < from || time >= to) {
        if (this.#stretches.size >= maxStretches) this.#double()
        const index = floorDivide(time, this.#width)
        from = index * this.#width
        to = from + this.#width
        stretch = this.#at(Number(index))
      }
      stretch.rows++
      if (hashes === undefined) continue
      stretch.a = (stretch.a + hashes[i * 2]!) | 0
      stretch.b = (stretch.b + hashes[i * 2 + 1]!) | 0
    }
    this.rows += rows
  }

  of(index: number): Readonly<Stretch> {
    return this.#stretches.get(index) ?? empty
  }

  indexes(): Iterable<number> {
    return this.#stretches.keys()
  }

  /** Makes intervals at least as long as those of another count. */
  widen(width: bigint): void {
    while (this.#width < width) this.#double()
  }

  #at(index: number): Stretch {
    const found = this.#stretches.get(index)
    if (found !== undefined) return found
    const made = { ...empty }
    this.#stretches.set(index, made)
    return made
  }

  #double(): void {
    const before = this.#stretches
    this.#width *= 2n
    this.#stretches = new Map()
    for (const [index, { rows, a, b }] of before) {
      const stretch = this.#at(Math.floor(index / 2))
      stretch.rows += rows
      stretch.a = (stretch.a + a) | 0
      stretch.b = (stretch.b + b) | 0
    }
  }
}

/** Rows of a table in a range of time, the end exclusive; a missing bound is open. */
export interface Slice {
  readonly from: bigint | undefined
  readonly to: bigint | undefined
  /** Rows at the source, and at the target. */
  readonly rows: number
  readonly there: number
}

const [min, max] = [-(2n ** 63n), 2n ** 63n - 1n]

/**
 * Differences between two counts, by time. Adjacent intervals are merged to slices of up to `maxRows` rows, as long as the target has rows of
 * all or of none of them. Intervals before `since` are ignored.
 */
export function differences(source: TimeCounts, target: TimeCounts, maxRows: number, since?: bigint): Slice[] {
  source.widen(target.width)
  target.widen(source.width)
  const { width } = source
  const indexes = [...new Set([...source.indexes(), ...target.indexes()])].sort((a, b) => a - b)
  const slices: Slice[] = []
  let open: { first: number; last: number; rows: number; there: number } | undefined
  const close = () => {
    if (open === undefined) return
    const [from, to] = [BigInt(open.first) * width, BigInt(open.last + 1) * width]
    const bounds = { from: from < min ? undefined : from, to: to > max ? undefined : to }
    slices.push({ ...bounds, rows: open.rows, there: open.there })
    open = undefined
  }
  for (const index of indexes) {
    if (since !== undefined && BigInt(index) * width < since) continue
    const [here, there] = [source.of(index), target.of(index)]
    if (here.rows === there.rows && here.a === there.a && here.b === there.b) {
      close()
      continue
    }
    if (open !== undefined) {
      const fits = open.rows + here.rows <= maxRows && open.there + there.rows <= maxRows
      if (!fits || (open.there === 0) !== (there.rows === 0)) close()
    }
    open ??= { first: index, last: index, rows: 0, there: 0 }
    open.last = index
    open.rows += here.rows
    open.there += there.rows
  }
  close()
  return slices
}

function floorDivide(value: bigint, by: bigint): bigint {
  const quotient = value / by
  return value < 0n && quotient * by !== value ? quotient - 1n : quotient
}
