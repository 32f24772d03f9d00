// Pipeline documents: YAML text to its sections, each entry with the line it stands on.
import {
  isMap,
  isNode,
  isScalar,
  LineCounter,
  parseAllDocuments,
  visit,
  type YAMLParseError,
  type Document as YamlDocument
} from 'yaml'
import { DbError, isDbError, shorten } from '../../../core/compute.ts'

/** A part of a document with its location, for example `processors[1] (line 7)`. */
export interface Entry {
  readonly value: unknown
  readonly where: string
}

export interface Document {
  readonly version: 1 | 2
  /** The whole document. */
  readonly root: ReadonlyMap<string, unknown>
  readonly processors: readonly Entry[]
  readonly transforms: readonly Entry[] | undefined
  readonly dispatcher: Entry | undefined
  readonly tableSuffix: Entry | undefined
  /** ` (line 7)` for the value at these keys and indexes, or for the nearest part around it. */
  line(...path: readonly (string | number)[]): string
  /** Like `line`, as a number. */
  lineNumber(...path: readonly (string | number)[]): number
}

type Yaml = YamlDocument.Parsed

/** Reads a document: integers become bigint, maps Map. Throws DbError `InvalidArguments` with line and column. */
export function parseDocument(text: string): Document {
  const lines = new LineCounter()
  const document = readYaml(text, lines)
  const lineNumber = (...path: readonly (string | number)[]) => lineOf(document, path, lines)
  const line = (...path: readonly (string | number)[]) => ` (line ${lineNumber(...path)})`
  const root = attempt((): unknown => document.toJS({ mapAsMap: true }))
  if (!(root instanceof Map)) throw yamlError('expected a map at the top at line 1')
  for (const key of root.keys()) {
    if (typeof key !== 'string') throw yamlError(`key ${shortText(key)} must be a string, in the map${line()}`)
  }
  const entry = (name: string): Entry | undefined => {
    const value: unknown = root.get(name) ?? undefined
    return value === undefined ? undefined : { value, where: `${name}${line(name)}` }
  }
  const list = (name: string): Entry[] | undefined => {
    const values: unknown = root.get(name)
    if (!Array.isArray(values)) return undefined
    return values.map((value: unknown, i) => ({ value, where: `${name}[${i}]${line(name, i)}` }))
  }
  return {
    root,
    version: parseVersion(root.get('version'), line('version')),
    processors: list('processors') ?? [],
    transforms: list('transforms') ?? list('transform'),
    dispatcher: entry('dispatcher'),
    tableSuffix: entry('table_suffix'),
    line,
    lineNumber
  }
}

function readYaml(text: string, lineCounter: LineCounter): Yaml {
  const options = {
    version: '1.2',
    schema: 'core',
    intAsBigInt: true,
    prettyErrors: false,
    uniqueKeys: false,
    lineCounter
  } as const
  const documents = attempt(() => parseAllDocuments(text, options))
  const [document, second] = documents
  if (document === undefined) throw yamlError('expected exactly one document, found 0 at line 1')
  const [fault] = document.errors
  if (fault !== undefined) throw syntaxError(fault, lineCounter)
  if (second !== undefined) {
    const { line } = lineCounter.linePos(second.range[0])
    throw yamlError(`expected exactly one document, found ${documents.length}, the second at line ${line}`)
  }
  attempt(() => checkKeys(document as Yaml, lineCounter))
  return document as Yaml
}

/** Finds duplicate keys in linear time; the YAML package compares every pair. */
function checkKeys(document: Yaml, lines: LineCounter): void {
  visit(document, {
    Map(_, map) {
      const seen = new Set<unknown>()
      for (const { key } of map.items) {
        if (!isScalar(key)) continue
        if (seen.has(key.value)) {
          const { line, col } = lines.linePos(key.range?.[0] ?? 0)
          throw yamlError(`key ${shortText(key.value)} stands twice in a map, again at line ${line}, column ${col}`)
        }
        seen.add(key.value)
      }
    }
  })
}

/** Turns errors of the YAML package (nesting, aliases) into errors of the document. */
function attempt<T>(read: () => T): T {
  try {
    return read()
  } catch (cause) {
    if (isDbError(cause)) throw cause
    const reason =
      cause instanceof RangeError ? 'nested too deeply' : cause instanceof Error ? cause.message : String(cause)
    throw yamlError(`${reason}, in the document at line 1`, cause)
  }
}

function syntaxError(fault: YAMLParseError, lines: LineCounter): DbError {
  const { line, col } = lines.linePos(fault.pos[0])
  return yamlError(`${fault.message} at line ${line}, column ${col}`, fault)
}

function yamlError(message: string, cause?: unknown): DbError {
  return new DbError('InvalidArguments', `Yaml parse error: ${message}`, cause === undefined ? {} : { cause })
}

function lineOf(document: Yaml, path: readonly (string | number)[], lines: LineCounter): number {
  for (let length = path.length; length > 0; length--) {
    const node = keyOrValue(document, path.slice(0, length))
    if (isNode(node) && node.range) return Math.max(1, lines.linePos(node.range[0]).line)
  }
  return 1
}

/** The node whose position to report: the key in a map, the value in a list. */
function keyOrValue(document: Yaml, path: readonly (string | number)[]): unknown {
  const last = path.at(-1)
  const around: unknown = path.length > 1 ? document.getIn(path.slice(0, -1), true) : document.contents
  if (!isMap(around)) return document.getIn(path, true)
  return around.items.find(({ key }) => isScalar(key) && key.value === last)?.key
}

function parseVersion(value: unknown, line: string): 1 | 2 {
  if (value === undefined || value === null) return 1
  const text = typeof value === 'bigint' || typeof value === 'string' ? String(value) : ''
  if (text !== '1' && text !== '2') {
    throw new DbError('InvalidArguments', `invalid version number: ${shortText(value)}, expected 1 or 2${line}`)
  }
  return text === '1' ? 1 : 2
}

/** Any value of a document for a message, cut to a readable length. */
export function shortText(value: unknown): string {
  if (value instanceof Map) return 'a map'
  if (Array.isArray(value)) return 'a list'
  const text = String(value)
  return shorten(text, 60)
}
