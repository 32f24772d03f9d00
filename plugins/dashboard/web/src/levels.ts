// The severity of a log line, whatever its column and its values are called.
import type { Column } from './api/sql.ts'

export type Level = 'error' | 'warn' | 'info' | 'debug' | 'other'

/** Gravest first. */
export const levels: readonly Level[] = ['error', 'warn', 'info', 'debug', 'other']

/** Names of colours of styles/base.css. */
export const levelColours: Readonly<Record<Level, string>> = {
  error: 'bad',
  warn: 'series-2',
  info: 'series-6',
  debug: 'series-8',
  other: 'series-1'
}

const names = ['level', 'severity_text', 'severity', 'loglevel', 'log_level', 'lvl', 'levelname', 'severity_number']

export function isLevelName(name: string): boolean {
  return names.includes(name.toLowerCase())
}

/** The column of levels by its name, else by the values of lines. */
export function findLevel(columns: readonly Column[], rows: readonly (readonly unknown[])[]): string | undefined {
  const named = names.flatMap(name => columns.find(column => column.name.toLowerCase() === name) ?? [])[0]
  if (named !== undefined) return named.name
  return columns.find(({ type }, i) => {
    if (type !== 'String') return false
    const values = rows.flatMap(row => (typeof row[i] === 'string' && row[i] !== '' ? [row[i]] : []))
    return values.length > 0 && values.every(value => levelOf(value) !== 'other')
  })?.name
}

const words: readonly (readonly [Level, RegExp])[] = [
  ['error', /^(error|err|fatal|crit|critical|severe|emerg|emergency|alert|panic|fail|failure|e|f)$/],
  ['warn', /^(warn|warning|w)$/],
  ['info', /^(info|information|informational|notice|i|n)$/],
  ['debug', /^(debug|trace|verbose|fine|finer|finest|d|t|v)$/]
]

export function levelOf(value: unknown, column = ''): Level {
  if (typeof value === 'number')
    return column.toLowerCase() === 'severity_number' ? ofTelemetry(value) : ofNumber(value)
  // Telemetry has shades such as ERROR2.
  const text = String(value ?? '')
    .toLowerCase()
    .trim()
    .replace(/(?<=.)\d$/, '')
  return words.find(([, pattern]) => pattern.test(text))?.[0] ?? 'other'
}

function ofTelemetry(value: number): Level {
  if (value < 1) return 'other'
  return value >= 17 ? 'error' : value >= 13 ? 'warn' : value >= 9 ? 'info' : 'debug'
}

/** From ten on as loggers of Node count, below as syslog does. */
function ofNumber(value: number): Level {
  if (value >= 10) return value >= 50 ? 'error' : value >= 40 ? 'warn' : value >= 30 ? 'info' : 'debug'
  return value <= 3 ? 'error' : value === 4 ? 'warn' : value <= 6 ? 'info' : 'debug'
}
