// Spans of time as the address says them: `now-1h`, or a point in time.
import { computed, signal } from '@preact/signals'
import { change, parameters } from './router.ts'
import { fromWallClock, zonedText } from './zone.ts'

/** Milliseconds since 1970. */
export interface TimeSpan {
  readonly from: number
  readonly to: number
}

const units: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** Milliseconds since 1970; undefined if it is not a time. A time without a zone is one of UTC: links mean the same everywhere. */
export function readTime(text: string, now = Date.now()): number | undefined {
  if (isRelative(text)) {
    const [, count, unit] = /^now-(\d+)([smhdw])$/.exec(text) ?? []
    return count === undefined ? now : now - Number(count) * units[unit!]!
  }
  if (/^\d{10,13}$/.test(text)) return text.length > 10 ? Number(text) : Number(text) * 1000
  const at = Date.parse(
    hasZone(text) ? text : `${text.replace(/^(\d{4}-\d{2}-\d{2})$/, '$1T00:00').replace(' ', 'T')}Z`
  )
  return Number.isNaN(at) ? undefined : at
}

function isRelative(text: string): boolean {
  return /^now(-\d+[smhdw])?$/.test(text)
}

function hasZone(text: string): boolean {
  return /(z|[+-]\d{2}:?\d{2})$/i.test(text.replace(/^\d{4}-\d{2}-\d{2}/, ''))
}

/** A time typed by a user, read in the chosen zone, in the form of the address; undefined if it is not a time. */
export function addressWord(text: string): string | undefined {
  if (isRelative(text)) return text
  const at = readTime(text)
  if (at === undefined) return undefined
  return new Date(hasZone(text) || /^\d{10,13}$/.test(text) ? at : fromWallClock(at)).toISOString()
}

/** A word of the address for a person: a point in time is shown in the chosen zone. */
export function personWord(word: string): string {
  const at = isRelative(word) ? undefined : readTime(word)
  return at === undefined ? word : zonedText(at)
}

interface TimeWords {
  readonly from: string
  readonly to: string
}

const lastHour: TimeWords = { from: 'now-1h', to: 'now' }

const fromWord = computed(() => parameters.value.get('from') ?? lastHour.from)
const toWord = computed(() => parameters.value.get('to') ?? lastHour.to)

const round = signal(0)

/** Loads anew what depends on the time. */
export function refresh(): void {
  round.value++
}

/** The times of the address, else the last hour. The same object until they change or `refresh` is called. */
export const timeWords = computed<TimeWords>(() => {
  round.value
  return { from: fromWord.value, to: toWord.value }
})

/** Why the address names no span of time. */
export const timeProblem = computed(() => problemOf(timeWords.value))

export function problemOf({ from, to }: TimeWords): string | undefined {
  const now = Date.now()
  const [start, end] = [readTime(from, now), readTime(to, now)]
  for (const [word, at] of [[from, start] as const, [to, end] as const])
    if (at === undefined) return `${word} is not a time, expected one such as now-1h or 2026-05-04 13:37`
  return start! < end! ? undefined : `${personWord(from)} is not before ${personWord(to)}`
}

/** The span of this moment; the last hour where the address names none. */
export function currentSpan(words = timeWords.value): TimeSpan {
  const now = Date.now()
  if (problemOf(words) !== undefined) return { from: now - units['h']!, to: now }
  return { from: readTime(words.from, now)!, to: readTime(words.to, now)! }
}

/** Shows another span: what a drag over a chart does. */
export function showSpan({ from, to }: TimeSpan): void {
  change({ from: new Date(from).toISOString(), to: new Date(to).toISOString() })
}

/** `2026-05-04 13:37:00.250` in the chosen zone. */
export const formatTime = zonedText

export function formatDuration(milliseconds: number): string {
  if (milliseconds < 1) return `${Math.round(milliseconds * 1000)} µs`
  if (milliseconds < 1000) return `${Number(milliseconds.toPrecision(3))} ms`
  if (milliseconds < 60_000) return `${Number((milliseconds / 1000).toPrecision(3))} s`
  return `${Math.floor(milliseconds / 60_000)} min ${Math.round((milliseconds % 60_000) / 1000)} s`
}

export function formatBytes(bytes: number): string {
  const names = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  const power = bytes < 1 ? 0 : Math.min(names.length - 1, Math.floor(Math.log2(bytes) / 10))
  return `${Number((bytes / 1024 ** power).toPrecision(3))} ${names[power]}`
}

const ticksPerMilli: Readonly<Record<string, number>> = {
  TimestampSecond: 1e-3,
  TimestampMillisecond: 1,
  TimestampMicrosecond: 1e3,
  TimestampNanosecond: 1e6
}

/** Whether a type of the server is one of times. */
export function isTime(type: string): boolean {
  return type in ticksPerMilli
}

/** A time of a column of that type, in milliseconds since 1970. */
export function readTicks(ticks: unknown, type: string): number {
  return Number(ticks) / ticksPerMilli[type]!
}

/** The same as RFC 3339, with all its digits. */
export function exactTime(ticks: unknown, type: string): string {
  const perSecond = BigInt(1000 * ticksPerMilli[type]!)
  const all = BigInt(ticks as number | bigint)
  const rest = ((all % perSecond) + perSecond) % perSecond
  const whole = new Date(Number((all - rest) / perSecond) * 1000).toISOString().slice(0, 19)
  return perSecond === 1n ? `${whole}Z` : `${whole}.${String(rest).padStart(String(perSecond).length - 1, '0')}Z`
}

/** A time of a column in the chosen zone, with all the digits it has. */
export function zonedTime(ticks: unknown, type: string): string {
  const exact = exactTime(ticks, type)
  const digits = /\.(\d+)Z$/.exec(exact)?.[1]?.replace(/0+$/, '') ?? ''
  const whole = zonedText(Math.floor(readTicks(ticks, type) / 1000) * 1000)
  return digits === '' ? whole : `${whole}.${digits.padEnd(3, '0')}`
}
