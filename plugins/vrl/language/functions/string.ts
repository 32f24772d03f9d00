// Functions on text.
import { type Context, checkOutput, step } from '../context.ts'
import { type FunctionSpec, fail } from '../function.ts'
import { arrayOf, kinds, union } from '../kind.ts'
import { isText, lossy, Regex, type Text, type Value } from '../value.ts'

const caseSensitive = { name: 'case_sensitive', kind: kinds.boolean, default: true }

function searching(
  name: string,
  summary: string,
  found: (text: string, part: string) => boolean,
  example: string
): FunctionSpec {
  return {
    name,
    summary,
    params: [{ name: 'value', kind: kinds.string }, { name: 'substring', kind: kinds.string }, caseSensitive],
    returns: kinds.boolean,
    run: (value: Text, part: Text, exact: boolean) =>
      exact ? found(lossy(value), lossy(part)) : found(lossy(value).toLowerCase(), lossy(part).toLowerCase()),
    examples: [
      { title: 'In any case', source: `${name}("Banana", "${example}", case_sensitive: false)`, result: 'true' }
    ]
  }
}

export const strings: readonly FunctionSpec[] = [
  {
    name: 'upcase',
    summary: 'The text in upper case.',
    params: [{ name: 'value', kind: kinds.string }],
    returns: kinds.string,
    run: (value: Text) => lossy(value).toUpperCase(),
    examples: [{ title: 'A word', source: 'upcase("straße")', result: '"STRASSE"' }]
  },
  {
    name: 'downcase',
    summary: 'The text in lower case.',
    params: [{ name: 'value', kind: kinds.string }],
    returns: kinds.string,
    run: (value: Text) => lossy(value).toLowerCase(),
    examples: [{ title: 'A word', source: 'downcase("ÄPFEL")', result: '"äpfel"' }]
  },
  searching('contains', 'True if the text has the other inside.', (text, part) => text.includes(part), 'NAN'),
  searching('starts_with', 'True if the text begins with the other.', (text, part) => text.startsWith(part), 'bAN'),
  searching('ends_with', 'True if the text ends with the other.', (text, part) => text.endsWith(part), 'NA'),
  {
    name: 'split',
    summary: 'The pieces of a text between the matches of a pattern.',
    params: [
      { name: 'value', kind: kinds.string },
      { name: 'pattern', kind: union(kinds.string, kinds.regex) },
      { name: 'limit', kind: kinds.integer, default: 999_999_999n }
    ],
    returns: arrayOf(kinds.string),
    prepare:
      ({ context }) =>
      (value: Text, pattern: Text | Regex, limit: bigint) =>
        pattern instanceof Regex
          ? splitRegex(context, lossy(value), pattern, Number(limit))
          : splitText(lossy(value), lossy(pattern), Number(limit)),
    examples: [
      { title: 'At a comma', source: 'split("a,b,c", ",")', result: '["a","b","c"]' },
      { title: 'Two pieces', source: 'split("a,b,c", r\',\', limit: 2)', result: '["a","b,c"]' }
    ]
  },
  {
    name: 'join',
    summary: 'The texts of an array one after another with a separator between.',
    params: [
      { name: 'value', kind: kinds.array },
      { name: 'separator', kind: kinds.string, default: '' }
    ],
    returns: kinds.string,
    fallible: true,
    prepare:
      ({ context }) =>
      (value: readonly Value[], separator: Text) => {
        let length = 0
        for (const item of value) {
          if (!isText(item)) throw fail('all array items must be strings')
          length += item.length + separator.length
        }
        checkOutput(context, length)
        return value.map(item => lossy(item as Text)).join(lossy(separator))
      },
    examples: [{ title: 'With a blank', source: 'join!(["a", "b"], " ")', result: '"a b"' }]
  },
  {
    name: 'strip_whitespace',
    summary: 'The text without white space at both ends.',
    params: [{ name: 'value', kind: kinds.string }],
    returns: kinds.string,
    run: (value: Text) => lossy(value).replace(/^[\p{White_Space}]+|[\p{White_Space}]+$/gu, ''),
    examples: [{ title: 'Blanks', source: 'strip_whitespace("  a b ")', result: '"a b"' }]
  },
  {
    name: 'strlen',
    summary: 'The number of characters (code points).',
    params: [{ name: 'value', kind: kinds.string }],
    returns: kinds.integer,
    run: (value: Text) => BigInt([...lossy(value)].length),
    examples: [{ title: 'Two bytes', source: 'strlen("ñandú")', result: '5' }]
  },
  {
    name: 'truncate',
    summary: 'The first characters of a text, with a suffix if something was cut off.',
    params: [
      { name: 'value', kind: kinds.string },
      { name: 'limit', kind: kinds.integer },
      { name: 'suffix', kind: kinds.string, default: '' }
    ],
    returns: kinds.string,
    run: (value: Text, limit: bigint, suffix: Text) => {
      const text = lossy(value)
      const max = limit < 0n ? 0 : Number(limit)
      if (text.length <= max) return text
      const characters = [...text]
      return characters.length <= max ? text : characters.slice(0, max).join('') + lossy(suffix)
    },
    examples: [{ title: 'With dots', source: 'truncate("banana", 3, "…")', result: '"ban…"' }]
  }
]

function splitText(text: string, separator: string, limit: number): string[] {
  if (limit <= 0) return []
  const all = separator === '' ? ['', ...text, ''] : text.split(separator)
  if (all.length <= limit) return all
  return [...all.slice(0, limit - 1), all.slice(limit - 1).join(separator)]
}

function splitRegex(context: Context, text: string, pattern: Regex, limit: number): string[] {
  if (limit <= 0) return []
  const pieces: string[] = []
  let start = 0
  if (limit > 1)
    for (const match of pattern.matches(text)) {
      step(context)
      pieces.push(text.slice(start, match.start))
      start = match.end
      if (pieces.length === limit - 1) break
    }
  pieces.push(text.slice(start))
  return pieces
}
