// Numbers for people, formatted exactly as in Prometheus' templates.
import { printGeneral, printNumber } from './value.ts'

const short = (value: number) => printGeneral(value, 4)

export function humanize(value: number): string {
  if (value === 0 || !Number.isFinite(value)) return short(value)
  if (Math.abs(value) < 1) return scaledDown(value)
  return scaledUp(value, 1_000, ['k', 'M', 'G', 'T', 'P', 'E', 'Z', 'Y'])
}

export function humanize1024(value: number): string {
  if (Math.abs(value) <= 1 || !Number.isFinite(value)) return short(value)
  return scaledUp(value, 1_024, ['ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei', 'Zi', 'Yi'])
}

/** Formats seconds. */
export function humanizeDuration(value: number): string {
  if (!Number.isFinite(value)) return short(value)
  if (value === 0) return '0s'
  if (Math.abs(value) < 1) return `${scaledDown(value)}s`
  const sign = value < 0 ? '-' : ''
  const size = Math.abs(value)
  const whole = Math.trunc(size)
  const [days, hours, minutes, seconds] = [
    Math.trunc(whole / 86_400),
    Math.trunc(whole / 3_600) % 24,
    Math.trunc(whole / 60) % 60,
    whole % 60
  ]
  if (days > 0) return `${sign}${days}d ${hours}h ${minutes}m ${seconds}s`
  if (hours > 0) return `${sign}${hours}h ${minutes}m ${seconds}s`
  if (minutes > 0) return `${sign}${minutes}m ${seconds}s`
  return `${sign}${short(size)}s`
}

export function humanizePercentage(value: number): string {
  return `${short(value * 100)}%`
}

/** The range of seconds whose nanoseconds fit into 64 bits. */
const maxSeconds = 9_223_372_036

/** Formats seconds since 1970. Throws Error outside of the range. */
export function humanizeTimestamp(value: number): string {
  const time = new Date(Math.trunc(value * 1_000))
  if (!Number.isFinite(value)) return short(value)
  if (Math.abs(value) > maxSeconds) throw new Error(`${printNumber(value)} is not a time in seconds since 1970`)
  const [date, rest] = time.toISOString().split('T') as [string, string]
  return `${date} ${rest.replace(/\.?0*Z$/, '')} +0000 UTC`
}

function scaledUp(value: number, step: number, prefixes: readonly string[]): string {
  let [scaled, prefix] = [value, '']
  for (const next of prefixes) {
    if (Math.abs(scaled) < step) break
    scaled /= step
    prefix = next
  }
  return short(scaled) + prefix
}

function scaledDown(value: number): string {
  let [scaled, prefix] = [value, '']
  for (const next of ['m', 'u', 'n', 'p', 'f', 'a', 'z', 'y']) {
    if (Math.abs(scaled) >= 1) break
    scaled *= 1_000
    prefix = next
  }
  return short(scaled) + prefix
}
