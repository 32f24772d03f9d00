// Statements about the last row of each series: in the usual forms of them no row matters that has a later one with the same tags.
import type { TableColumn } from '../../../core/index.ts'
import type { Tree } from '../grammar/parser.ts'
import {
  asCall,
  asIdent,
  asList,
  asNode,
  asObjectName,
  type Ident,
  isEmpty,
  type TreeNode,
  variant
} from '../grammar/tree.ts'
import { columnOf, constantOf, type WhereParts } from './condition.ts'

/** A SELECT with one table alone in its FROM. */
interface Selected extends Pick<WhereParts, 'table' | 'names' | 'token'> {
  readonly select: TreeNode
  /** Of the query around it, where it is all of that. */
  readonly orderBy: Tree | undefined
  /** LIMIT and OFFSET of it. */
  readonly limit: Tree | undefined
}

/** Whether rows matter that have none after them with the same tags, and no others. */
export function asksNewest(selected: Selected): boolean {
  return isLastTimes(selected) || isLastOfGroups(selected) || isRanked(selected) || meetsLast(selected)
}

/** `SELECT … ORDER BY time DESC LIMIT n`: how many of the last rows of the table matter; undefined where that is not certain. */
export function lastRows(selected: Selected): number | undefined {
  const { select, orderBy, limit } = selected
  const [first] = orders(orderBy)
  if (columnOf(selected, first?.['expr']) !== selected.table.timeIndex || !isDescending(first)) return undefined
  if (!isEmpty(select['selection']) || !isPlain(select, ['distinct', 'having', 'qualify', 'top'])) return undefined
  if (!isSimple(selected) || holds(orderBy, looks)) return undefined
  const bounds = asNode(asNode(limit)?.['LimitOffset'])
  if (bounds === undefined || !isEmpty(bounds['limit_by'])) return undefined
  const rows = wholeOf(selected, bounds['limit'])
  const offset = isEmpty(bounds['offset']) ? 0 : wholeOf(selected, asNode(bounds['offset'])?.['value'])
  return rows === undefined || offset === undefined ? undefined : rows + offset
}

function wholeOf(selected: Selected, tree: Tree | undefined): number | undefined {
  const constant = constantOf(selected, tree)
  return constant?.kind === 'number' && /^\d{1,9}$/.test(constant.value) ? Number(constant.value) : undefined
}

/** `SELECT tags, max(time) … GROUP BY tags`. */
function isLastTimes(selected: Selected): boolean {
  const { select, orderBy } = selected
  const groups = groupsOf(selected)
  if (groups === undefined || !isEmpty(select['selection']) || !isPlain(select, ['distinct', 'having', 'qualify']))
    return false
  const items = itemsOf(selected)
  if (!items.every(item => item === 'last' || (item !== undefined && groups.includes(item)))) return false
  return (
    items.includes('last') &&
    orders(orderBy).every(({ expr }) => ['Identifier', 'Value'].includes(variant(expr)?.[0] ?? ''))
  )
}

/** `SELECT DISTINCT ON (tags) … ORDER BY tags, time DESC`. */
function isLastOfGroups(selected: Selected): boolean {
  const { select, orderBy } = selected
  const on = asList(asNode(select['distinct'])?.['On']).map(tag => columnOf(selected, tag))
  if (on.length === 0 || !on.every(isTag) || !isEmpty(select['selection']) || !isSimple(selected)) return false
  if (!isPlain(select, ['having', 'qualify'])) return false
  const order = orders(orderBy)
  const time = order.findIndex(({ expr }) => columnOf(selected, expr) === selected.table.timeIndex)
  if (time < 0 || !isDescending(order[time]!)) return false
  if (holds(orderBy, looks)) return false
  const tags = order.slice(0, time).map(({ expr }) => columnOf(selected, expr))
  return tags.every(tag => isTag(tag) && on.includes(tag))
}

/** `… QUALIFY row_number() OVER (PARTITION BY tags ORDER BY time DESC) = 1`. */
function isRanked(selected: Selected): boolean {
  const { select } = selected
  const comparison = asNode(asNode(select['qualify'])?.['BinaryOp'])
  const window = asNode(asNode(asNode(asNode(comparison?.['left'])?.['Function'])?.['over'])?.['WindowSpec'])
  const isFirst = comparison?.['op'] === 'Eq' && constantOf(selected, comparison['right'])?.value === '1'
  if (!isFirst || argumentsOf(comparison['left'], 'row_number', [])?.length !== 0) return false
  if (window === undefined || !isEmpty(window['window_frame']) || !isEmpty(window['window_name'])) return false
  if (!isEmpty(select['selection']) || !isPlain(select, ['having', 'distinct']) || !isSimple(selected)) return false
  const [first] = asList(window['order_by']).map(asNode)
  const tags = asList(window['partition_by']).map(tag => columnOf(selected, tag))
  const isLast = columnOf(selected, first?.['expr']) === selected.table.timeIndex && isDescending(first)
  return tags.every(isTag) && isLast
}

/** `… WHERE (tags, time) IN (SELECT tags, max(time) FROM the same table GROUP BY tags)`, perhaps with further conditions. */
function meetsLast(selected: Selected, condition: Tree | undefined = selected.select['selection']): boolean {
  const [kind, value] = variant(condition) ?? ['', null]
  const node = asNode(value)
  if (node === undefined) return false
  if (kind === 'Nested') return meetsLast(selected, node)
  if (kind === 'BinaryOp' && node['op'] === 'And')
    return meetsLast(selected, node['left']) || meetsLast(selected, node['right'])
  if (kind !== 'InSubquery' || node['negated'] !== false) return false
  const tuple = asList(asNode(node['expr'])?.['Tuple'])
  return isMatch(selected, tuple.length > 0 ? tuple : [node['expr']!], asNode(node['subquery']))
}

function isMatch(outer: Selected, tuple: readonly Tree[], query: TreeNode | undefined): boolean {
  const select = asNode(asNode(query?.['body'])?.['Select'])
  const [name] = select === undefined ? [] : tableOf(select)
  if (select === undefined || !isEmpty(query!['with']) || name === undefined || !isSame(name, tableOf(outer.select)[0]))
    return false
  const alias = tableOf(select)[1]
  const inner = {
    ...outer,
    names: [(alias?.value ?? outer.table.name).toLowerCase()],
    select,
    orderBy: query!['order_by'],
    limit: query!['limit_clause']
  }
  const groups = groupsOf(inner)
  if (groups === undefined || !isLastTimes(inner)) return false
  const items = itemsOf(inner)
  if (items.length !== tuple.length || !groups.every(group => items.includes(group))) return false
  return items.every((item, i) => columnOf(outer, tuple[i]) === (item === 'last' ? outer.table.timeIndex : item))
}

/** Name and alias of the only table of a SELECT. */
export function tableOf({ from }: TreeNode): [name?: readonly Ident[], alias?: Ident | undefined] {
  const [item, ...others] = asList(from)
  const joined = asNode(item)
  const [kind, value] = variant(joined?.['relation']) ?? ['', null]
  const table = kind === 'Table' ? asNode(value) : undefined
  if (table === undefined || others.length > 0 || !isEmpty(joined?.['joins'])) return []
  const name = asObjectName(table['name'])
  const alias = asNode(table['alias'])
  if (name === undefined || !isEmpty(table['args']) || !isEmpty(table['sample']) || !isEmpty(alias?.['columns']))
    return []
  return [name, asIdent(alias?.['name'])]
}

function isSame(one: readonly Ident[], other: readonly Ident[] | undefined): boolean {
  return (
    one.length === other?.length &&
    one.every(({ value, quote }, i) => value === other[i]!.value && quote === other[i]!.quote)
  )
}

/** The tags rows are grouped by; undefined where it is something else. */
function groupsOf(selected: Selected): readonly TableColumn[] | undefined {
  const [list, modifiers] = asList(asNode(selected.select['group_by'])?.['Expressions'])
  if (!Array.isArray(list) || !isEmpty(modifiers)) return undefined
  const tags = list.map(tag => columnOf(selected, tag))
  return tags.every(isTag) ? tags : undefined
}

/** An item of the select list: a column, the last time, or something else. */
function itemsOf(selected: Selected): readonly (TableColumn | 'last' | undefined)[] {
  return asList(selected.select['projection']).map(item => {
    const [kind, value] = variant(item) ?? ['', null]
    const expression = kind === 'ExprWithAlias' ? asNode(value)?.['expr'] : kind === 'UnnamedExpr' ? value : undefined
    const args = argumentsOf(expression, 'max')
    if (args === undefined) return columnOf(selected, expression)
    return args.length === 1 && columnOf(selected, args[0]) === selected.table.timeIndex ? 'last' : undefined
  })
}

/** The arguments of a call of a function with nothing but them. */
function argumentsOf(tree: Tree | undefined, name: string, without?: readonly string[]) {
  const call = asCall(tree, without)
  return call?.name.value.toLowerCase() === name ? call.args : undefined
}

/** Functions that may look at more than one row. */
const looks = ['Function', 'Subquery', 'Exists', 'InSubquery']

/** Without anything that looks at more than one row, and with no name of a column for something else. */
function isSimple(selected: Selected): boolean {
  const { projection } = selected.select
  if (groupsOf(selected)?.length !== 0 || holds(projection, [...looks, 'opt_replace', 'opt_rename'])) return false
  const named = new Set(selected.table.columns.map(({ name }) => name.toLowerCase()))
  const aliases = asList(projection).map(item => asIdent(asNode(asNode(item)?.['ExprWithAlias'])?.['alias']))
  return !aliases.some(alias => alias !== undefined && named.has(alias.value.toLowerCase()))
}

function holds(tree: Tree | undefined, keys: readonly string[]): boolean {
  if (Array.isArray(tree)) return tree.some(item => holds(item, keys))
  const node = asNode(tree)
  return (
    node !== undefined &&
    Object.entries(node).some(([key, value]) => (keys.includes(key) && !isEmpty(value)) || holds(value, keys))
  )
}

function orders(orderBy: Tree | undefined): readonly TreeNode[] {
  return asList(asNode(asNode(orderBy)?.['kind'])?.['Expressions']).map(item => asNode(item) ?? {})
}

function isDescending(order: TreeNode | undefined): boolean {
  return asNode(order?.['options'])?.['asc'] === false
}

function isTag(column: TableColumn | undefined): column is TableColumn {
  return column?.semantic === 'tag'
}

/** Whether clauses of a SELECT are absent. */
function isPlain(select: TreeNode, clauses: readonly string[]): boolean {
  return clauses.every(clause => isEmpty(select[clause]))
}
