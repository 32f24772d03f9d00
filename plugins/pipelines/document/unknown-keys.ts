// Unknown keys of a document: accepted, and reported with their line and a similar known key.
import { closest, DbError } from '../../../core/compute.ts'
import type { DocumentWarning } from '../pipeline.ts'
import type { ProcessorKinds } from './compile.ts'
import { type Document, shortText } from './document.ts'

/** Largest number of reported keys per document. */
const maxWarnings = 100

const keysOf = {
  document: ['version', 'description', 'processors', 'transform', 'transforms', 'dispatcher', 'table_suffix'],
  everyProcessor: ['field', 'fields', 'ignore_missing'],
  pair: ['key', 'rename_to'],
  transform: ['field', 'fields', 'type', 'index', 'tag', 'on_failure', 'default'],
  dispatcher: ['field', 'rules'],
  rule: ['value', 'table_suffix', 'pipeline']
} as const

type Path = readonly (string | number)[]

interface UnknownKey {
  /** Path of the map that holds the key. */
  readonly path: Path
  readonly key: unknown
  readonly known: readonly string[]
  /** Hint for an unknown key that is shown instead of the list of known keys. */
  readonly hint?: string
}

/** The unknown keys of a document that compiles, in its order. */
export function unknownKeys(document: Document, kinds: ProcessorKinds): DocumentWarning[] {
  const warnings: DocumentWarning[] = []
  for (const unknown of inDocument(document, kinds)) {
    warnings.push(warning(document, unknown))
    if (warnings.length === maxWarnings) break
  }
  return warnings
}

/** Throws DbError `InvalidArguments` where there are unknown keys: what `strict=true` asks for. */
export function refuseUnknownKeys(warnings: readonly DocumentWarning[]): void {
  const [first] = warnings
  if (first === undefined) return
  const more = warnings.length > 1 ? `; ${warnings.length - 1} more` : ''
  throw new DbError('InvalidArguments', `${first.message}${more} (strict=true)`)
}

function warning({ lineNumber }: Document, { path, key, known, hint }: UnknownKey): DocumentWarning {
  const name = shortText(key)
  const line = lineNumber(...path, key as string)
  const meant = hint === undefined ? closest(name, known) : undefined
  const advice = meant === undefined ? (hint ?? `expected one of ${known.join(', ')}`) : `did you mean ${meant}?`
  const where = path.length === 0 ? 'document' : pathText(path)
  return {
    line,
    key: name,
    ...(meant !== undefined && { did_you_mean: meant }),
    message: `${where}: unknown key ${name} (line ${line}), ${advice}`
  }
}

/** `processors[1].date`. */
function pathText(path: Path): string {
  return path.map((part, i) => (typeof part === 'number' ? `[${part}]` : i === 0 ? part : `.${part}`)).join('')
}

function* inDocument({ root }: Document, kinds: ProcessorKinds): Generator<UnknownKey> {
  yield* inMap(root, [], keysOf.document)
  for (const [i, entry] of listAt(root, 'processors')) yield* inProcessor(entry, ['processors', i], kinds)
  const transforms = Array.isArray(root.get('transforms')) ? 'transforms' : 'transform'
  for (const [i, entry] of listAt(root, transforms)) {
    yield* inMap(entry, [transforms, i], keysOf.transform)
    yield* inPairs(entry, [transforms, i])
  }
  const dispatcher = root.get('dispatcher')
  yield* inMap(dispatcher, ['dispatcher'], keysOf.dispatcher)
  for (const [i, rule] of listAt(dispatcher, 'rules')) yield* inMap(rule, ['dispatcher', 'rules', i], keysOf.rule)
}

function* inProcessor(entry: unknown, path: Path, kinds: ProcessorKinds): Generator<UnknownKey> {
  const [first, ...others] = entry instanceof Map ? (entry as ReadonlyMap<string, unknown>) : []
  if (first === undefined) return
  const [kind, options] = first
  const hint = `it stands beside ${kind}: options are indented below their kind, and each processor is an entry of its own`
  for (const [key] of others) yield { path, key, known: [kind], hint }
  const doc = kinds.get(kind)?.doc
  // Without `doc` the options of a kind are unknown.
  if (doc !== undefined) {
    const known = new Set([...doc.options.map(({ name }) => name), ...keysOf.everyProcessor])
    yield* inMap(options, [...path, kind], [...known])
  }
  yield* inPairs(options, [...path, kind])
}

/** Maps of `key` and `rename_to` in `field` and `fields`. */
function* inPairs(options: unknown, path: Path): Generator<UnknownKey> {
  if (!(options instanceof Map)) return
  yield* inMap(options.get('field'), [...path, 'field'], keysOf.pair)
  for (const [i, pair] of listAt(options, 'fields')) yield* inMap(pair, [...path, 'fields', i], keysOf.pair)
}

function* inMap(map: unknown, path: Path, known: readonly string[]): Generator<UnknownKey> {
  if (!(map instanceof Map)) return
  for (const key of map.keys() as Iterable<unknown>) {
    if (typeof key !== 'string' || !known.includes(key)) yield { path, key, known }
  }
}

function listAt(map: unknown, key: string): Iterable<readonly [number, unknown]> {
  const list: unknown = map instanceof Map ? map.get(key) : undefined
  return Array.isArray(list) ? list.entries() : []
}
