// The `index` option of a transform: time index, tag, or an index of the column with its options.
import type { ColumnIndex, ColumnType, DbError } from '../../core/index.ts'

type Refuse = (message: string) => DbError

export interface IndexOption {
  readonly timeIndex: boolean
  readonly tag: boolean
  readonly column?: ColumnIndex
}

const bloom = { granularity: '10240', false_positive_rate: '0.01' }

const defaults: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  inverted: {},
  fulltext: { analyzer: 'English', case_sensitive: 'false', backend: 'bloom', ...bloom },
  skipping: { ...bloom, type: 'BLOOM' }
}

/** Values as they are shown, by option; numbers have a check instead. */
const words: Readonly<Record<string, readonly string[]>> = {
  analyzer: ['English', 'Chinese'],
  case_sensitive: ['true', 'false'],
  backend: ['bloom', 'tantivy'],
  type: ['BLOOM']
}

/** Reads `index: <kind>` or `index: {type, options}`. */
export function parseIndex(value: unknown, type: ColumnType, refuse: Refuse): IndexOption {
  if (value === undefined || value === null) return { timeIndex: false, tag: false }
  const { word, options } = readForm(value, refuse)
  const kind = word.trim().toLowerCase()
  const known = Object.hasOwn(defaults, kind)
  if (options !== undefined && kind !== 'fulltext' && kind !== 'skipping') {
    throw refuse(`index ${kind} takes no options`)
  }
  if (kind === 'timestamp' || kind === 'time') return { timeIndex: true, tag: false }
  if (kind === 'tag') return { timeIndex: false, tag: true }
  if (!known) throw refuse(`unknown index '${word}', expected timestamp, tag, inverted, fulltext or skipping`)
  if (kind === 'fulltext' && type !== 'String') throw refuse(`a fulltext index needs type string, not ${type}`)
  const column = { kind: kind as ColumnIndex['kind'], options: readIndexOptions(kind, options, refuse) }
  return { timeIndex: false, tag: false, column }
}

function readForm(value: unknown, refuse: Refuse): { word: string; options: ReadonlyMap<string, unknown> | undefined } {
  if (typeof value === 'string') return { word: value, options: undefined }
  if (!(value instanceof Map)) throw refuse('index must be a string or a map of type and options')
  for (const key of value.keys()) {
    if (key !== 'type' && key !== 'options') throw refuse(`unknown key ${String(key)} in index, expected type, options`)
  }
  const word: unknown = value.get('type')
  const options: unknown = value.get('options')
  if (typeof word !== 'string') throw refuse('index.type is required and must be a string')
  if (options !== undefined && !(options instanceof Map)) throw refuse('index.options must be a map')
  return { word, options: options as ReadonlyMap<string, unknown> | undefined }
}

function readIndexOptions(kind: string, given: ReadonlyMap<string, unknown> | undefined, refuse: Refuse) {
  const options: Record<string, string> = { ...defaults[kind] }
  for (const [name, value] of given ?? []) {
    if (!Object.hasOwn(options, name)) {
      throw refuse(`unknown option ${name} of index ${kind}, expected ${Object.keys(options).join(', ')}`)
    }
    options[name] = readIndexOption(name, value, refuse)
  }
  if (options['backend'] === 'tantivy') {
    for (const name of Object.keys(bloom)) {
      if (given?.has(name)) throw refuse(`index option ${name} is only for backend bloom`)
      delete options[name]
    }
  }
  return options
}

function readIndexOption(name: string, value: unknown, refuse: Refuse): string {
  if (value === null || typeof value === 'object') throw refuse(`index option ${name} must be a scalar`)
  const text = String(value)
  const allowed = words[name]
  if (allowed !== undefined) {
    const word = allowed.find(candidate => candidate.toLowerCase() === text.toLowerCase())
    if (word === undefined) throw refuse(`index option ${name} must be ${allowed.join(' or ')}, not ${text}`)
    return word
  }
  const number = Number(text)
  const granularity = name === 'granularity'
  if (granularity ? !(Number.isInteger(number) && number > 0) : !(number > 0 && number <= 1)) {
    throw refuse(
      `index option ${name} must be ${granularity ? 'an integer above 0' : 'above 0 and at most 1'}, not ${text}`
    )
  }
  return text
}
