// Reading the Common Event Format of security devices.
import { type Context, step } from '../../context.ts'
import { type FunctionSpec, fail } from '../../function.ts'
import { kinds, objectOf } from '../../kind.ts'
import { lossy, type Text, type Value } from '../../value.ts'

const headerFields = [
  'cefVersion',
  'deviceVendor',
  'deviceProduct',
  'deviceVersion',
  'deviceEventClassId',
  'name',
  'severity'
]

export const cefParser: FunctionSpec = {
  name: 'parse_cef',
  summary: 'Reads an event in the Common Event Format; what stands before its header is passed over.',
  params: [
    { name: 'value', kind: kinds.string },
    { name: 'translate_custom_fields', kind: kinds.boolean, default: false },
    { name: 'strict', kind: kinds.boolean, default: true }
  ],
  returns: objectOf(Object.fromEntries(headerFields.map(name => [name, kinds.string])), kinds.string),
  fallible: true,
  prepare:
    ({ context }) =>
    (value: Text, translate: boolean, strict: boolean) =>
      readEvent(context, lossy(value), translate, strict),
  examples: [
    {
      title: 'An event',
      source: 'parse_cef!("Mar 4 05:06:07 fw CEF:1|Acme|wall|1.0|100|port closed|10|src=10.1.2.3 msg=it is shut")',
      result:
        '{"cefVersion":"1","deviceEventClassId":"100","deviceProduct":"wall","deviceVendor":"Acme","deviceVersion":"1.0","msg":"it is shut","name":"port closed","severity":"10","src":"10.1.2.3"}'
    },
    {
      title: 'Custom fields by their labels',
      source: 'parse_cef!("CEF:0|a|b|1|2|c|5|cs1=7 cs1Label=queue", translate_custom_fields: true).queue',
      result: '"7"'
    },
    { title: 'No event', source: 'parse_cef!("hello")', raises: 'unable to parse input as CEF' }
  ]
}

function readEvent(context: Context, text: string, translate: boolean, strict: boolean): ReadonlyMap<string, Value> {
  const start = text.indexOf('CEF:')
  if (start < 0) throw fail('unable to parse input as CEF: there is no "CEF:"')
  const fields = new Map<string, Value>()
  let at = start + 4
  for (const name of headerFields) {
    const end = headerEnd(text, at)
    if (end < 0) throw fail(`unable to parse input as CEF: the header ends before "${name}"`)
    fields.set(
      name,
      text
        .slice(at, end)
        .trim()
        .replace(/\\([\\|])/g, '$1')
    )
    at = end + 1
  }
  if (!/^\d+$/.test(fields.get('cefVersion') as string))
    throw fail('unable to parse input as CEF: its version is not a number')
  const pairs = readExtension(context, text.slice(at), strict)
  for (const [key, value] of translate ? translated(pairs) : pairs) fields.set(key, value)
  return fields
}

function headerEnd(text: string, start: number): number {
  for (let at = start; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '|') return at
  }
  return -1
}

/** A key, before the equals sign that ends it. */
const key = /(?:^|\s)([\w.[\]-]+)=/g

/** Values reach to the key of the next pair: they may hold blanks. */
function readExtension(context: Context, text: string, strict: boolean): Map<string, string> {
  const pairs = new Map<string, string>()
  let last: string | undefined
  let from = 0
  for (const found of text.matchAll(key)) {
    step(context)
    if (last !== undefined) pairs.set(last, fieldValue(text.slice(from, found.index), strict))
    else if (strict && text.slice(0, found.index).trim() !== '') throw unfinished()
    last = found[1]
    from = found.index + found[0].length
  }
  if (last !== undefined) pairs.set(last, fieldValue(text.slice(from), strict))
  else if (strict && text.trim() !== '') throw unfinished()
  return pairs
}

function unfinished() {
  return fail('Could not parse whole line successfully: the extension does not begin with a key')
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r' }

function fieldValue(text: string, strict: boolean): string {
  if (strict && /(?:^|[^\\])(?:\\\\)*=/.test(text))
    throw fail('Could not parse whole line successfully: a value holds an equals sign that is not escaped')
  const plain = text.trim().replace(/\\([\\=|nr])/g, (_, letter: string) => escapes[letter] ?? letter)
  return plain.length > 1 && plain.startsWith('"') && plain.endsWith('"') ? plain.slice(1, -1) : plain
}

const custom = /^(?:c6a[1-4]|cfp[1-4]|cn[1-3]|cs[1-6]|deviceCustomDate[12]|flexDate1|flexNumber[12]|flexString[12])$/

/** Pairs of a custom field and its label become one field of the label's name. */
function translated(pairs: ReadonlyMap<string, string>): Map<string, string> {
  const found = new Map<string, string>()
  for (const [name, value] of pairs) {
    const base = name.endsWith('Label') ? name.slice(0, -5) : name
    const label = custom.test(base) ? pairs.get(`${base}Label`) : undefined
    if (label === undefined || !pairs.has(base)) found.set(name, value)
    else if (name === base) found.set(label, value)
  }
  return found
}
