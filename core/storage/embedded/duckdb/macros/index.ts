// Functions of other databases, as DuckDB macros. One file per kind.
import { aggregateMacros } from './aggregate.ts'
import { clickhouseMacros } from './clickhouse.ts'
import { jsonMacros } from './json.ts'
import { deepJsonMacros } from './json-depth.ts'
import { listMacros } from './list.ts'
import { numberMacros } from './number.ts'
import { textMacros } from './text.ts'
import { timeMacros } from './time.ts'
import { typeMacros } from './type.ts'
import { vectorMacros } from './vector.ts'

/** Calls, as `name(a, b)`, and the SQL they stand for. Forms of one name differ in the number of parameters. */
export type Macros = Readonly<Record<string, string>>

const all: Macros = {
  ...timeMacros,
  ...textMacros,
  ...numberMacros,
  ...listMacros,
  ...typeMacros,
  ...vectorMacros,
  ...jsonMacros,
  ...deepJsonMacros,
  ...clickhouseMacros,
  ...aggregateMacros
}

function nameOf(form: string): string {
  return form.slice(0, form.indexOf('('))
}

export const macroNames: ReadonlySet<string> = new Set(Object.keys(all).map(nameOf))

/** A statement for each of them. */
const statements: readonly (readonly [name: string, sql: string])[] = Array.from(
  Map.groupBy(Object.entries(all), ([form]) => nameOf(form)),
  ([name, list]) => {
    const bodies = list.map(([form, body]) => `${form.slice(name.length)} AS (${body.trim()})`)
    return [name, `CREATE MACRO "${name}"${bodies.join(', ')};\n`]
  }
)

/**
 * DuckDB reports positions in a macro like positions in the statement. Macros therefore begin behind so much white space, in bytes, that few
 * statements reach it.
 */
const textStart = 2 << 20

/** The statements that create all macros. */
export function macroStatements(): string {
  return ' '.repeat(textStart) + statements.map(([, sql]) => sql).join('')
}

/** The macro that contains the position of an error, for a statement of so many bytes; undefined for positions in the statement. */
export function macroAt(offset: number, statementBytes: number): string | undefined {
  if (offset < Math.max(textStart, statementBytes)) return undefined
  let end = textStart
  return statements.find(([, sql]) => {
    end += sql.length
    return offset < end
  })?.[0]
}
