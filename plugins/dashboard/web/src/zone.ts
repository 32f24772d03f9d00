// The time zone in which times are shown and read: that of this machine, UTC, or another one by its name.
import { computed, signal } from '@preact/signals'

const key = 'weir.zone'
const local = Intl.DateTimeFormat().resolvedOptions().timeZone

/** `local`, `UTC`, or a name such as `Europe/Oslo`. */
export const zone = signal(readStored())

/** The name of the zone. */
export const zoneName = computed(() => (zone.value === 'local' ? local : zone.value))

export function chooseZone(name: string): void {
  zone.value = name
  if (name === 'local') localStorage.removeItem(key)
  else localStorage.setItem(key, name)
}

export const zoneNames: readonly string[] = Intl.supportedValuesOf('timeZone')

function readStored(): string {
  const stored = localStorage.getItem(key) ?? 'local'
  return stored === 'local' || stored === 'UTC' || isZone(stored) ? stored : 'local'
}

function isZone(name: string): boolean {
  try {
    return Intl.DateTimeFormat('en', { timeZone: name }) !== undefined
  } catch {
    return false
  }
}

const format = computed(
  () =>
    new Intl.DateTimeFormat('en', {
      timeZone: zoneName.value,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit'
    })
)

/** Local date and time of the zone at a time, in milliseconds since 1970, as if it were UTC. */
export function wallClock(at: number): number {
  if (zoneName.value === 'UTC') return at
  if (zone.value === 'local') return at - new Date(at).getTimezoneOffset() * 60_000
  // `05/04/2026, 13:37:00`
  const [month, day, year, hour, minute, second] = format.value.format(at).split(/\D+/).map(Number)
  const whole = Date.UTC(year!, month! - 1, day, hour, minute, second)
  return whole + (((at % 1000) + 1000) % 1000)
}

/** The time at which calendar and clock of the zone show that. */
export function fromWallClock(wall: number): number {
  const guess = wall - (wallClock(wall) - wall)
  // Around a change of the clocks the first guess has the offset of the other side.
  return wall - (wallClock(guess) - guess)
}

/** `2026-05-04 13:37:00.250` in the zone. */
export function zonedText(at: number): string {
  const text = new Date(wallClock(at)).toISOString()
  return text.slice(0, text.endsWith('.000Z') ? 19 : 23).replace('T', ' ')
}
