// JSON functions that recurse and crash on text nested thousands of levels deep, wrapped so that they refuse such text.
import { maxJsonDepth } from '../../../../model/json.ts'
import { limitError } from '../../../../model/limit.ts'
import { quoteText } from '../words.ts'
import type { Macros } from './index.ts'

/**
 * Text up to so many bytes needs no check: it cannot have more than a fourth of the levels that crash DuckDB on a stack of 8 MiB. The
 * structure argument, where each level is a type, has a smaller limit.
 */
const harmlessBytes = 8192
const harmlessStructureBytes = 1024

/** Matches the text between two brackets: other characters, and whole strings. */
const between = String.raw`(?:[^"\[\]{}]|"(?:[^"\\]|\\.)*")*`

/** Matches text nested at most `levels` deep, in linear time. */
function nested(levels: number): string {
  return levels === 0 ? between : String.raw`${between}(?:[\[{]${nested(levels - 1)}[\]}]${between})*`
}

const isShallow = (text: string, bytes: number) =>
  `strlen(${text}) < ${bytes} OR regexp_full_match(${text}, ${quoteText(`(?s)${nested(maxJsonDepth)}`)})`

const refusal = `the JSON is nested deeper than ${maxJsonDepth} levels`
const document = (name: string) =>
  `CASE WHEN ${name} IS NULL OR ${isShallow(`CAST(${name} AS VARCHAR)`, harmlessBytes)} THEN ${name} ELSE ${limitError(refusal)} END`
/** DuckDB requires a constant, and an expression with `error` is none, so this one is invalid JSON instead. */
const structure = `CASE WHEN ${isShallow('structure', harmlessStructureBytes)} THEN structure ELSE ${quoteText(refusal)} END`

const calls = (name: string, parameters: readonly string[]) =>
  [`${name}(${parameters.join(', ')})`, `system.main.${name}(${parameters.map(document).join(', ')})`] as const

const reading = ['from_json', 'from_json_strict', 'json_transform', 'json_transform_strict']

export const deepJsonMacros: Macros = {
  ...Object.fromEntries([
    calls('json_structure', ['j']),
    calls('json_contains', ['j', 'part']),
    ...[2, 3, 4, 5, 6].map(count =>
      calls(
        'json_merge_patch',
        Array.from({ length: count }, (_, i) => `j${i}`)
      )
    )
  ]),
  ...Object.fromEntries(reading.map(name => [`${name}(j, structure)`, `system.main.${name}(j, ${structure})`] as const))
}

/** Names that mean DuckDB's own functions if qualified with a schema. */
export const deepJsonNames: ReadonlySet<string> = new Set([
  'json_structure',
  'json_contains',
  'json_merge_patch',
  ...reading
])
