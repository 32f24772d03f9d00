// The `index` option of a transform: time index, tag, or an index of the column with its options.
import {
  type ColumnIndex,
  type ColumnType,
  type DbError,
  isDbError,
  isIndexKind,
  parseColumnIndex
} from '../../../core/compute.ts'
import { shortText } from './document.ts'

type Refuse = (message: string) => DbError

interface IndexOption {
  readonly timeIndex: boolean
  readonly tag: boolean
  readonly column?: ColumnIndex
}

/** Reads `index: <kind>` or `index: {type, options}`. */
export function parseIndex(value: unknown, type: ColumnType, refuse: Refuse): IndexOption {
  if (value === undefined || value === null) return { timeIndex: false, tag: false }
  const { word, options } = readForm(value, refuse)
  const kind = word.trim().toLowerCase()
  if (options !== undefined && kind !== 'fulltext' && kind !== 'skipping') {
    throw refuse(`index ${shortText(kind)} takes no options`)
  }
  if (kind === 'timestamp' || kind === 'time') return { timeIndex: true, tag: false }
  if (kind === 'tag') return { timeIndex: false, tag: true }
  if (!isIndexKind(kind))
    throw refuse(`unknown index '${shortText(word)}', expected timestamp, tag, inverted, fulltext or skipping`)
  return { timeIndex: false, tag: false, column: readOptions(kind, options, type, refuse) }
}

function readForm(value: unknown, refuse: Refuse): { word: string; options: ReadonlyMap<string, unknown> | undefined } {
  if (typeof value === 'string') return { word: value, options: undefined }
  if (!(value instanceof Map)) throw refuse('index must be a string or a map of type and options')
  for (const key of value.keys()) {
    if (key !== 'type' && key !== 'options')
      throw refuse(`unknown key ${shortText(key)} in index, expected type, options`)
  }
  const word: unknown = value.get('type')
  const options: unknown = value.get('options')
  if (typeof word !== 'string') throw refuse('index.type is required and must be a string')
  if (options !== undefined && !(options instanceof Map)) throw refuse('index.options must be a map')
  return { word, options: options as ReadonlyMap<string, unknown> | undefined }
}

function readOptions(
  kind: ColumnIndex['kind'],
  given: ReadonlyMap<string, unknown> | undefined,
  type: ColumnType,
  refuse: Refuse
) {
  const texts: Record<string, string> = {}
  for (const [name, value] of given ?? []) {
    if (value === null || typeof value === 'object') throw refuse(`index option ${name} must be a scalar`)
    texts[name] = String(value)
  }
  try {
    return parseColumnIndex(kind, texts, type)
  } catch (cause) {
    throw isDbError(cause) ? refuse(cause.message) : cause
  }
}
