// Walks the tree of a query and reports every table, column and call in it. What it does not know and might hold a table is refused.
import { DbError } from '../../../core/index.ts'
import type { Tree } from '../grammar/parser.ts'
import {
  asIdent,
  asList,
  asNode,
  asObjectName,
  type Ident,
  isEmpty,
  isQuery,
  type TreeNode,
  variant
} from '../grammar/tree.ts'
import { isSearchFunction } from '../search/call.ts'
import { isRefusedFunction, isTableFunction } from './function-policy.ts'
import { tableOf } from './newest.ts'

export interface Visitor {
  /** A table that is no common table expression of the query. */
  table(name: readonly Ident[], aliased: boolean): void
  /** A call, or a word that may be one, that is an item of a select list without a name of its own. */
  unnamed(call: readonly Ident[]): void
  /** A call, where the name of its function is no part of a longer one. */
  called(name: Ident): void
  /** The name a statement gives a common table, or a table or subquery it reads. */
  aliased(alias: Ident): void
  /** A call of a function that searches a text. */
  search(name: Ident): void
  /** A table that stands alone in its FROM. */
  alone(table: Alone): void
}

export interface Alone {
  readonly name: readonly Ident[]
  readonly alias: Ident | undefined
  readonly select: TreeNode
  /** Of a query that is nothing but this SELECT. */
  readonly orderBy: Tree | undefined
}

/** Where something begins: line and character from 1. */
export type Place = Pick<Ident, 'line' | 'column'>

/** Names of common table expressions that may be used here, in lower case. */
type Scope = ReadonlySet<string>

/** Walks a statement that must be a query. */
export function walkStatement(tree: Tree, visitor: Visitor): void {
  const [kind, query] = variant(tree) ?? ['', null]
  if (kind !== 'Query') throw refused(`${kind || 'this'} statement is not a query`)
  walkQuery(asNode(query)!, new Set(), visitor)
}

function walkQuery(query: TreeNode, outer: Scope, visitor: Visitor): void {
  const known = new Set(['with', 'body', 'order_by', 'limit_clause', 'fetch', 'locks', 'pipe_operators'])
  for (const [key, value] of Object.entries(query)) if (!known.has(key) && !isEmpty(value)) throw refused(key)
  if (!isEmpty(query['locks'])) throw refused('FOR UPDATE')
  if (!isEmpty(query['pipe_operators'])) throw refused('the pipe operator')
  const scope = new Set(outer)
  const withNode = asNode(query['with'])
  for (const table of asList(withNode?.['cte_tables']))
    walkCommon(asNode(table), withNode?.['recursive'] === true, scope, visitor)
  walkBody(query['body'], scope, visitor, query['order_by'])
  for (const key of ['order_by', 'limit_clause', 'fetch']) walkExpression(query[key], scope, visitor)
}

/** One common table expression; its name is known to those after it, and inside it when it is recursive. */
function walkCommon(table: TreeNode | undefined, recursive: boolean, scope: Set<string>, visitor: Visitor): void {
  const name = asIdent(asNode(table?.['alias'])?.['name'])
  const query = asNode(table?.['query'])
  if (name === undefined || query === undefined || !isEmpty(table?.['from']))
    throw refused('this common table expression')
  visitor.aliased(name)
  const inner = new Set(scope)
  if (recursive) inner.add(name.value.toLowerCase())
  walkQuery(query, inner, visitor)
  scope.add(name.value.toLowerCase())
}

function walkBody(body: Tree | undefined, scope: Scope, visitor: Visitor, orderBy?: Tree): void {
  const [kind, value] = variant(body) ?? ['', null]
  const node = asNode(value)
  if (node === undefined) throw refused(kind || 'this')
  if (kind === 'Query') walkQuery(node, scope, visitor)
  else if (kind === 'Select') walkSelect(node, orderBy, scope, visitor)
  else if (kind === 'Values') walkExpression(node['rows'], scope, visitor)
  else if (kind === 'SetOperation') {
    walkBody(node['left'], scope, visitor)
    walkBody(node['right'], scope, visitor)
  } else throw refused(kind)
}

const selectExpressions = [
  'distinct',
  'prewhere',
  'selection',
  'group_by',
  'sort_by',
  'having',
  'named_window',
  'qualify'
]
const selectFlags = ['select_token', 'top_before_distinct', 'window_before_qualify', 'flavor', 'value_table_mode']

function walkSelect(select: TreeNode, orderBy: Tree | undefined, scope: Scope, visitor: Visitor): void {
  for (const [key, value] of Object.entries(select)) {
    if (key === 'from') for (const item of asList(value)) walkJoined(item, scope, visitor)
    else if (key === 'projection') walkProjection(asList(value), scope, visitor)
    else if (selectExpressions.includes(key)) walkExpression(value, scope, visitor)
    else if (!selectFlags.includes(key) && !isEmpty(value)) throw refused(`${key.toUpperCase()} in SELECT`)
  }
  reportFiltered(select, orderBy, scope, visitor)
}

/** Beside another table, or with names of its own for the columns, what a condition means is not certain. */
function reportFiltered(select: TreeNode, orderBy: Tree | undefined, scope: Scope, visitor: Visitor): void {
  const [name, alias] = tableOf(select)
  if (name === undefined || (name.length === 1 && scope.has(name[0]!.value.toLowerCase()))) return
  visitor.alone({ name, alias, select, orderBy })
}

function walkProjection(items: readonly Tree[], scope: Scope, visitor: Visitor): void {
  for (const item of items) walkProjected(item, scope, visitor)
}

function walkProjected(item: Tree, scope: Scope, visitor: Visitor): void {
  const [kind, expression] = variant(item) ?? ['', null]
  const call = kind === 'UnnamedExpr' ? asNode(asNode(expression)?.['Function']) : undefined
  const word = kind === 'UnnamedExpr' ? asIdent(asNode(expression)?.['Identifier']) : undefined
  const name = word === undefined ? asObjectName(call?.['name']) : [word]
  if (name !== undefined) visitor.unnamed(name)
  walkExpression(item, scope, visitor)
}

function walkJoined(tree: Tree, scope: Scope, visitor: Visitor): void {
  const node = asNode(tree)
  if (node === undefined || !('relation' in node)) throw refused('this item of FROM')
  walkFactor(node['relation'], scope, visitor)
  for (const join of asList(node['joins'])) {
    const joined = asNode(join)
    walkFactor(joined?.['relation'], scope, visitor)
    walkExpression(joined?.['join_operator'], scope, visitor)
  }
}

function walkFactor(tree: Tree | undefined, scope: Scope, visitor: Visitor): void {
  const [kind, value] = variant(tree) ?? ['', null]
  const node = asNode(value)
  if (node === undefined) throw refused('this item of FROM')
  const alias = asIdent(asNode(node['alias'])?.['name'])
  if (alias !== undefined) visitor.aliased(alias)
  if (kind === 'Table') walkTable(node, scope, visitor)
  else if (kind === 'Function') walkTableFunction(node, scope, visitor)
  else if (kind === 'Derived') walkDerived(node, scope, visitor)
  else if (kind === 'UNNEST') walkExpression(node['array_exprs'], scope, visitor)
  else if (kind === 'NestedJoin') walkJoined(node['table_with_joins']!, scope, visitor)
  else if (kind === 'Pivot' || kind === 'Unpivot') {
    const { table, alias: _, ...rest } = node
    walkFactor(table, scope, visitor)
    walkExpression(rest, scope, visitor)
  } else throw refused(`${kind} in FROM`)
}

function walkDerived(node: TreeNode, scope: Scope, visitor: Visitor): void {
  const query = asNode(node['subquery'])
  if (query === undefined || !isQuery(query)) throw refused('this subquery')
  walkQuery(query, scope, visitor)
  walkExpression(node['sample'], scope, visitor)
}

const tableParts = new Set(['name', 'alias', 'args', 'sample', 'with_ordinality'])

function walkTable(node: TreeNode, scope: Scope, visitor: Visitor): void {
  for (const [key, value] of Object.entries(node)) {
    if (!tableParts.has(key) && !isEmpty(value)) throw refused(`${key} of a table`)
  }
  if (node['args'] !== undefined && node['args'] !== null) {
    walkTableFunction(node, scope, visitor)
    return
  }
  const name = asObjectName(node['name'])
  if (name === undefined || name.some(part => part.quote !== undefined && part.quote !== '"')) {
    throw refused('a string where the name of a table is expected')
  }
  walkExpression(node['sample'], scope, visitor)
  if (name.length === 1 && scope.has(name[0]!.value.toLowerCase())) return
  visitor.table(name, !isEmpty(node['alias']))
}

function walkTableFunction(node: TreeNode, scope: Scope, visitor: Visitor): void {
  const name = asObjectName(node['name'])
  if (name?.length !== 1 || !isTableFunction(name[0]!.value)) {
    throw refused(`table function ${name?.map(part => part.value).join('.') ?? ''}`)
  }
  walkExpression(node['args'], scope, visitor)
}

/** Whatever holds values: finds subqueries, columns and calls at any depth. */
function walkExpression(tree: Tree | undefined, scope: Scope, visitor: Visitor): void {
  if (Array.isArray(tree)) for (const item of tree) walkExpression(item, scope, visitor)
  const node = asNode(tree)
  if (node === undefined) return
  if ('relation' in node || 'table_with_joins' in node) throw refused('a table in this place')
  if (isQuery(node)) walkQuery(node, scope, visitor)
  else for (const [key, value] of Object.entries(node)) walkMember(key, value, scope, visitor)
}

function walkMember(key: string, value: Tree, scope: Scope, visitor: Visitor): void {
  const call = key === 'Function' ? asNode(value) : undefined
  if (call !== undefined) walkCall(call, scope, visitor)
  else walkExpression(value, scope, visitor)
}

function walkCall(call: TreeNode, scope: Scope, visitor: Visitor): void {
  const { name: written, ...rest } = call
  const name = asObjectName(written)
  if (name === undefined) throw refused('a call of something that is no plain name')
  const called = name.at(-1)!
  if (isRefusedFunction(called.value)) throw refused(`function ${called.value}`)
  if (name.length === 1) visitor.called(called)
  if (name.length === 1 && isSearchFunction(called.value)) visitor.search(called)
  walkExpression(rest, scope, visitor)
}

export function refused(what: string): DbError {
  return new DbError('Unsupported', `${what} is not allowed: a query reads tables of this server only`)
}
