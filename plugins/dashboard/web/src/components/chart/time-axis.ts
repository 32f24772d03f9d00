// Words below a time axis: clock times of the chosen zone, with the day where it changes.
import { wallClock } from '../../zone.ts'

const day = 86_400

/** For each place of the axis, in seconds since 1970, `step` seconds apart. */
export function timeWordsOf(places: readonly number[], step: number): string[] {
  let before = ''
  return places.map(place => {
    const [today, clock] = new Date(wallClock(place * 1000)).toISOString().split('T') as [string, string]
    if (step >= 28 * day) return today.slice(0, 7)
    if (step >= day) return today
    const word = clock.slice(0, step >= 60 ? 5 : step >= 1 ? 8 : 12)
    const isNew = today !== before
    before = today
    return isNew ? `${word}\n${today}` : word
  })
}
