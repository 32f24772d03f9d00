// Puts the values of variables into queries.
import { quoteText } from '../../api/sql.ts'
import type { Language } from './document.ts'

export interface Values {
  /** What was chosen, and what could be. */
  readonly [name: string]: {
    readonly chosen: readonly string[]
    readonly all: readonly string[]
    readonly isAll: boolean
  }
}

export interface QueryTime {
  /** Milliseconds since 1970. */
  readonly from: number
  readonly to: number
  /** Seconds between samples. */
  readonly step: number
}

const pattern = /(["'])?(?:\$\{(\w+)(?::\w+)?\}|\[\[(\w+)\]\]|\$(\w+))/g

export function substitute(text: string, language: Language, values: Values, time: QueryTime): string {
  const ranges = builtIns(time)
  return text.replace(pattern, (whole, quote: string = '', braced?: string, bracketed?: string, bare?: string) => {
    const name = (braced ?? bracketed ?? bare)!
    const range = ranges[name]
    if (range !== undefined) return quote + range
    const value = values[name]
    if (value === undefined) return whole
    if (language === 'promql') return quote + promqlText(value)
    if (language === 'logs') return quote + value.chosen.join(' ')
    return sqlText(value, quote)
  })
}

function builtIns({ from, to, step }: QueryTime): Readonly<Record<string, string>> {
  const seconds = Math.max(1, Math.round((to - from) / 1000))
  return {
    __interval: `${step}s`,
    __interval_s: String(step),
    __interval_ms: String(step * 1000),
    __rate_interval: `${Math.max(60, step * 4)}s`,
    __range: `${seconds}s`,
    __range_s: String(seconds),
    __range_ms: String(seconds * 1000),
    __from: String(Math.round(from)),
    __to: String(Math.round(to))
  }
}

function promqlText({ chosen, isAll }: Values[string]): string {
  if (isAll) return '.*'
  if (chosen.length === 1) return chosen[0]!.replace(/["\\]/g, '\\$&')
  return `(${chosen.map(value => value.replace(/[\\^$.*+?()[\]{}|]/g, '\\\\$&').replace(/"/g, '\\"')).join('|')})`
}

/** Within quotes as it is, else as a list of texts. */
function sqlText({ chosen, all, isAll }: Values[string], quote: string): string {
  const values = isAll ? all : chosen
  if (quote !== '') return quote + values.join(',').replaceAll(quote, quote + quote)
  return values.map(quoteText).join(', ')
}

/** A series' name as a legend says it: `{{job}}`. */
export function legendOf(legend: string, labels: Readonly<Record<string, string>>): string {
  return legend.replace(/\{\{\s*([^}]+?)\s*\}\}/g, (_, name: string) => labels[name] ?? '')
}
