// Context: rows before and after each row found, by lines or seconds.
import {
  type Condition,
  type Dialect,
  type SqlQuery,
  type Table,
  type TimestampType,
  unitsPerSecond
} from '../../../core/index.ts'
import { wrong } from '../document/node.ts'
import type { Context, LogQuery } from '../document/tree.ts'
import { timeCondition } from './condition.ts'
import { timeSql, type Writing } from './constant.ts'
import { filterSql } from './filter.ts'
import { readTable, type Source, tableScope, timeBounds } from './plan.ts'
import { statement, tablePlaceholder } from './statement.ts'
import { unitOf, type Value } from './value.ts'
import type { Window } from './window.ts'

/** Throws if steps produce something other than the table's rows. */
export function checkContext({ context, steps }: LogQuery): void {
  const step = steps.find(({ kind }) => kind === 'aggregate' || kind === 'filter')
  if (context !== undefined && step !== undefined) {
    throw wrong(context.path, `rows have no context in a query with AggrFunc or Filter in exprs (${step.path})`)
  }
}

/** A statement for the times of the rows found; only as many of the latest ones as the answer has rows are needed. */
export function foundQuery(writing: Writing, table: Table, query: LogQuery): SqlQuery {
  const { rows, conditions } = readTable(writing, table, query)
  const time = rows.scope.time!.sql
  const where = rows.where.length > 0 ? ` WHERE ${rows.where.join(' AND ')}` : ''
  const latest = `SELECT ${time} AS moment FROM ${tablePlaceholder}${where} ORDER BY moment DESC LIMIT ${query.skip + query.fetch}`
  return statement(`SELECT DISTINCT moment FROM (${latest})`, table, conditions, writing)
}

/** A statement that counts, per window, the rows before the first row found in it and after the last. */
export function countQuery(writing: Writing, table: Table, query: LogQuery, windows: readonly Window[]): SqlQuery {
  const { dialect } = writing
  const time = tableScope(dialect, table, query).time!
  const at = (ticks: bigint) => timeSql(writing, time.type, ticks)
  const counts = windows.flatMap(({ first, last, from, to }) => [
    dialect.countIf(`moment >= ${at(from)} AND moment < ${at(first)}`),
    dialect.countIf(`moment > ${at(last)} AND moment <= ${at(to)}`)
  ])
  const where = windowBounds(writing, time, query, windows)
  const text = `SELECT ${counts.join(', ')} FROM (SELECT ${time.sql} AS moment FROM ${tablePlaceholder} WHERE ${where})`
  return statement(text, table, [windowCondition(table, query, windows)], writing)
}

/**
 * The rows found and their context, which lie in the windows. Rows of the same time are numbered with the found ones last; `momentsSql` and
 * `lined` must number them alike. Rows between windows are not read, but more are left out there than any context has.
 */
export function readContext(writing: Writing, table: Table, query: LogQuery, windows: readonly Window[]): Source {
  const context = query.context!
  const { dialect } = writing
  const scope = tableScope(dialect, table, query)
  const time = scope.time!
  const at = (ticks: bigint) => timeSql(writing, time.type, ticks)
  const filter = query.filter === undefined ? 'true' : `coalesce(${filterSql(writing, scope, query.filter)}, false)`
  const [first, last] = [windows[0]!.first, windows.at(-1)!.last]
  const found = `(${filter} AND ${time.sql} >= ${at(first)} AND ${time.sql} <= ${at(last)})`
  const where = windowBounds(writing, time, query, windows)
  const keys = `SELECT ${time.sql} AS moment, ${found} AS found FROM ${tablePlaceholder} WHERE ${where}`
  const stored = `(SELECT stored.* FROM ${tablePlaceholder} WHERE ${where}) AS stored`
  const rows = `${stored} JOIN (${momentsSql(dialect, context, time, query, keys)}) AS picked ON ${time.sql} = picked.moment`
  const condition = windowCondition(table, query, windows)
  const conditions = [condition, condition]
  const byTime = { sql: time.sql, descending: true }
  if (context.kind === 'seconds') {
    const from = `(SELECT stored.* FROM ${rows}) AS stored`
    return { rows: { from, where: [], scope, order: [byTime] }, conditions }
  }
  const ordinal = freeName(dialect, table, 'ordinal')
  const names = { found, foundName: freeName(dialect, table, 'found'), ordinal }
  const from = `(${linesSql(dialect, context, time, rows, names)}) AS stored`
  const order = [byTime, { sql: `stored.${ordinal}`, descending: true }]
  return { rows: { from, where: [], scope, order }, conditions }
}

/** The latest times of rows in the context, with the line number at which each begins. `keys` are all rows of the windows. */
function momentsSql(dialect: Dialect, context: Context, time: Value, { skip, fetch }: LogQuery, keys: string): string {
  const { before, after } = inUnits(context, unitOf(time))
  // Joins each row only with the last row found whose context may include it; most rows join none.
  const near = nearSql(dialect, before, after)
  // The row found whose context ends the answer may lie further back by this much.
  const beyond = context.kind === 'lines' ? context.after : 0
  const as = dialect.name === 'duckdb' ? 'AS MATERIALIZED' : 'AS'
  return `WITH numbered ${as} (SELECT moment, found, ${ordinalOf(dialect, context, time)} AS ordinal FROM (${keys})),
    hits ${as} (SELECT DISTINCT ordinal FROM numbered WHERE found),
    moments ${as} (SELECT DISTINCT moment FROM (${near}) ORDER BY moment DESC LIMIT ${skip + fetch + beyond})
    SELECT moment, min(ordinal) AS line FROM numbered WHERE moment IN (SELECT moment FROM moments) GROUP BY moment`
}

/** Rows with a row found so far before or after them. */
function nearSql({ name }: Dialect, before: bigint, after: bigint): string {
  if (name === 'duckdb') {
    return `SELECT numbered.moment, numbered.ordinal FROM numbered ASOF JOIN hits ON numbered.ordinal + ${before} >= hits.ordinal
    WHERE numbered.ordinal - hits.ordinal <= ${after}`
  }
  const frame = `ORDER BY ordinal RANGE BETWEEN UNBOUNDED PRECEDING AND ${before} FOLLOWING`
  return `SELECT moment, ordinal FROM (SELECT moment, ordinal, max(CASE WHEN found THEN ordinal END) OVER (${frame}) AS hit FROM numbered)
    WHERE ordinal - hit <= ${after}`
}

interface LineNames {
  /** SQL that is true for rows found, and the column for it. */
  readonly found: string
  readonly foundName: string
  readonly ordinal: string
}

/** Rows of some times that are in the context by their line numbers. */
function linesSql(dialect: Dialect, { before, after }: Context, time: Value, rows: string, names: LineNames): string {
  const { found, foundName, ordinal } = names
  const lined = `SELECT stored.*, ${found} AS ${foundName},
    picked.line + row_number() OVER (PARTITION BY ${time.sql} ORDER BY ${found}) - 1 AS ${ordinal} FROM ${rows}`
  const frame = `ORDER BY ${ordinal} RANGE BETWEEN ${after} PRECEDING AND ${before} FOLLOWING`
  return `SELECT * FROM (SELECT *, ${dialect.anyTrue(foundName)} OVER (${frame}) AS near FROM (${lined})) WHERE near`
}

/** A name that no column of the table has. */
function freeName({ quoteName }: Dialect, table: Table, wanted: string): string {
  const taken = new Set(table.columns.map(({ physical }) => physical.toLowerCase()))
  let name = `__${wanted}`
  while (taken.has(name)) name = `_${name}`
  return quoteName(name)
}

/** The position of a row: its line number, or its time in the time index's unit. */
function ordinalOf(dialect: Dialect, { kind }: Context, { type }: Value): string {
  const line = 'row_number() OVER (ORDER BY moment, found)'
  if (kind === 'lines') return dialect.result(line, 'Int64')
  return dialect.ticks(type as TimestampType, 'moment')
}

/** The context in lines, or in the time index's unit. */
export function inUnits({ kind, before, after }: Context, unit: ReturnType<typeof unitOf>) {
  const per = kind === 'lines' ? 1n : unitsPerSecond[unit]
  return { before: BigInt(before) * per, after: BigInt(after) * per }
}

/** The whole range first, because parts of files are skipped by it. */
function windowBounds(writing: Writing, time: Value, query: LogQuery, windows: readonly Window[]): string {
  const at = (ticks: bigint) => timeSql(writing, time.type, ticks)
  const within = (from: bigint, to: bigint) => `(${time.sql} >= ${at(from)} AND ${time.sql} <= ${at(to)})`
  const whole = within(windows[0]!.from, windows.at(-1)!.to)
  const bounds = [...timeBounds(writing, time, query), whole]
  if (windows.length > 1) bounds.push(`(${windows.map(({ from, to }) => within(from, to)).join(' OR ')})`)
  return bounds.join(' AND ')
}

/** Rows in the windows, whether they pass the filter or not. */
function windowCondition(table: Table, query: LogQuery, windows: readonly Window[]): Condition {
  const near: Condition = {
    kind: 'any',
    of: windows.map(({ from, to }): Condition => ({ kind: 'time', from, to: to + 1n }))
  }
  if (query.time === undefined) return near
  const unit = unitOf({ type: table.timeIndex.type } as Value)
  return { kind: 'all', of: [timeCondition(query.time, unit), near] }
}
