// Values of the server as text: times in the chosen zone, dates, intervals and bytes as people write them.
import { exactTime, isTime, zonedTime } from './time.ts'

/** A value of a column of that type. */
export function cellText(value: unknown, type: string): string {
  return textIn(value, type, zonedTime)
}

/** The same whatever the zone: times as RFC 3339. For JSON and what is copied. */
export function plainValue(value: unknown, type: string): unknown {
  if (Array.isArray(value) && type.startsWith('List<')) return value.map(each => plainValue(each, elementOf(type)))
  return value !== null && isSpecial(type) ? textIn(value, type, exactTime) : value
}

export function textOf(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  return typeof value === 'object' ? writeJson(value) : String(value)
}

/** JSON with whole numbers of any size. */
export function writeJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? String(each) : each), indent)
}

/** JSON laid out in lines; lists of plain values stay on one as long as they fit. */
export function layOut(value: unknown, indent = ''): string {
  if (value === null || typeof value !== 'object') return writeJson(value) ?? 'null'
  const inner = `${indent}  `
  const list = Array.isArray(value)
  const parts = list
    ? value.map(each => layOut(each, inner))
    : Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}: ${layOut(each, inner)}`)
  const [open, close] = list ? '[]' : '{}'
  if (parts.length === 0) return `${open}${close}`
  const isPlain = list && value.every(each => each === null || typeof each !== 'object')
  const line = isPlain ? `${open}${parts.join(', ')}${close}` : ''
  if (isPlain && line.length <= 100) return line
  return `${open}\n${inner}${parts.join(`,\n${inner}`)}\n${indent}${close}`
}

function isSpecial(type: string): boolean {
  return isTime(type) || type === 'Date' || type === 'Binary' || /^Time/.test(type)
}

function textIn(value: unknown, type: string, time: (ticks: unknown, type: string) => string): string {
  if (value === null || value === undefined || typeof value === 'string') return textOf(value)
  if (isTime(type)) return time(value, type)
  if (type === 'Date') return new Date(Number(value) * 86_400_000).toISOString().slice(0, 10)
  if (type === 'Binary' && Array.isArray(value))
    return `0x${value.map(byte => Number(byte).toString(16).padStart(2, '0')).join('')}`
  if (type.startsWith('List<') && Array.isArray(value)) {
    const inner = elementOf(type)
    return isSpecial(inner) ? `[${value.map(each => textIn(each, inner, time)).join(', ')}]` : writeJson(value)
  }
  const clock = clockUnits[type]
  if (clock !== undefined) return exactTime(value, clock).slice(11, -1)
  return textOf(value)
}

const clockUnits: Readonly<Record<string, string>> = {
  TimeSecond: 'TimestampSecond',
  TimeMillisecond: 'TimestampMillisecond',
  TimeMicrosecond: 'TimestampMicrosecond',
  TimeNanosecond: 'TimestampNanosecond'
}

function elementOf(type: string): string {
  return type.slice('List<'.length, -1)
}
