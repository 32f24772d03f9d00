// The guard: decides from DuckDB's own syntax tree whether a statement may run, so that it sees exactly what runs.
import type { DuckDBConnection, DuckDBPreparedStatement } from '@duckdb/node-api'
import { closest } from '../../../config/closest.ts'
import { DbError } from '../../../errors.ts'
import type { Limit } from '../../../model/limit.ts'
import type { Placeholder } from '../sql/frames.ts'
import { functionPrefixes, functions, nodes, type Part, tableFunctions } from './allowed.ts'
import type { ReadStatement } from './counted.ts'
import { checkGrowth } from './growth.ts'
import { macroNames } from './macros/index.ts'
import { deepJsonNames } from './macros/json-depth.ts'

/**
 * The syntax tree of a statement. Throws DbError, with an offset if known, unless it is a query made of allowed parts and has no parameters but
 * `$1` to `$given`, and its constants ask for no value beyond a limit. `names`: those of all functions there are, which a refusal asks for.
 */
export async function guard(
  connection: DuckDBConnection,
  text: string,
  placeholders: readonly Placeholder[],
  names: () => Promise<ReadonlySet<string>>,
  given = 0,
  valueLimit?: Limit
): Promise<ReadStatement> {
  const serialized = await serialize(connection, text)
  const read = readSerialized(serialized, text)
  const at = charactersOf(text)
  if (read.error) throw unreadable(read, at)
  const [statement, ...more] = read.statements
  if (statement === undefined || more.length > 0) throw new DbError('InvalidSyntax', 'expected one statement')
  const tables = new Map(placeholders.map(({ start, end }) => [start, text.slice(start, end)]))
  const { unknown, callsMacro } = checkAll(statement.node, tables, at)
  if (unknown !== undefined) throw refusedFunction(await names(), unknown)
  if (serialized.includes('"PARAMETER"')) requireValues(statement.node, given, at)
  if (tables.size > 0) {
    throw new DbError('Internal', `${[...tables.values()].join(', ')} in the statement was not read as a table`)
  }
  const result = { node: statement.node as JsonObject, at, callsMacro }
  if (valueLimit !== undefined) checkGrowth(serialized, result, valueLimit)
  return result
}

type Serialized =
  | { readonly error: false; readonly statements: readonly { readonly node: Json }[] }
  | {
      readonly error: true
      readonly error_type: string
      readonly error_message: string
      readonly position?: string
    }
type Json = null | string | number | boolean | readonly Json[] | JsonObject
type JsonObject = { readonly [key: string]: Json }
type Locate = (bytes: Json | undefined) => number | undefined

/** The prepared statement of each connection that serialises statements. */
const serializers = new WeakMap<DuckDBConnection, DuckDBPreparedStatement>()

async function serialize(connection: DuckDBConnection, text: string): Promise<string> {
  let prepared = serializers.get(connection)
  if (prepared === undefined) {
    prepared = await connection.prepare(
      'SELECT json_serialize_sql($1::VARCHAR, skip_null := true, skip_empty := true, skip_default := true)'
    )
    serializers.set(connection, prepared)
  }
  prepared.bindVarchar(1, text)
  // The result is in memory: reading its chunk here saves two tasks of the thread pool, a third of the time of a short statement.
  const chunk = (await prepared.run()).getChunk(0)
  return String(chunk.getColumnVector(0).getItem(0))
}

/** DuckDB writes infinite numbers in a way that is not JSON. `text` is the statement. */
function readSerialized(serialized: string, text: string): Serialized {
  if (serialized.includes('Infinity') && /"value":-?Infinity\b/.test(serialized)) {
    const [number] = [...text.matchAll(/"[^"]*"|'[^']*'|[\d.][\d_.]*(?:e[+-]?\d+)?/gi)].filter(
      ([digits]) => Number(digits.replaceAll('_', '')) === Number.POSITIVE_INFINITY
    )
    throw new DbError('InvalidArguments', 'a number of the statement is too large', errorOffset(number?.index))
  }
  return JSON.parse(serialized) as Serialized
}

function unreadable({ error_type: type, error_message: message, position }: Serialized & { error: true }, at: Locate) {
  if (type === 'not implemented') return onlyReading()
  const offset = position === undefined ? undefined : at(Number(position))
  const deep = /^memory exhausted|^Max expression depth/.test(message)
  if (deep) return new DbError('InvalidArguments', 'the statement is nested too deeply', errorOffset(offset))
  return new DbError('InvalidSyntax', `Parser Error: ${message}`, errorOffset(offset))
}

function onlyReading(): DbError {
  return new DbError('PermissionDenied', 'only statements that read can be run here: SELECT, EXPLAIN and the like')
}

/** Closes a connection and its serialising statement. */
export function closeGuarded(connection: DuckDBConnection): void {
  serializers.get(connection)?.destroySync()
  serializers.delete(connection)
  connection.closeSync()
}

/** Names of common table expressions, in lower case. */
type Scope = ReadonlySet<string>

/** Where tables outside of the scope may stand, with the SQL at these positions. */
type Tables = Map<number, string>

/** A list instead of recursion, because unions of thousands of queries are nested that deep. */
function checkAll(root: Json, tables: Tables, at: Locate): { unknown: Unknown | undefined; callsMacro: boolean } {
  let unknown: Unknown | undefined
  let callsMacro = false
  const waiting: [Json, Part, Scope][] = [[root, 'query', new Set()]]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [value, part, scope] = next
    if (part === 'leaf' || value === null) continue
    if (Array.isArray(value)) for (const item of value.toReversed()) waiting.push([item, part, scope])
    else if (typeof value === 'object') {
      const call = checkNode(value as JsonObject, part, scope, tables, at, waiting)
      if (call === 'macro') callsMacro = true
      else unknown ??= call
    } else throw refused(String(value), undefined)
  }
  return { unknown, callsMacro }
}

function checkNode(
  node: JsonObject,
  part: Part,
  scope: Scope,
  tables: Tables,
  at: Locate,
  waiting: [Json, Part, Scope][]
): Unknown | 'macro' | undefined {
  const offset = at(node['query_location'])
  const kind = kindOf(node, part)
  const members = nodes[part].get(kind)
  if (members === undefined) throw refused(kind.replaceAll('_', ' '), offset)
  const name = node['function_name']
  const isKnown = name === undefined || (part === 'tableFunction' ? tableFunctions.has(folded(name)) : isAllowed(name))
  const unbounded = unboundedJson(node, kind)
  if (unbounded !== undefined) throw refused(unbounded, offset, 'JSON nested too deep would get past its bound')
  if (kind === 'BASE_TABLE') checkTable(node, scope, tables, offset)
  const inner = kind === 'RECURSIVE_CTE_NODE' ? new Set([...scope, folded(node['cte_name'])]) : scope
  const known = part === 'query' ? readCommon(node['cte_map'], inner, waiting) : inner
  for (const [key, value] of Object.entries(node).toReversed()) {
    const held = members.get(key)
    if (held === undefined) throw refused(`${key} of ${kind || part}`.replaceAll('_', ' '), offset)
    if (held !== 'commons') waiting.push([value, held, known])
  }
  if (!isKnown) return { name: String(name), offset, isTable: part === 'tableFunction' }
  return name !== undefined && part === 'expression' && macroNames.has(folded(name)) ? 'macro' : undefined
}

/** Further parameters are the server's own. */
function requireValues(root: Json, given: number, at: Locate): void {
  for (const { class: kind, identifier, query_location: location } of objectsOf(root)) {
    if (kind !== 'PARAMETER' || (Number(identifier) >= 1 && Number(identifier) <= given)) continue
    throw new DbError('InvalidArguments', `there is no value for parameter $${identifier}`, errorOffset(at(location)))
  }
}

/** Functions that are not deterministic, so that the checked value would differ from the used one. */
const changing = /"function_name":"(?:random|uuid|uuidv4|uuidv7|gen_random_uuid)"/i

/** The reason, in words, why an expression would pass JSON of any depth around the depth limits; deep JSON crashes DuckDB. */
function unboundedJson(node: JsonObject, kind: string): string | undefined {
  if (kind === 'FUNCTION') {
    const name = folded(node['function_name'])
    if (!deepJsonNames.has(name)) return undefined
    if (node['schema'] !== undefined || node['catalog'] !== undefined) return `${name} behind a schema`
    return changing.test(JSON.stringify(node['children'])) ? `a random argument of ${name}` : undefined
  }
  const type = kind === 'TYPE' ? node['type_name'] : node['id']
  return typeof type === 'string' && folded(type) === 'variant' ? 'the type VARIANT' : undefined
}

function kindOf(node: JsonObject, part: Part): string {
  if (part === 'expression' || part === 'tableFunction') return String(node['class'])
  return part === 'source' || part === 'query' || part === 'modifier' ? String(node['type']) : ''
}

/** Adds the common table expressions of a query to the list, each with the names before it in scope; returns all names. */
function readCommon(commons: Json | undefined, scope: Scope, waiting: [Json, Part, Scope][]): Scope {
  if (commons === undefined) return scope
  const { map: list, ...more } = commons as JsonObject
  for (const key of Object.keys(more)) throw refused(`${key} of common tables`, undefined)
  const known = new Set(scope)
  for (const common of (list ?? []) as readonly JsonObject[]) {
    waiting.push([common, 'common', new Set(known)])
    known.add(folded(common['key']))
  }
  return known
}

/** Everything in a tree that has members, arrays included; without recursion, however deep it is. */
function* objectsOf(root: Json): Iterable<JsonObject> {
  const waiting: Json[] = [root]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next !== 'object' || next === null) continue
    // Not spread: a list of a statement may have more items than a call may have arguments.
    for (const value of Object.values(next)) waiting.push(value)
    yield next as JsonObject
  }
}

function folded(name: Json | undefined): string {
  return String(name).toLowerCase()
}

function isAllowed(name: Json): boolean {
  const known = folded(name)
  return functions.has(known) || macroNames.has(known) || functionPrefixes.some(prefix => known.startsWith(prefix))
}

/** The position of the only call of a function; undefined if there are several. */
export function onlyCall({ node, at }: ReadStatement, name: string): number | undefined {
  const locations: number[] = []
  for (const { function_name: called, query_location: location } of objectsOf(node)) {
    if (called !== undefined && folded(called) === name && typeof location === 'number') locations.push(location)
  }
  return locations.length === 1 ? at(locations[0]) : undefined
}

/** A function that is not allowed: it does not exist, or must not be called here. */
interface Unknown {
  readonly name: string
  readonly offset: number | undefined
  readonly isTable: boolean
}

/** Names of all functions of DuckDB, in lower case. */
export async function functionNames(connection: DuckDBConnection): Promise<ReadonlySet<string>> {
  const read = await connection.runAndReadAll('SELECT DISTINCT lower(function_name) FROM duckdb_functions()')
  return new Set(read.getRows().map(([name]) => String(name)))
}

function refusedFunction(names: ReadonlySet<string>, { name, offset, isTable }: Unknown): DbError {
  const what = `${isTable ? 'table ' : ''}function`
  if (names.has(folded(name))) return refused(`${what} ${name}`, offset)
  const meant = closest(name, isTable ? tableFunctions : [...functions, ...macroNames])
  return new DbError(
    'PlanQuery',
    `there is no ${what} ${name}${meant === undefined ? '' : `\nDid you mean ${meant}?`}`,
    errorOffset(offset)
  )
}

/** Checks that a table is a common table expression in scope, or a table of the server at its position. */
function checkTable(node: JsonObject, scope: Scope, tables: Tables, offset: number | undefined): void {
  const { table_name: name, schema_name: schema } = node
  if (offset !== undefined && schema === undefined && tables.get(offset) === name) tables.delete(offset)
  else if ((schema !== undefined && schema !== 'recurring') || !scope.has(folded(name))) {
    throw refused(`table ${name}`, offset)
  }
}

function refused(what: string, offset: number | undefined, why = 'a query reads tables of this server only'): DbError {
  return new DbError('Unsupported', `${what} is not allowed: ${why}`, errorOffset(offset))
}

function errorOffset(offset: number | undefined): { readonly offset?: number } {
  return offset === undefined ? {} : { offset }
}

/** Maps byte offsets of UTF-8 to character offsets; undefined for invalid ones. */
function charactersOf(text: string): Locate {
  const limit = Buffer.byteLength(text)
  const isPlain = limit === text.length
  const bytes = isPlain ? undefined : Buffer.from(text)
  return at => {
    if (typeof at !== 'number' || at > limit) return undefined
    return bytes === undefined ? at : bytes.toString('utf8', 0, at).length
  }
}
