// Functions of JSON that go down by recursion and crash on text that is nested some thousand levels deep: they take no such text.
import { maxJsonDepth } from '../../../../model/json.ts'
import { quoteText } from '../words.ts'
import type { Macros } from './index.ts'

/**
 * Bytes of text that is looked at no further: it has room for a fourth of the levels DuckDB crashes on, on a stack of 8 MiB. Those of the
 * structure a document is read by, where each level is a type, are fewer.
 */
const harmlessBytes = 8192
const harmlessStructureBytes = 1024

/** What stands between two brackets: anything else, and texts with whatever is in them. */
const between = String.raw`(?:[^"\[\]{}]|"(?:[^"\\]|\\.)*")*`

/** Text nested no deeper than `levels`: it is matched in one go, in proportion to its length. */
function nested(levels: number): string {
  return levels === 0 ? between : String.raw`${between}(?:[\[{]${nested(levels - 1)}[\]}]${between})*`
}

const isShallow = (text: string, bytes: number) =>
  `strlen(${text}) < ${bytes} OR regexp_full_match(${text}, ${quoteText(`(?s)${nested(maxJsonDepth)}`)})`

const refusal = quoteText(`the JSON is nested deeper than ${maxJsonDepth} levels`)
const document = (name: string) =>
  `CASE WHEN ${name} IS NULL OR ${isShallow(`CAST(${name} AS VARCHAR)`, harmlessBytes)} THEN ${name} ELSE error(${refusal}) END`
/** DuckDB wants a constant, which nothing with an `error` in it is: this one is no JSON instead. */
const structure = `CASE WHEN ${isShallow('structure', harmlessStructureBytes)} THEN structure ELSE ${refusal} END`

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

/** Names that mean DuckDB's own functions where they stand behind a schema. */
export const deepJsonNames: ReadonlySet<string> = new Set([
  'json_structure',
  'json_contains',
  'json_merge_patch',
  ...reading
])
