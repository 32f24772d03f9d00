// Compiles a log query to one statement: filters, then the steps of `exprs`, then order and limit.
import type { Condition, Dialect, SqlQuery, Table, TableColumn } from '../../../core/index.ts'
import { wrong } from '../document/node.ts'
import type { Expression, LogQuery, Ordering, Step } from '../document/tree.ts'
import { all, filterCondition, timeCondition } from './condition.ts'
import { timeSql, type Writing } from './constant.ts'
import { compileAggregate, compileValue, findColumn } from './expression.ts'
import { filterSql } from './filter.ts'
import { statement, tablePlaceholder } from './statement.ts'
import { kindOf, type Scope, unitOf, type Value } from './value.ts'

/** The rows between two steps. */
interface Rows {
  /** The text behind FROM. */
  readonly from: string
  readonly where: readonly string[]
  readonly scope: Scope
  /** Default order. */
  readonly order: readonly OrderKey[]
}

interface OrderKey {
  readonly sql: string
  readonly descending: boolean
}

export interface Plan {
  readonly query: SqlQuery
  /** Names of the result columns. */
  readonly names: readonly string[]
}

/** The table's rows that pass the filters, and conditions the engine may use. */
export interface Source {
  readonly rows: Rows
  /** One per placeholder of the table in `rows`. */
  readonly conditions: readonly (Condition | undefined)[]
}

/** Rows of the table within the time range that pass the filters. */
export function readTable(writing: Writing, table: Table, query: LogQuery): Source {
  const scope = tableScope(writing.dialect, table, query)
  const where = [
    ...timeBounds(writing, scope.time!, query),
    ...(query.filter ? [filterSql(writing, scope, query.filter)] : [])
  ]
  return {
    rows: { from: tablePlaceholder, where, scope, order: [{ sql: scope.time!.sql, descending: true }] },
    conditions: [conditionOf(table, query)]
  }
}

/** The columns of the table; `columns` of the query determine positions and what is shown. */
export function tableScope(dialect: Dialect, table: Table, query: LogQuery): Scope {
  const columns = table.columns.map(column => columnValue(dialect, column))
  const scope = { columns, positions: columns, time: columnValue(dialect, table.timeIndex) }
  if (query.columns.length === 0) return scope
  return { ...scope, positions: query.columns.map(({ name, path }) => findColumn(scope, name, path)) }
}

function columnValue({ quoteName }: Dialect, column: TableColumn): Value {
  const { name, physical, type } = column
  return { sql: `stored.${quoteName(physical)}`, type, kind: kindOf(type), name, growth: 1, column }
}

/** Conditions for the time range. */
export function timeBounds(writing: Writing, time: Value, { time: range }: LogQuery): string[] {
  if (range === undefined) return []
  const { from, to } = timeCondition(range, unitOf(time))
  return [
    ...(from === undefined ? [] : [`${time.sql} >= ${timeSql(writing, time.type, from)}`]),
    ...(to === undefined ? [] : [`${time.sql} < ${timeSql(writing, time.type, to)}`])
  ]
}

/** The condition that all needed rows meet. */
export function conditionOf(table: Table, { time, filter, columns }: LogQuery): Condition | undefined {
  const shown = columns.length === 0 ? table.columns.map(({ name }) => name) : columns.map(({ name }) => name)
  const columnOf = (expression: Expression) => {
    const name =
      expression.kind === 'column' ? expression.name : expression.kind === 'position' && shown[expression.index]
    return table.columns.find(column => column.name === name)
  }
  const filtered = filter && filterCondition(table, filter, columnOf)
  return all([time && timeCondition(time, unitOf({ type: table.timeIndex.type } as Value)), filtered])
}

/** A statement for the oldest time among the latest `count` rows that a query finds. */
export function oldestQuery(writing: Writing, table: Table, query: LogQuery, count: number): SqlQuery {
  const { rows, conditions } = readTable(writing, table, query)
  const time = rows.scope.time!.sql
  const where = rows.where.length > 0 ? ` WHERE ${rows.where.join(' AND ')}` : ''
  const latest = `SELECT ${time} AS moment FROM ${tablePlaceholder}${where} ORDER BY moment DESC LIMIT ${count}`
  return statement(`SELECT ${writing.dialect.min('moment')} FROM (${latest})`, table, conditions, writing)
}

/** The complete statement for a source. */
export function planRows(writing: Writing, table: Table, query: LogQuery, source: Source): Plan {
  const rows = takeSteps(writing, source.rows, query.steps)
  const { from, where, scope } = rows
  const order =
    query.order === undefined ? rows.order.map(orderSql) : query.order.map(each => ordering(writing, scope, each))
  const text = [
    `SELECT ${resultSql(writing, scope)} FROM ${from}`,
    ...(where.length > 0 ? [`WHERE ${where.join(' AND ')}`] : []),
    ...(order.length > 0 ? [`ORDER BY ${order.join(', ')}`] : []),
    `LIMIT ${query.fetch}${query.skip > 0 ? ` OFFSET ${query.skip}` : ''}`
  ].join(' ')
  return {
    query: statement(text, table, source.conditions, writing),
    names: scope.positions.map(({ name }) => name)
  }
}

/** The SELECT list for the positions of a scope. */
export function resultSql({ dialect }: Writing, { positions }: Scope): string {
  return positions.map(({ sql, type, column }) => (column === undefined ? dialect.result(sql, type) : sql)).join(', ')
}

function ordering(writing: Writing, scope: Scope, { expression, descending, path }: Ordering): string {
  if (isLiteral(expression)) throw wrong(path, 'a constant orders nothing')
  const value = compileValue(writing, scope, expression)
  return `${value.sql} ${descending ? 'DESC' : 'ASC'} NULLS LAST`
}

function orderSql({ sql, descending }: OrderKey): string {
  return `${sql} ${descending ? 'DESC' : 'ASC'}`
}

function isLiteral(expression: Expression): boolean {
  return expression.kind === 'literal' || (expression.kind === 'alias' && isLiteral(expression.expression))
}

/** Adjacent expressions become the columns of one step. */
export function takeSteps(writing: Writing, source: Rows, steps: readonly Step[]): Rows {
  let rows = source
  let selected: Value[] = []
  const select = () => {
    if (selected.length > 0) rows = project(rows, selected)
    selected = []
  }
  for (const step of steps) {
    if (step.kind === 'filter' || step.kind === 'aggregate') {
      select()
      if (step.kind === 'filter') {
        rows = { ...rows, where: [...rows.where, filterSql(writing, rows.scope, step.filter)] }
      } else rows = aggregate(writing, rows, step)
      continue
    }
    if (namesOf(step).some(name => isNew(name, rows.scope, selected))) {
      select()
      selected = [...rows.scope.positions]
    }
    selected.push(compileValue(writing, rows.scope, step))
  }
  select()
  return rows
}

/** Whether a name was already defined by an earlier column of the same step. */
function isNew(name: string, { columns }: Scope, selected: readonly Value[]): boolean {
  return !columns.some(column => column.name === name) && selected.some(value => value.name === name)
}

function namesOf(expression: Expression): readonly string[] {
  switch (expression.kind) {
    case 'column':
      return [expression.name]
    case 'alias':
      return namesOf(expression.expression)
    case 'binary':
      return [...namesOf(expression.left), ...namesOf(expression.right)]
    case 'call':
      return expression.args.flatMap(namesOf)
  }
  return []
}

/** Replaces the columns; the sort keys are kept. */
function project({ from, where, scope: { time }, order }: Rows, values: readonly Value[]): Rows {
  const selected = values.map(({ sql }, i) => `${sql} AS c${i}`)
  if (time !== undefined) selected.push(`${time.sql} AS moment`)
  selected.push(...order.map(({ sql }, i) => `${sql} AS k${i}`))
  const columns = values.map(renamed)
  return {
    from: select(selected, from, where),
    where: [],
    scope: { columns, positions: columns, ...(time && { time: { ...time, sql: 'seen.moment' } }) },
    order: order.map(({ descending }, i) => ({ sql: `seen.k${i}`, descending }))
  }
}

/** One row per group, sorted by the groups. */
function aggregate(writing: Writing, { from, where, scope }: Rows, step: Extract<Step, { kind: 'aggregate' }>): Rows {
  const groups = step.by.map(each => compileValue(writing, scope, each))
  const values = [...groups, ...step.calls.map(each => compileAggregate(writing, scope, each))]
  const selected = values.map(({ sql }, i) => `${sql} AS c${i}`)
  const columns = values.map(renamed)
  const grouped = groups.length > 0 ? ` GROUP BY ${groups.map((_, i) => i + 1).join(', ')}` : ''
  return {
    from: select(selected, from, where, grouped),
    where: [],
    scope: { columns, positions: columns },
    order: groups.map((_, i) => ({ sql: `seen.c${i}`, descending: false }))
  }
}

function select(selected: readonly string[], from: string, where: readonly string[], rest = ''): string {
  const filtered = where.length > 0 ? ` WHERE ${where.join(' AND ')}` : ''
  return `(SELECT ${selected.join(', ')} FROM ${from}${filtered}${rest}) AS seen`
}

function renamed({ column: _, ...value }: Value, i: number): Value {
  return { ...value, sql: `seen.c${i}` }
}
