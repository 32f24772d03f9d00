// Functions that write names of several words in the ways of programming languages.
import { type Context, step } from '../../context.ts'
import type { Call, FunctionSpec } from '../../function.ts'
import { kinds } from '../../kind.ts'
import { type ArrayValue, isText, lossy, type Text } from '../../value.ts'

type Boundary =
  | 'lower_upper'
  | 'upper_lower'
  | 'acronym'
  | 'lower_digit'
  | 'upper_digit'
  | 'digit_lower'
  | 'digit_upper'
  | '_'
  | '-'
  | ' '

const changes: readonly Boundary[] = [
  'lower_upper',
  'acronym',
  'lower_digit',
  'upper_digit',
  'digit_lower',
  'digit_upper'
]
/** Where words end when nothing is said. */
const anywhere: readonly Boundary[] = ['_', '-', ' ', ...changes]

/** Where words end in a text that is written in a certain way. */
const boundaries: Readonly<Record<string, readonly Boundary[]>> = {
  'kebab-case': ['-'],
  camelCase: changes,
  PascalCase: changes,
  SCREAMING_SNAKE: ['_'],
  snake_case: ['_']
}
const excludable = ['lower_upper', 'upper_lower', ...changes.slice(1)]

const params = [
  { name: 'value', kind: kinds.string },
  { name: 'original_case', kind: kinds.string, optional: true, constant: true, oneOf: Object.keys(boundaries) }
] as const

const lower = (word: string) => word.toLowerCase()
const upper = (word: string) => word.toUpperCase()
const capital = (word: string) => {
  const [first = ''] = word
  return first.toUpperCase() + word.slice(first.length).toLowerCase()
}

type Write = (word: string, index: number) => string

function caseFunction(name: string, shown: string, separator: string, write: Write, result: string): FunctionSpec {
  const excludes = name === 'snakecase'
  const excluded = { name: 'excluded_boundaries', kind: kinds.array, optional: true, constant: true }
  return {
    name,
    summary: `The words of a text as \`${shown}\`.`,
    params: excludes ? [...params, excluded] : params,
    returns: kinds.string,
    prepare: call => {
      const ends = wordEnds(call, excludes)
      return (value: Text) => words(call.context, lossy(value), ends).map(write).join(separator)
    },
    examples: [
      { title: 'Words of any writing', source: `${name}("input-string HTTPText")`, result },
      ...(excludes ? [withoutDigits] : [])
    ]
  }
}

const withoutDigits = {
  title: 'Digits within words',
  source: 'snakecase("s3BucketDetails", excluded_boundaries: ["lower_digit", "digit_upper"])',
  result: '"s3bucket_details"'
}

export const cases: readonly FunctionSpec[] = [
  caseFunction(
    'camelcase',
    'camelCase',
    '',
    (word, i) => (i === 0 ? lower(word) : capital(word)),
    '"inputStringHttpText"'
  ),
  caseFunction('kebabcase', 'kebab-case', '-', lower, '"input-string-http-text"'),
  caseFunction('pascalcase', 'PascalCase', '', capital, '"InputStringHttpText"'),
  caseFunction('snakecase', 'snake_case', '_', lower, '"input_string_http_text"'),
  caseFunction('screamingsnakecase', 'SCREAMING_SNAKE', '_', upper, '"INPUT_STRING_HTTP_TEXT"')
]

function wordEnds(call: Call, excludes: boolean): ReadonlySet<Boundary> {
  const original = call.constant('original_case')
  const ends = new Set(isText(original) ? boundaries[lossy(original)] : anywhere)
  const excluded = excludes ? call.constant('excluded_boundaries') : undefined
  for (const item of (excluded as ArrayValue | undefined) ?? []) {
    const name = isText(item) ? lossy(item) : ''
    if (!excludable.includes(name))
      throw call.invalid('excluded_boundaries', `a boundary must be one of ${excludable.join(', ')}`)
    ends.delete(name as Boundary)
  }
  return ends
}

function words(context: Context, text: string, ends: ReadonlySet<Boundary>): string[] {
  const characters = [...text]
  const kinds = characters.map(kindOf)
  const found: string[] = []
  let word = ''
  for (const [i, character] of characters.entries()) {
    step(context)
    if (ends.has(character as Boundary)) {
      found.push(word)
      word = ''
      continue
    }
    if (i > 0 && endsBefore(kinds, i, ends)) {
      found.push(word)
      word = ''
    }
    word += character
  }
  found.push(word)
  return found.filter(part => part !== '')
}

type CharacterKind = 'upper' | 'lower' | 'digit' | 'other'

function kindOf(character: string): CharacterKind {
  if (character >= '0' && character <= '9') return 'digit'
  const [small, large] = [character.toLowerCase(), character.toUpperCase()]
  if (small === large) return 'other'
  return character === large ? 'upper' : character === small ? 'lower' : 'other'
}

/** A word ends before character i. */
function endsBefore(kinds: readonly CharacterKind[], i: number, ends: ReadonlySet<Boundary>): boolean {
  const [before, at] = [kinds[i - 1]!, kinds[i]!]
  if (ends.has(`${before}_${at}` as Boundary)) return true
  return ends.has('acronym') && before === 'upper' && at === 'upper' && kinds[i + 1] === 'lower'
}
