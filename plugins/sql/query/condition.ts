// Conditions of a WHERE on the columns of its only table by which the engine can exclude rows.
import {
  type Condition,
  convertTime,
  parseTimestamp,
  partCondition,
  type Reading,
  requiredText,
  type Table,
  type TableColumn,
  timeUnit,
  type Zone
} from '../../../core/index.ts'
import type { Tree } from '../grammar/parser.ts'
import { asCall, asIdent, asList, asNode, isEmpty, type TreeNode, tokenOf, variant } from '../grammar/tree.ts'
import { isSearchFunction, type SearchCall, searchCallCondition } from '../search/call.ts'
import type { Token } from '../text/token.ts'

export interface WhereParts {
  readonly table: Table
  /** Names that may stand before the dot of its columns. */
  readonly names: readonly string[]
  readonly zone: Zone
  /** The token of the statement at an index. */
  token(at: number): Token
  /** The search whose name is a token. */
  search(at: number): { readonly call: SearchCall; readonly reading: Reading } | undefined
}

/** Undefined where nothing is known. Every row for which the expression is true meets the condition. */
export function whereCondition(parts: WhereParts, tree: Tree | undefined): Condition | undefined {
  const [kind, value] = variant(tree) ?? ['', null]
  const node = asNode(value)
  if (node === undefined) return undefined
  if (kind === 'Nested') return whereCondition(parts, node)
  if (kind === 'Function') return searched(parts, tree!)
  if (kind === 'Like' || kind === 'ILike')
    return node['negated'] === false ? alike(parts, node, kind === 'ILike') : undefined
  if (kind === 'InList') return node['negated'] === false ? listed(parts, node) : undefined
  if (kind === 'Between') return node['negated'] === false ? between(parts, node) : undefined
  if (kind !== 'BinaryOp') return undefined
  const { op, left, right } = node
  if (op === 'And') return all([whereCondition(parts, left), whereCondition(parts, right)])
  if (op === 'Or') return any([whereCondition(parts, left), whereCondition(parts, right)])
  if (op === 'PGRegexMatch') return held(parts, left, right)
  return compared(parts, String(op), left, right) ?? compared(parts, mirrored[String(op)] ?? '', right, left)
}

const mirrored: Readonly<Record<string, string>> = { Eq: 'Eq', Lt: 'Gt', LtEq: 'GtEq', Gt: 'Lt', GtEq: 'LtEq' }

export function all(conditions: readonly (Condition | undefined)[]): Condition | undefined {
  const of = conditions.filter(each => each !== undefined)
  return of.length > 1 ? { kind: 'all', of } : of[0]
}

function any(conditions: readonly (Condition | undefined)[]): Condition | undefined {
  const of = conditions.filter(each => each !== undefined)
  if (of.length < conditions.length) return undefined
  return of.length > 1 ? { kind: 'any', of } : of[0]
}

/** A call of a search, or one with a regular expression. */
function searched(parts: WhereParts, tree: Tree): Condition | undefined {
  const { name, args } = asCall(tree) ?? {}
  if (name === undefined) return undefined
  if (matchers.has(name.value.toLowerCase())) return args!.length > 2 ? undefined : held(parts, args![0], args![1])
  const found = isSearchFunction(name.value) ? parts.search(name.at) : undefined
  const column = found && columnOf(parts, found.call.lowered ? asCall(args![0])?.args[0] : args![0])
  return column?.type === 'String' ? searchCallCondition(found!.call, column.name, found!.reading) : undefined
}

/** A regular expression with a text that must be there. */
function held(parts: WhereParts, text: Tree | undefined, pattern: Tree | undefined): Condition | undefined {
  const column = columnOf(parts, text)
  const constant = constantOf(parts, pattern)
  if (column?.type !== 'String' || constant?.kind !== 'string') return undefined
  const found = requiredText(constant.value)
  if (found === undefined) return undefined
  return all([{ kind: 'contains', column: column.name, text: found }, partCondition(column.name, found, everywhere)])
}

const everywhere = { start: true, end: true }

const matchers = new Set(['regexp_matches', 'regexp_like', 'regexp_full_match'])

/** LIKE: the texts between its wildcards are there. What upper case is, is only certain of ASCII. */
function alike(parts: WhereParts, node: TreeNode, folded: boolean): Condition | undefined {
  const column = columnOf(parts, node['expr'])
  const pattern = constantOf(parts, node['pattern'])
  const isPlain = node['any'] === false && isEmpty(node['escape_char'])
  if (column?.type !== 'String' || pattern?.kind !== 'string' || !isPlain) return undefined
  // GLOB has the same tree, and wildcards of its own.
  if (/[*?[\\]/.test(pattern.value)) return undefined
  const between = pattern.value.split(/[%_]/)
  const texts = between.map((text, i) => {
    const open = { start: i > 0, end: i < between.length - 1 }
    if (!folded) return partCondition(column.name, text, open)
    return isAscii.test(text) ? partCondition(column.name, text.toLowerCase(), open, true) : undefined
  })
  return all(texts)
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
const isAscii = /^[\x00-\x7f]*$/

function listed(parts: WhereParts, { expr, list }: TreeNode): Condition | undefined {
  return any(asList(list).map(item => compared(parts, 'Eq', expr, item)))
}

function between(parts: WhereParts, { expr, low, high }: TreeNode): Condition | undefined {
  return all([compared(parts, 'GtEq', expr, low), compared(parts, 'LtEq', expr, high)])
}

function compared(
  parts: WhereParts,
  op: string,
  left: Tree | undefined,
  right: Tree | undefined
): Condition | undefined {
  const column = columnOf(parts, left)
  const constant = column && constantOf(parts, right)
  if (column === undefined || constant === undefined) return undefined
  if (column === parts.table.timeIndex) return timeCondition(parts, op, constant)
  if (op !== 'Eq') return undefined
  const isText = column.type === 'String' && constant.kind === 'string'
  const isWhole = /^U?Int\d+$/.test(column.type) && constant.kind === 'number' && /^\d{1,38}$/.test(constant.value)
  if (!isText && !isWhole) return undefined
  const value = isText ? constant.value : BigInt(constant.value).toString()
  const equals: Condition = { kind: 'equals', column: column.name, value }
  return isText ? all([equals, partCondition(column.name, value, { start: false, end: false })]) : equals
}

/** Forms that every reader of times takes for the same. */
const plainTime = /^\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)?)?$/

/** The engine compares with the constant itself: here it is enough to be near. */
function timeCondition({ table, zone }: WhereParts, op: string, { kind, value }: Token): Condition | undefined {
  const unit = timeUnit(table.timeIndex.type as Parameters<typeof timeUnit>[0])
  let at: bigint
  if (kind === 'number' && /^\d{1,18}$/.test(value)) at = BigInt(value)
  else if (kind === 'string' && plainTime.test(value)) {
    try {
      at = convertTime(parseTimestamp(value, zone), 'ns', unit)
    } catch {
      return undefined
    }
  } else return undefined
  // One more on each side, so that no rounding matters.
  const from = { from: at - 1n }
  const to = { to: at + 2n }
  if (op === 'Eq') return { kind: 'time', ...from, ...to }
  if (op === 'Gt' || op === 'GtEq') return { kind: 'time', ...from }
  return op === 'Lt' || op === 'LtEq' ? { kind: 'time', ...to } : undefined
}

/** The column of the table an expression is, undefined where that is not certain. */
export function columnOf(
  { table, names }: Pick<WhereParts, 'table' | 'names'>,
  tree: Tree | undefined
): TableColumn | undefined {
  const [kind, value] = variant(tree) ?? ['', null]
  const parts =
    kind === 'Identifier' ? [asIdent(value)] : kind === 'CompoundIdentifier' ? asList(value).map(asIdent) : []
  const [column, prefix, ...more] = parts.toReversed()
  if (column === undefined || more.length > 0) return undefined
  if (prefix !== undefined && !names.includes(prefix.value.toLowerCase())) return undefined
  const wanted = column.value.toLowerCase()
  const alike = table.columns.filter(({ name }) => name.toLowerCase() === wanted)
  return alike.length === 1 ? alike[0] : alike.find(({ name }) => name === column.value)
}

/** The literal an expression is. What it says stands in the text only: statements share their trees. */
export function constantOf(parts: Pick<WhereParts, 'token'>, tree: Tree | undefined): Token | undefined {
  const at = tokenOf(asNode(asNode(asNode(tree)?.['Value'])))
  if (at === undefined) return undefined
  const token = parts.token(at)
  return token.kind === 'string' || token.kind === 'number' ? token : undefined
}
