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

/** The statements that make them. */
export function macroStatements(): string {
  const forms = Map.groupBy(Object.entries(all), ([form]) => nameOf(form))
  return Array.from(forms, ([name, list]) => {
    const bodies = list.map(([form, body]) => `${form.slice(name.length)} AS (${body.trim()})`)
    return `CREATE MACRO "${name}"${bodies.join(', ')};`
  }).join('\n')
}
