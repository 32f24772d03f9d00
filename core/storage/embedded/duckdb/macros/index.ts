// Functions that users of other databases know, as macros in terms of DuckDB's own. One file for each kind.
import { aggregateMacros } from './aggregate.ts'
import { jsonMacros } from './json.ts'
import { deepJsonMacros } from './json-depth.ts'
import { listMacros } from './list.ts'
import { numberMacros } from './number.ts'
import { textMacros } from './text.ts'
import { timeMacros } from './time.ts'
import { typeMacros } from './type.ts'
import { vectorMacros } from './vector.ts'

/** By name and parameters, as `name(a, b)`, what a call means; several forms of one name differ in the number of their parameters. */
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
 * DuckDB names places in the text of a macro as it does those in the statement: macros stand behind so much space, in bytes, that few
 * statements reach as far.
 */
const textStart = 2 << 20

/** The statements that make them. */
export function macroStatements(): string {
  return ' '.repeat(textStart) + statements.map(([, sql]) => sql).join('')
}

/** The macro whose text holds the place of an error, where the statement has so many bytes; undefined for places in the statement. */
export function macroAt(place: number, statementBytes: number): string | undefined {
  if (place < Math.max(textStart, statementBytes)) return undefined
  let end = textStart
  return statements.find(([, sql]) => {
    end += sql.length
    return place < end
  })?.[0]
}
