// Functions that take regular expressions.
import { type Context, checkOutput, step } from '../context.ts'
import { type Call, type Closure, type FunctionSpec, fail } from '../function.ts'
import { arrayOf, type Kind, kinds, objectOf, union } from '../kind.ts'
import type { Match } from '../regex.ts'
import { isText, lossy, Regex, type Text, typeName, type Value } from '../value.ts'

const pattern = { name: 'pattern', kind: kinds.regex }
const numericGroups = { name: 'numeric_groups', kind: kinds.boolean, default: false }

export const patterns: readonly FunctionSpec[] = [
  {
    name: 'match',
    summary: 'True if the pattern is found anywhere in the text.',
    params: [{ name: 'value', kind: kinds.string }, pattern],
    returns: kinds.boolean,
    run: (value: Text, regex: Regex) => regex.test(lossy(value)),
    examples: [{ title: 'Digits', source: 'match("room 12", r\'\\d+\')', result: 'true' }]
  },
  {
    name: 'parse_regex',
    summary: 'The named groups of the first match as an object.',
    params: [{ name: 'value', kind: kinds.string }, pattern, numericGroups],
    returns: groupKind,
    fallible: true,
    run: (value: Text, regex: Regex, numeric: boolean) => {
      const match = regex.exec(lossy(value))
      if (match === undefined) throw fail('could not find any pattern matches')
      return groupsOf(regex, match, numeric)
    },
    examples: [
      { title: 'A named group', source: 'parse_regex!("id=17", r\'id=(?P<id>\\d+)\')', result: '{"id":"17"}' },
      { title: 'No match', source: 'parse_regex!("x", r\'\\d\')', raises: 'could not find any pattern matches' }
    ]
  },
  {
    name: 'parse_regex_all',
    summary: 'The named groups of every match as an array of objects.',
    params: [{ name: 'value', kind: kinds.string }, pattern, numericGroups],
    returns: call => arrayOf(groupKind(call)),
    fallible: true,
    prepare:
      ({ context }) =>
      (value: Text, regex: Regex, numeric: boolean) => {
        const all: Value[] = []
        for (const match of regex.matches(lossy(value))) {
          step(context)
          all.push(groupsOf(regex, match, numeric))
        }
        return all
      },
    examples: [{ title: 'Two', source: 'parse_regex_all!("a1b2", r\'(?P<n>\\d)\')', result: '[{"n":"1"},{"n":"2"}]' }]
  },
  {
    name: 'replace',
    summary:
      'Replaces a text, or what a regular expression matches; a dollar sign with a number or name stands for a group.',
    params: [
      { name: 'value', kind: kinds.string },
      { name: 'pattern', kind: union(kinds.string, kinds.regex) },
      { name: 'with', kind: kinds.string },
      { name: 'count', kind: kinds.integer, default: -1n }
    ],
    returns: kinds.string,
    prepare:
      ({ context }) =>
      (value: Text, from: Text | Regex, to: Text, count: bigint) => {
        const found =
          from instanceof Regex
            ? replaceRegex(context, lossy(value), from, match => expand(lossy(to), from, match), count)
            : replaceText(lossy(value), lossy(from), lossy(to), count)
        checkOutput(context, found.length)
        return found
      },
    examples: [
      { title: 'A group', source: 'replace("foo bar", r\'(\\w+) (\\w+)\', "$2 $1")', result: '"bar foo"' },
      { title: 'Once', source: 'replace("aaa", "a", "b", count: 1)', result: '"baa"' }
    ]
  },
  {
    name: 'replace_with',
    summary: 'Replaces what a regular expression matches by what the closure makes of each match.',
    params: [{ name: 'value', kind: kinds.string }, pattern, { name: 'count', kind: kinds.integer, default: -1n }],
    returns: kinds.string,
    closure: { variables: call => [matchKind(call)], returns: kinds.string },
    prepare:
      ({ closure, context }) =>
      (value: Text, regex: Regex, count: bigint) => {
        checkNames(regex)
        const found = replaceRegex(context, lossy(value), regex, match => runMatch(closure, regex, match), count)
        checkOutput(context, found.length)
        return found
      },
    examples: [
      {
        title: 'Upper case',
        source: 'replace_with("a bee", r\'\\b\\w\') -> |m| { upcase(m.string) }',
        result: '"A Bee"'
      }
    ]
  }
]

/** Named groups are typed as strings, as in VRL, although a group that took no part in the match is null. */
function groupKind(call: Call): Kind {
  const regex = call.constant('pattern')
  if (!(regex instanceof Regex)) return kinds.object
  const fields: Record<string, Kind> = {}
  for (let i = 0; i <= regex.groupCount; i++) fields[i] = union(kinds.string, kinds.null)
  for (const name of regex.names.keys()) fields[name] = kinds.string
  return objectOf(fields)
}

/** Groups that took no part are null by name and left out by number, so that later numbers move down. */
function groupsOf(regex: Regex, { groups }: Match, numeric: boolean): Value {
  const object = new Map<string, Value>()
  for (const [name, index] of regex.names) object.set(name, groups[index] ?? null)
  if (numeric) for (const [i, text] of groups.filter(text => text !== undefined).entries()) object.set(String(i), text)
  return object
}

function replaceText(text: string, from: string, to: string, count: bigint): string {
  if (count < 0n) return text.replaceAll(from, () => to)
  let left = Number(count)
  return text.replaceAll(from, found => (left-- > 0 ? to : found))
}

function replaceRegex(
  context: Context,
  text: string,
  regex: Regex,
  replacement: (match: Match) => string,
  count: bigint
): string {
  let left = count < 0n ? Number.POSITIVE_INFINITY : Number(count)
  let out = ''
  let at = 0
  if (left > 0)
    for (const match of regex.matches(text)) {
      step(context)
      out += text.slice(at, match.start) + replacement(match)
      checkOutput(context, out.length)
      at = match.end
      if (--left <= 0) break
    }
  return out + text.slice(at)
}

/** `$name`, `${name}` and `$1` become groups, the empty text where there is none; `$$` is a dollar sign. */
function expand(template: string, { names }: Regex, { groups }: Match): string {
  return template.replaceAll(/\$(?:\$|\{([^}]*)\}|(\w+))/g, (found, braced?: string, plain?: string) => {
    if (found === '$$') return '$'
    const name = braced ?? plain!
    const index = /^\d+$/.test(name) ? Number(name) : names.get(name)
    return (index === undefined ? undefined : groups[index]) ?? ''
  })
}

function matchKind(call: Omit<Call, 'closure'>): Kind {
  const regex = call.constant('pattern')
  const group = union(kinds.string, kinds.null)
  const fields: Record<string, Kind> = { string: kinds.string, captures: arrayOf(group) }
  if (!(regex instanceof Regex)) return objectOf(fields, group)
  for (const name of regex.names.keys()) if (!(name in fields)) fields[name] = group
  return objectOf(fields)
}

function checkNames({ names }: Regex): void {
  if (names.has('string') || names.has('captures')) throw fail('Capture group cannot be named "string" or "captures"')
}

function runMatch(closure: Closure, { names }: Regex, { groups }: Match): string {
  const captures = groups.slice(1).map(text => text ?? null)
  const object = new Map<string, Value>([
    ['string', groups[0]!],
    ['captures', captures]
  ])
  for (const [name, index] of names) object.set(name, groups[index] ?? null)
  const result = closure.run(object)
  if (!isText(result)) throw fail(`expected string, got ${typeName(result)}`)
  return lossy(result)
}
