// Spans of time as the address says them: `now-1h`, or a point in time.
import { computed } from '@preact/signals'
import { change, parameters } from './router.ts'

/** Milliseconds since 1970. */
export interface TimeSpan {
  readonly from: number
  readonly to: number
}

const units: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** Milliseconds since 1970; undefined when it is no time. */
export function readTime(text: string, now = Date.now()): number | undefined {
  if (text === 'now') return now
  const back = /^now-(\d+)([smhdw])$/.exec(text)
  if (back !== null) return now - Number(back[1]) * units[back[2]!]!
  if (/^\d{10,13}$/.test(text)) return text.length > 10 ? Number(text) : Number(text) * 1000
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : at
}

export interface TimeWords {
  readonly from: string
  readonly to: string
}

export const lastHour: TimeWords = { from: 'now-1h', to: 'now' }

const fromWord = computed(() => parameters.value.get('from') ?? lastHour.from)
const toWord = computed(() => parameters.value.get('to') ?? lastHour.to)

/** What the address says, else the last hour. The same object until they change. */
export const timeWords = computed<TimeWords>(() => ({ from: fromWord.value, to: toWord.value }))

/** The span of this moment. */
export function currentSpan({ from, to } = timeWords.value): TimeSpan {
  const now = Date.now()
  const end = readTime(to, now) ?? now
  const start = readTime(from, now) ?? end - units['h']!
  return start < end ? { from: start, to: end } : { from: end - units['h']!, to: end }
}

/** Shows another span: what a drag over a chart does. */
export function showSpan({ from, to }: TimeSpan): void {
  change({ from: new Date(from).toISOString(), to: new Date(to).toISOString() })
}

/** `2026-05-04 13:37:00.250` in the time of this machine. */
export function formatTime(at: number): string {
  const date = new Date(at)
  const two = (value: number) => String(value).padStart(2, '0')
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  const clock = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
  const rest = date.getMilliseconds()
  return `${day} ${clock}${rest === 0 ? '' : `.${String(rest).padStart(3, '0')}`}`
}

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
