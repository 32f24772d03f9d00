// Ticks of a time axis and the words below them: clock times of the chosen zone, with the day where it changes.
import { fromWallClock, wallClock } from '../../zone.ts'

const day = 86_400

/** Seconds. */
const steps: readonly number[] = [
  ...[1e-3, 1e-2, 1e-1].flatMap(each => [1, 2, 5].map(times => times * each)),
  ...[1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1200, 1800, 3600, 7200, 10_800, 21_600, 43_200],
  ...[1, 2, 7, 14, 28, 91, 364].map(days => days * day)
]

interface TimeTicks {
  /** Seconds since 1970. */
  readonly ticks: readonly number[]
  /** Seconds between them. */
  readonly step: number
}

/** At most so many round times of the zone within a span, in seconds since 1970. */
export function roundTimes(from: number, to: number, max: number): TimeTicks {
  const step = steps.find(each => (to - from) / each <= max) ?? steps.at(-1)!
  const first = Math.ceil(wallClock(from * 1000) / 1000 / step)
  const last = Math.floor(wallClock(to * 1000) / 1000 / step)
  const count = Math.max(0, Math.min(max, last - first) + 1)
  return { ticks: Array.from({ length: count }, (_, i) => fromWallClock((first + i) * step * 1000) / 1000), step }
}

/** For each tick of the axis, in seconds since 1970, `step` seconds apart. */
export function timeWordsOf(ticks: readonly number[], step: number): string[] {
  let before = ''
  return ticks.map(tick => {
    const [today, clock] = new Date(wallClock(tick * 1000)).toISOString().split('T') as [string, string]
    if (step >= 28 * day) return today.slice(0, 7)
    if (step >= day) return today
    const word = clock.slice(0, step >= 60 ? 5 : step >= 1 ? 8 : 12)
    const isNew = today !== before
    before = today
    return isNew ? `${word}\n${today}` : word
  })
}
