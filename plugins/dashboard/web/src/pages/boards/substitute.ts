// Puts the values of variables into queries.
import type { Statement } from '../../api/sql.ts'
import { fillTimes, fixedParts } from '../../fill-times.ts'
import type { Language } from './document.ts'

export interface Values {
  /** The chosen values, and all there are. */
  readonly [name: string]: {
    readonly chosen: readonly string[]
    readonly all: readonly string[]
    readonly isAll: boolean
  }
}

interface QueryTime {
  /** Milliseconds since 1970. */
  readonly from: number
  readonly to: number
  /** Seconds between samples. */
  readonly step: number
}

const variable = /\$\{(\w+)(?::\w+)?\}|\[\[(\w+)\]\]|\$(\w+)/
const variables = new RegExp(variable.source, 'g')
const onlyVariable = new RegExp(`^(?:${variable.source})$`)
const sqlParts = new RegExp(`${fixedParts.source}|${variable.source}`, 'g')

export function substitute(text: string, language: Exclude<Language, 'sql'>, values: Values, time: QueryTime): string {
  const ranges = builtIns(time)
  return text.replace(variables, (whole, ...names: (string | undefined)[]) => {
    const name = nameOf(names)
    const value = values[name]
    if (ranges[name] !== undefined) return ranges[name]
    if (value === undefined) return whole
    return language === 'promql' ? promqlText(value) : value.chosen.join(' ')
  })
}

/** A statement with `:from` and `:to`. Variables that stand for whole values become parameters; those within a text or a name are part of it. */
export function substituteSql(text: string, values: Values, time: QueryTime): Statement {
  const ranges = builtIns(time)
  const params: Record<string, string> = {}
  const parameter = (name: string, value: string) => {
    params[name] = value
    return `$${name}`
  }
  const filled = text.replace(sqlParts, (part, ...names: (string | undefined)[]) => {
    const [first] = part
    if (part.startsWith('--') || part.startsWith('/*')) return part
    if (first === "'" || first === '"') {
      const only = onlyVariable.exec(part.slice(1, -1))
      const name = only === null ? '' : nameOf(only.slice(1))
      const value = values[name]
      if (first === "'" && value !== undefined && ranges[name] === undefined)
        return parameter(`text_${name}`, chosenOf(value).join(','))
      return part.replace(variables, (whole, ...inner: (string | undefined)[]) => {
        const known = values[nameOf(inner)]
        return (
          ranges[nameOf(inner)] ??
          (known
            ? chosenOf(known)
                .join(',')
                .replaceAll(first, first + first)
            : whole)
        )
      })
    }
    const name = nameOf(names)
    const value = values[name]
    if (ranges[name] !== undefined) return ranges[name]
    if (value === undefined) return part
    return chosenOf(value)
      .map((each, i) => parameter(`value_${i}_${name}`, each))
      .join(', ')
  })
  return fillTimes(filled, time, params)
}

/** The name, from whichever of the three ways to write a variable has matched. */
function nameOf(names: readonly (string | undefined)[]): string {
  return names[0] ?? names[1] ?? names[2] ?? ''
}

function chosenOf({ chosen, all, isAll }: Values[string]): readonly string[] {
  return isAll ? all : chosen
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
