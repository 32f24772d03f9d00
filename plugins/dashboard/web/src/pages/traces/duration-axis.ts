// The axis of durations: its ticks, and the height of a duration as a share.

interface DurationAxis {
  /** Microseconds, ascending. */
  readonly ticks: readonly number[]
  /** Share of the height. */
  share(duration: number): number
}

/** Words an axis has room for. */
const maxWords = 6

/** From zero to the longest, in microseconds. */
export function linearAxis(longest: number): DurationAxis {
  return { ticks: [0, longest / 2, longest], share: duration => duration / longest }
}

/** From a power of ten to another one; shorter than a microsecond nothing is. */
export function logAxis(shortest: number, longest: number): DurationAxis {
  const low = Math.floor(Math.log10(Math.max(1, shortest)))
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(1, longest))))
  const every = Math.ceil((high - low) / maxWords)
  const powers = Array.from({ length: Math.floor((high - low) / every) + 1 }, (_, i) => 10 ** (low + i * every))
  const ticks = high - low > 1 ? powers : [1, 2, 5, 10].map(each => each * 10 ** low)
  return { ticks, share: duration => (Math.log10(Math.max(10 ** low, duration)) - low) / (high - low) }
}
