// Functions that look for something in a text.
import { step } from '../../context.ts'
import { type FunctionSpec, fail } from '../../function.ts'
import { bit, elementKind, isOnly, kinds, union } from '../../kind.ts'
import {
  type ArrayValue,
  isArray,
  isText,
  lossy,
  Regex,
  type Text,
  toBytes,
  typeName,
  type Value
} from '../../value.ts'
import { parseFloatText } from '../coerce.ts'

export const searches: readonly FunctionSpec[] = [
  {
    name: 'contains_all',
    summary: 'True if every one of some texts is found in a text.',
    params: [
      { name: 'value', kind: kinds.string },
      { name: 'substrings', kind: kinds.array },
      { name: 'case_sensitive', kind: kinds.boolean, default: true }
    ],
    returns: kinds.boolean,
    fallible: call => {
      const items = elementKind(call.kind('substrings'))
      return items.bits !== 0 && !isOnly(items, bit.string)
    },
    prepare:
      ({ context }) =>
      (value: Text, parts: ArrayValue, exact: boolean) => {
        const text = exact ? lossy(value) : lossy(value).toLowerCase()
        const texts = parts.map(textOf)
        return texts.every(part => {
          step(context)
          return text.includes(exact ? part : part.toLowerCase())
        })
      },
    examples: [
      { title: 'Both', source: 'contains_all("The Needle In The Haystack", ["Needle", "Hay"])', result: 'true' },
      {
        title: 'In any case',
        source: 'contains_all("The Needle", ["NEEDLE", "x"], case_sensitive: false)',
        result: 'false'
      }
    ]
  },
  {
    name: 'find',
    summary: 'Where a text or a regular expression is found first, in bytes from the beginning; null when it is not.',
    params: [
      { name: 'value', kind: kinds.string },
      { name: 'pattern', kind: union(kinds.string, kinds.regex) },
      { name: 'from', kind: kinds.integer, default: 0n }
    ],
    returns: union(kinds.integer, kinds.null),
    run: (value: Text, pattern: Text | Regex, from: bigint) => {
      const found = pattern instanceof Regex ? findRegex(value, pattern, from) : findText(value, pattern, from)
      return found < 0 ? null : BigInt(found)
    },
    examples: [
      { title: 'A text', source: 'find("foobar", "bar")', result: '3' },
      { title: 'Bytes', source: 'find("ääb", r\'b\')', result: '4' },
      { title: 'Behind', source: 'find("foobarfoobarfoo", "bar", from: 4)', result: '9' },
      { title: 'Nothing', source: 'find("foobar", "x")', result: 'null' }
    ]
  },
  {
    name: 'match_any',
    summary: 'True if at least one of some regular expressions is found in the text.',
    params: [
      { name: 'value', kind: kinds.string },
      { name: 'patterns', kind: kinds.array, constant: true }
    ],
    returns: kinds.boolean,
    prepare: call => {
      const patterns = call.constant('patterns')
      const regexes = (isArray(patterns) ? patterns : []).map(pattern => {
        if (pattern instanceof Regex) return pattern
        throw call.invalid('patterns', `patterns must be regular expressions, not ${typeName(pattern)}`)
      })
      return (value: Text) => {
        const text = lossy(value)
        return regexes.some(regex => regex.test(text))
      }
    },
    examples: [{ title: 'The second', source: "match_any(\"a 12\", [r'^x', r'\\d+'])", result: 'true' }]
  },
  {
    name: 'parse_float',
    summary: 'Reads a float: decimal or with an exponent, or an infinity.',
    params: [{ name: 'value', kind: kinds.string }],
    returns: kinds.float,
    fallible: true,
    run: (value: Text) => parseFloatText(lossy(value)),
    examples: [
      { title: 'A number', source: 'parse_float!("-42.5e1")', result: '-425.0' },
      { title: 'No number', source: 'parse_float!("NaN")', raises: 'Invalid floating point number "NaN"' }
    ]
  }
]

function textOf(part: Value): string {
  if (isText(part)) return lossy(part)
  throw fail(`expected string, got ${typeName(part)}`)
}

/** Bytes from the beginning, -1 when there is none. */
function findText(value: Text, part: Text, from: bigint): number {
  const bytes = Buffer.from(toBytes(value))
  if (from < 0n || from > BigInt(bytes.length)) return -1
  return bytes.indexOf(toBytes(part), Number(from))
}

function findRegex(value: Text, pattern: Regex, from: bigint): number {
  const text = lossy(value)
  const start = from < 0n ? -1 : unitOf(text, Number(from))
  const match = start < 0 ? undefined : pattern.exec(text, start)
  return match === undefined ? -1 : Buffer.byteLength(text.slice(0, match.start))
}

/** The UTF-16 unit at or after so many bytes; -1 beyond the end. */
function unitOf(text: string, bytes: number): number {
  let unit = 0
  for (let at = 0; at < bytes; unit++) {
    if (unit >= text.length) return -1
    const code = text.codePointAt(unit)!
    at += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
    if (code >= 0x10000) unit++
  }
  return unit
}
