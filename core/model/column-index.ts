// Options of a column index: text to checked values, with defaults filled in.
import { DbError } from '../errors.ts'
import type { ColumnIndex } from './table.ts'
import type { ColumnType } from './types.ts'

const bloom = { false_positive_rate: '0.01', granularity: '10240' }

const defaults: Readonly<Record<ColumnIndex['kind'], Readonly<Record<string, string>>>> = {
  inverted: {},
  fulltext: { analyzer: 'English', backend: 'bloom', case_sensitive: 'false', ...bloom },
  skipping: { ...bloom, type: 'BLOOM' }
}

const words: Readonly<Record<string, readonly string[]>> = {
  analyzer: ['English', 'Chinese'],
  backend: ['bloom', 'tantivy'],
  case_sensitive: ['true', 'false'],
  type: ['BLOOM']
}

/** Whether a word is a kind of index. */
export function isIndexKind(word: string): word is ColumnIndex['kind'] {
  return Object.hasOwn(defaults, word)
}

/** The index for a column of this type. Throws DbError `InvalidArguments` naming the option and its valid values. */
export function parseColumnIndex(
  kind: ColumnIndex['kind'],
  texts: Readonly<Record<string, string>>,
  type: ColumnType
): ColumnIndex {
  if (kind === 'fulltext' && type !== 'String')
    throw new DbError('InvalidArguments', `a fulltext index needs a STRING column, not ${type}`)
  const options: Record<string, string> = { ...defaults[kind] }
  for (const [name, text] of Object.entries(texts)) {
    if (!Object.hasOwn(options, name)) {
      const known = Object.keys(options).join(', ') || 'none'
      throw new DbError('InvalidArguments', `unknown option ${name} of the ${kind} index, expected ${known}`)
    }
    options[name] = parseOption(name, text)
  }
  if (options['backend'] === 'tantivy') for (const name of Object.keys(bloom)) delete options[name]
  return { kind, options }
}

function parseOption(name: string, text: string): string {
  const allowed = words[name]
  if (allowed !== undefined) {
    const word = allowed.find(candidate => candidate.toLowerCase() === text.toLowerCase())
    if (word === undefined)
      throw new DbError('InvalidArguments', `index option ${name} must be ${allowed.join(' or ')}, not ${text}`)
    return word
  }
  const value = Number(text)
  const fits = name === 'granularity' ? Number.isInteger(value) && value > 0 : value > 0 && value <= 1
  if (fits) return text
  const range = name === 'granularity' ? 'an integer above 0' : 'above 0 and at most 1'
  throw new DbError('InvalidArguments', `index option ${name} must be ${range}, not ${text}`)
}
