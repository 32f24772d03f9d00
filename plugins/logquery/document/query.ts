// Parses a document to a log query. Missing members have defaults, unknown ones are refused.
import { DbError, formatSize, parseJson, type Zone } from '../../../core/index.ts'
import type { Budget } from './expression.ts'
import { readExpression } from './expression.ts'
import { readFilter } from './filter.ts'
import { countOf, expected, listOf, membersOf, type Node, required, textOf, variantOf, wrong } from './node.ts'
import { readStep } from './step.ts'
import { readTimeFilter } from './time-filter.ts'
import type { Context, LogQuery, Ordering, TableName } from './tree.ts'

/** Limits of a document; named like the configuration keys. */
export interface QueryLimits {
  /** Bytes of the document. */
  readonly max_query_size: number
  /** Maximum filters, expressions and values. */
  readonly max_query_nodes: number
  /** Maximum rows of an answer, including skipped ones. */
  readonly max_rows: number
  /** Rows of an answer if the query does not say. */
  readonly default_rows: number
}

interface QueryContext {
  readonly limits: QueryLimits
  /** Database of the request. */
  readonly database: string
  readonly zone: Zone
  /** Nanoseconds since 1970. */
  readonly now: bigint
}

const keys = ['table', 'time_filter', 'limit', 'columns', 'filters', 'context', 'exprs', 'order_by'] as const

/** Throws DbError `InvalidArguments` with the path of the problem, ParseError for invalid JSON. */
export function readQuery(text: string | Uint8Array, around: QueryContext): LogQuery {
  const { max_query_size: max } = around.limits
  if (text.length > max) {
    const reason = `the query is longer than ${formatSize(max)} (plugins.logquery.max_query_size)`
    throw new DbError('InvalidArguments', `$: ${reason}`)
  }
  const root: Node = { path: '$', value: parseJson(text) }
  const members = membersOf(root, keys)
  const budget = createBudget(around.limits.max_query_nodes)
  const { time_filter, columns, filters, context, exprs, order_by } = members
  const time = time_filter && readTimeFilter(time_filter, around.zone, around.now)
  const readContext = context && contextOf(context, around.limits.max_rows)
  return {
    table: readTable(required(root, 'table', members.table), around.database),
    ...(time && { time }),
    columns: columns === undefined ? [] : listOf(columns).map(each => ({ path: each.path, name: textOf(each) })),
    ...(filters && { filter: readFilter(budget, filters) }),
    ...(readContext && { context: readContext }),
    steps: exprs === undefined ? [] : listOf(exprs).map(each => readStep(budget, each)),
    ...(order_by && { order: listOf(order_by).map(each => readOrdering(budget, each)) }),
    ...readLimit(members.limit, around.limits)
  }
}

function createBudget(max: number): Budget {
  let left = max
  return {
    take({ path }) {
      if (--left < 0) {
        throw wrong(path, `more than ${max} filters, expressions and values (plugins.logquery.max_query_nodes)`)
      }
    }
  }
}

/** A name alone means a table of the request's database. */
function readTable(node: Node, database: string): TableName {
  const { path } = node
  if (typeof node.value === 'string') return { path, database, name: node.value }
  const { catalog_name, schema_name, table_name } = membersOf(node, ['catalog_name', 'schema_name', 'table_name'])
  if (catalog_name !== undefined && textOf(catalog_name) !== 'svc') {
    throw wrong(catalog_name.path, `there is only the catalog svc, not ${textOf(catalog_name)}`)
  }
  const name = textOf(required(node, 'table_name', table_name))
  return { path, database: schema_name === undefined ? database : textOf(schema_name), name }
}

function readLimit(node: Node | undefined, limits: QueryLimits): Pick<LogQuery, 'skip' | 'fetch' | 'limited'> {
  const { skip, fetch } = node === undefined ? {} : membersOf(node, ['skip', 'fetch'])
  const skipped = skip === undefined ? 0 : countOf(skip, Number.MAX_SAFE_INTEGER)
  const fetched = fetch === undefined ? limits.default_rows : countOf(fetch, Number.MAX_SAFE_INTEGER)
  if (skipped + fetched > limits.max_rows) {
    const { path } = fetch ?? skip ?? { path: '$.limit' }
    throw wrong(path, `skip and fetch together are more than ${limits.max_rows} rows (plugins.logquery.max_rows)`)
  }
  return { skip: skipped, fetch: fetched, limited: fetch !== undefined }
}

/** `"None"`, `{"Lines": [before, after]}` or `{"Seconds": [before, after]}`. */
function contextOf(node: Node, maxLines: number): Context | undefined {
  const [kind, inner] = variantOf(node, ['None', 'Lines', 'Seconds'])
  if (kind === 'None') {
    if (inner.value !== null) throw expected(inner, 'just the text "None"')
    return undefined
  }
  const [before, after, more] = listOf(inner)
  if (before === undefined || after === undefined || more !== undefined) {
    throw wrong(inner.path, 'expected two numbers: [before, after]')
  }
  const max = kind === 'Lines' ? maxLines : 1_000_000_000
  return {
    path: inner.path,
    kind: kind === 'Lines' ? 'lines' : 'seconds',
    before: countOf(before, max),
    after: countOf(after, max)
  }
}

/** A name, or an expression with a direction. */
function readOrdering(budget: Budget, node: Node): Ordering {
  const { path } = node
  if (typeof node.value === 'string') {
    return { path, expression: { kind: 'column', path, name: node.value }, descending: false }
  }
  const { expr, order } = membersOf(node, ['expr', 'order'])
  const direction = order === undefined ? 'asc' : variantOf(order, ['asc', 'desc'])[0]
  const expression = readExpression(budget, required(node, 'expr', expr))
  return { path, expression, descending: direction === 'desc' }
}
