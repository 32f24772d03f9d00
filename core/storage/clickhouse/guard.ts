// The guard: decides from ClickHouse's own syntax tree (EXPLAIN AST) whether a statement may run, so that it sees exactly what runs.
import { closest } from '../../config/closest.ts'
import { DbError } from '../../errors.ts'
import { aggregateFunctions, scalarFunctions } from './allowed-functions.ts'
import { quotedPattern } from './names.ts'

/** A line of `EXPLAIN AST`: depth, kind of node, and its text. */
interface Node {
  readonly depth: number
  readonly kind: string
  readonly rest: string
}

/** Kinds of nodes that read nothing by themselves. All others except functions and tables are refused, including those of newer versions. */
const plainKinds = new Set([
  'ArrayJoin',
  'Asterisk',
  'ColumnsExceptTransformer',
  'ColumnsListMatcher',
  'ColumnsRegexpMatcher',
  'ColumnsReplaceTransformer',
  'ColumnsReplaceTransformer::Replacement',
  'ColumnsTransformerList',
  'ExpressionList',
  'Identifier',
  'InterpolateElement',
  'Literal',
  'OrderByElement',
  'QualifiedAsterisk',
  'QualifiedColumnsListMatcher',
  'QualifiedColumnsRegexpMatcher',
  'SampleRatio',
  'SelectIntersectExceptQuery',
  'SelectQuery',
  'SelectWithUnionQuery',
  'Subquery',
  'TableExpression',
  'TableJoin',
  'TablesInSelectQuery',
  'TablesInSelectQueryElement',
  'WindowDefinition',
  'WindowListElement',
  'WithElement'
])

/** Table functions that only use their arguments. */
const tableFunctions: ReadonlySet<string> = new Set([
  'generate_series',
  'generateseries',
  'null',
  'numbers',
  'primes',
  'sqlstandardvalues',
  'values',
  'zeros'
])

/** Suffixes that turn an aggregate function into another one (combinators). */
const combinators =
  /(?:simplestate|ordefault|distinct|resample|foreach|argmax|argmin|ornull|tuple|merge|state|array|null|map|if)$/

/** Functions whose right operand may be a table name. */
const inFunctions = /^(?:global)?(?:not)?(?:null)?in$/

/**
 * Throws DbError for a statement that is not one query made of what is allowed. `lines` is what `EXPLAIN AST` says of it; each of
 * `placeholders` must be read as a table exactly once. A name without a database may stand where tables do: it is a common table, or there is
 * none of that name where the statement runs.
 */
export function guard(lines: readonly string[], placeholders: readonly string[]): void {
  const nodes = lines.map(readNode)
  const waiting = new Set(placeholders)
  if (nodes[0]?.kind !== 'SelectWithUnionQuery' || nodes[0].depth !== 0) throw onlyReading()
  if (nodes.some(({ depth }, i) => depth === 0 && i > 0)) throw onlyReading()
  for (const [i, node] of nodes.entries()) {
    if (node.kind === 'TableIdentifier') checkTable(nameOf(node.rest), waiting)
    else if (node.kind === 'Function') checkFunction(nodes, i)
    else if (!plainKinds.has(node.kind)) throw refused(wordFor(node.kind))
  }
  if (waiting.size > 0)
    throw new DbError('Internal', `${[...waiting].join(', ')} in the statement was not read as a table`)
}

/** Throws DbError for names that could be confused with the syntax of `EXPLAIN AST`. */
export function checkNames(text: string): void {
  for (const [quoted] of text.matchAll(quotedPattern)) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
    if (!quoted.startsWith("'") && (/[\x00-\x1f\x7f]/.test(quoted) || /\\[^\\`"]/.test(quoted)))
      throw new DbError('Unsupported', 'a name holds no control characters')
  }
}

function readNode(line: string): Node {
  const [, indent, kind, rest] = /^( *)(\S+)(.*)$/s.exec(line) ?? []
  if (indent === undefined) throw refused(line)
  return { depth: indent.length, kind: kind!, rest: rest!.replace(/ \(children \d+\)$/, '').trimStart() }
}

/** Without an alias. */
function nameOf(rest: string): string {
  return rest.replace(/ \(alias .*\)$/s, '')
}

function checkTable(name: string, waiting: Set<string>): void {
  if (waiting.delete(name)) return
  if (name.includes('.') || name.startsWith(placeholderStart)) throw refused(`table ${name}`)
}

/** Prefix of placeholders; users' names with it are refused. */
export const placeholderStart = '__weir_table_'

function checkFunction(nodes: readonly Node[], at: number): void {
  const { rest, depth } = nodes[at]!
  const name = nameOf(rest)
  const isTable = nodes[at - 1]?.kind === 'TableExpression'
  const known = name.toLowerCase()
  if (isTable ? !tableFunctions.has(known) : !isAllowed(known)) throw refusedFunction(name, isTable)
  if (!inFunctions.test(known)) return
  const list = at + 1
  if (nodes[list]?.kind !== 'ExpressionList') throw refused(`function ${name}`)
  for (let i = list + 1; i < nodes.length && nodes[i]!.depth > depth; i++) {
    const { depth: at, kind, rest: table } = nodes[i]!
    if (at === depth + 2 && kind === 'Identifier' && i > list + 1 && nameOf(table).includes('.')) {
      throw refused(`IN ${nameOf(table)}`, `; write IN (SELECT … FROM ${nameOf(table)})`)
    }
  }
}

function isAllowed(name: string): boolean {
  if (scalarFunctions.has(name)) return true
  for (let base = name; ; ) {
    if (aggregateFunctions.has(base)) return true
    const shorter = base.replace(combinators, '')
    if (shorter === base) return false
    base = shorter
  }
}

function refusedFunction(name: string, isTable: boolean): DbError {
  const what = `${isTable ? 'table ' : ''}function ${name}`
  const meant = closest(name, isTable ? tableFunctions : [...scalarFunctions, ...aggregateFunctions])
  return refused(what, meant === undefined ? '' : `\nDid you mean ${meant}?`)
}

function wordFor(kind: string): string {
  if (kind === 'Set') return 'SETTINGS'
  return kind === 'ColumnsApplyTransformer' ? 'APPLY' : kind
}

function refused(what: string, instead = ''): DbError {
  return new DbError('Unsupported', `${what} is not allowed: a query reads tables of this server only${instead}`)
}

function onlyReading(): DbError {
  return new DbError('PermissionDenied', 'only statements that read can be run here: SELECT, EXPLAIN and the like')
}
