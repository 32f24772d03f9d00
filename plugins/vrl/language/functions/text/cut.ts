// Functions that keep parts of a text.
import { checkOutput, step } from '../../context.ts'
import { type Call, type FunctionSpec, fail } from '../../function.ts'
import { arrayOf, bit, elementKind, type Kind, kinds, only, union } from '../../kind.ts'
import { type ArrayValue, fromBytes, isArray, lossy, type Regex, type Text, toBytes } from '../../value.ts'
import { stripEscapes } from './terminal.ts'

export const cuts: readonly FunctionSpec[] = [
  {
    name: 'slice',
    summary: 'Part of a text, counted in bytes, or of an array. Numbers below zero count from the end.',
    params: [
      { name: 'value', kind: union(kinds.string, kinds.array) },
      { name: 'start', kind: kinds.integer },
      { name: 'end', kind: kinds.integer, optional: true }
    ],
    returns: sliceKind,
    fallible: true,
    run: (value: Text | ArrayValue, start: bigint, end: bigint | undefined) => {
      if (isArray(value)) return value.slice(...range(value.length, start, end))
      const bytes = toBytes(value)
      return fromBytes(bytes.subarray(...range(bytes.length, start, end)))
    },
    examples: [
      { title: 'A text', source: 'slice!("foobar", start: 1, end: 3)', result: '"oo"' },
      { title: 'The end of an array', source: 'slice!([0, 1, 2], -2)', result: '[1,2]' },
      { title: 'Outside', source: 'slice!("abc", 4)', raises: '"start" must be between "-3" and "3"' }
    ]
  },
  {
    name: 'sieve',
    summary:
      'What a regular expression matches; what is between can be replaced, single characters and longer gaps each.',
    params: [
      { name: 'value', kind: kinds.string },
      { name: 'permitted_characters', kind: kinds.regex },
      { name: 'replace_single', kind: kinds.string, default: '' },
      { name: 'replace_repeated', kind: kinds.string, default: '' }
    ],
    returns: kinds.string,
    prepare:
      ({ context }) =>
      (value: Text, regex: Regex, single: Text, repeated: Text) => {
        const text = lossy(value)
        const [one, many] = [lossy(single), lossy(repeated)]
        let kept = ''
        let at = 0
        const gap = (end: number) => {
          if (end > at) kept += characters(text, at, end) === 1 ? one : many
        }
        for (const match of regex.matches(text)) {
          step(context)
          gap(match.start)
          kept += text.slice(match.start, match.end)
          checkOutput(context, kept.length)
          at = match.end
        }
        gap(text.length)
        return kept
      },
    examples: [
      { title: 'Letters and digits', source: 'sieve("vip-3 (ok)", r\'[a-z0-9]\')', result: '"vip3ok"' },
      {
        title: 'With replacements',
        source: 'sieve("a%b%%c", r\'[a-z]\', replace_single: "X", replace_repeated: "<many>")',
        result: '"aXb<many>c"'
      }
    ]
  },
  {
    name: 'strip_ansi_escape_codes',
    summary: 'The text without escape sequences of terminals and without control characters other than newlines.',
    params: [{ name: 'value', kind: kinds.string }],
    returns: kinds.string,
    run: (value: Text) => stripEscapes(lossy(value)),
    examples: [
      { title: 'Bold and colours', source: 'strip_ansi_escape_codes("\\u{1b}[1;31mfail\\u{1b}[0m")', result: '"fail"' }
    ]
  }
]

/** From the beginning to the end every item keeps its index. */
function sliceKind(call: Call): Kind {
  const kind = only(call.kind('value'), bit.string | bit.array)
  if (kind.bits === 0) return union(kinds.string, kinds.array)
  if (kind.array === undefined || (call.constant('start') === 0n && !call.given('end'))) return kind
  return union(only(kind, bit.string), arrayOf(elementKind(only(kind, bit.array))))
}

function range(length: number, start: bigint, end: bigint | undefined): [number, number] {
  const size = BigInt(length)
  const first = start < 0n ? start + size : start
  const last = end === undefined ? size : end < 0n ? end + size : end
  if (first < 0n || first > size) throw fail(`"start" must be between "-${length}" and "${length}"`)
  if (last < first) throw fail('"end" must be greater or equal to "start"')
  return [Number(first), last > size ? length : Number(last)]
}

/** 1, or more. */
function characters(text: string, start: number, end: number): number {
  return end - start === 1 || (end - start === 2 && text.codePointAt(start)! > 0xffff) ? 1 : 2
}
