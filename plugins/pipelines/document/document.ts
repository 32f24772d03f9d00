// Pipeline documents: YAML text to its sections, each entry with the line it stands on.

import { isSeq, LineCounter, parseAllDocuments, type YAMLParseError } from 'yaml'
import { DbError } from '../../../core/index.ts'

/** One entry of a list: what it holds and where it stands, for example `processors[1] (line 7)`. */
export interface Entry {
  readonly value: unknown
  readonly where: string
}

export interface Document {
  readonly version: 1 | 2
  readonly processors: readonly Entry[]
  readonly transforms: readonly Entry[] | undefined
  readonly dispatcher: unknown
  readonly tableSuffix: unknown
}

/** Reads a document: integers become bigint, maps Map. Throws DbError `InvalidArguments` with line and column. */
export function parseDocument(text: string): Document {
  const lines = new LineCounter()
  const options = {
    version: '1.2',
    schema: 'core',
    intAsBigInt: true,
    prettyErrors: false,
    lineCounter: lines
  } as const
  const documents = attempt(() => parseAllDocuments(text, options))
  const document = documents.length === 1 ? documents[0]! : undefined
  if (document === undefined) throw yamlError(`expected exactly one document, found ${documents.length}`)
  const [fault] = document.errors
  if (fault !== undefined) throw syntaxError(fault, lines)
  const root = attempt((): unknown => document.toJS({ mapAsMap: true }))
  if (!(root instanceof Map)) throw yamlError('expected a map at the top')
  for (const key of root.keys()) if (typeof key !== 'string') throw yamlError(`key ${String(key)} must be a string`)

  const list = (name: string): Entry[] | undefined => {
    const values: unknown = root.get(name)
    if (!Array.isArray(values)) return undefined
    const node = document.get(name)
    return values.map((value: unknown, i) => ({ value, where: `${name}[${i}]${lineOf(node, i, lines)}` }))
  }
  return {
    version: parseVersion(root.get('version')),
    processors: list('processors') ?? [],
    transforms: list('transforms') ?? list('transform'),
    dispatcher: root.get('dispatcher') ?? undefined,
    tableSuffix: root.get('table_suffix') ?? undefined
  }
}

/** What the YAML package throws (too deep, too many aliases) is the document's fault. */
function attempt<T>(read: () => T): T {
  try {
    return read()
  } catch (cause) {
    throw yamlError(cause instanceof Error ? cause.message : String(cause), cause)
  }
}

function syntaxError(fault: YAMLParseError, lines: LineCounter): DbError {
  const { line, col } = lines.linePos(fault.pos[0])
  return yamlError(`${fault.message} at line ${line}, column ${col}`, fault)
}

function yamlError(message: string, cause?: unknown): DbError {
  return new DbError('InvalidArguments', `Yaml parse error: ${message}`, cause === undefined ? {} : { cause })
}

function lineOf(list: unknown, index: number, lines: LineCounter): string {
  if (!isSeq(list)) return ''
  const range = (list.items[index] as { range?: readonly number[] } | null)?.range
  return range === undefined ? '' : ` (line ${lines.linePos(range[0]!).line})`
}

function parseVersion(value: unknown): 1 | 2 {
  if (value === undefined || value === null) return 1
  const text = typeof value === 'bigint' || typeof value === 'string' ? String(value) : ''
  if (text !== '1' && text !== '2') {
    throw new DbError('InvalidArguments', `invalid version number: ${String(value)}, expected 1 or 2`)
  }
  return text === '1' ? 1 : 2
}
