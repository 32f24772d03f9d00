// Rows beside those that were found: the lines or the seconds before and after each.
import type { Condition, SqlQuery, Table } from '../../../core/index.ts'
import { unitsPerSecond } from '../../../core/index.ts'
import { wrong } from '../document/node.ts'
import type { Context, LogQuery } from '../document/tree.ts'
import { timeCondition } from './condition.ts'
import { timeSql, type Writing } from './constant.ts'
import { filterSql } from './filter.ts'
import { readTable, type Source, tableScope, timeBounds } from './plan.ts'
import { place, statement } from './statement.ts'
import { quoteName, unitOf, type Value } from './value.ts'

/** The first and the last time of the rows found that the answer can show, in the time index's unit. */
export interface Edges {
  readonly first: bigint
  readonly last: bigint
}

/** Throws where steps make something else of rows than rows. */
export function checkContext({ context, steps }: LogQuery): void {
  const step = steps.find(({ kind }) => kind === 'aggregate' || kind === 'filter')
  if (context !== undefined && step !== undefined) {
    throw wrong(context.path, `rows have no context in a query with AggrFunc or Filter in exprs (${step.path})`)
  }
}

/** A statement for the edges: rows further away than the answer is long have no part in it. */
export function edgesQuery(writing: Writing, table: Table, query: LogQuery): SqlQuery {
  const { rows, conditions } = readTable(writing, table, query)
  const time = rows.scope.time!.sql
  const where = rows.where.length > 0 ? ` WHERE ${rows.where.join(' AND ')}` : ''
  const newest = `SELECT ${time} AS moment FROM ${place}${where} ORDER BY moment DESC LIMIT ${query.skip + query.fetch}`
  return statement(`SELECT min(moment), max(moment) FROM (${newest})`, table, conditions, writing.parameters)
}

/**
 * The rows found and those beside them. Rows of the same time have an order of their own, those found last: `near` and `placed` number
 * them alike.
 */
export function readContext(writing: Writing, table: Table, query: LogQuery, edges: Edges): Source {
  const context = query.context!
  const scope = tableScope(table, query)
  const time = scope.time!
  const helpers = { found: freeName(table, 'found'), position: freeName(table, 'position') }
  const { parameters } = writing
  const at = (ticks: bigint) => timeSql(parameters, time.type, ticks)
  const filter = query.filter === undefined ? 'true' : `coalesce(${filterSql(writing, scope, query.filter)}, false)`
  const found = `(${filter} AND ${time.sql} >= ${at(edges.first)} AND ${time.sql} <= ${at(edges.last)})`
  const bounds = [...timeBounds(writing, time, query), ...reach(writing, time, query, edges)]
  const where = bounds.length > 0 ? ` WHERE ${bounds.join(' AND ')}` : ''
  const keys = `SELECT ${time.sql} AS moment, ${found} AS found FROM ${place}${where}`
  const near = `SELECT moment, line, bool_or(found) OVER (${frame(context, unitOf(time), 'place')}) AS near
    FROM (SELECT moment, found, ${placeOf(context, time)} FROM (${keys}))`
  // The row found that brings the last line of the answer lies further back than it.
  const beyond = context.kind === 'lines' ? context.after : 0
  const picked = `SELECT moment, min(line) AS line FROM (${near}) WHERE near GROUP BY moment
    ORDER BY moment DESC LIMIT ${query.skip + query.fetch + beyond}`
  const conditions = conditionsOf(table, query, edges)
  const joined = `${place} JOIN (${picked}) AS picked ON ${time.sql} = picked.moment`
  if (context.kind === 'seconds') {
    const rows = { from: `(SELECT stored.* FROM ${joined}) AS stored`, where: [], scope, order: [`${time.sql} DESC`] }
    return { rows, conditions }
  }
  const lined = `SELECT stored.*, ${found} AS ${helpers.found},
    picked.line + row_number() OVER (PARTITION BY ${time.sql} ORDER BY ${found}) - 1 AS ${helpers.position} FROM ${joined}`
  const chosen = `SELECT *, bool_or(${helpers.found}) OVER (${frame(context, unitOf(time), helpers.position)}) AS near
    FROM (${lined})`
  const rows = {
    from: `(SELECT * FROM (${chosen}) WHERE near) AS stored`,
    where: [],
    scope,
    order: [`${time.sql} DESC`, `stored.${helpers.position} DESC`]
  }
  return { rows, conditions }
}

/** A name that no column of the table has. */
function freeName(table: Table, wanted: string): string {
  const taken = new Set(table.columns.map(({ physical }) => physical.toLowerCase()))
  let name = `__${wanted}`
  while (taken.has(name)) name = `_${name}`
  return quoteName(name)
}

/** How far apart rows are: in lines, or in the time index's unit. */
function placeOf({ kind }: Context, { type }: Value): string {
  if (kind === 'lines')
    return 'row_number() OVER (ORDER BY moment, found) AS place, rank() OVER (ORDER BY moment) AS line'
  const ticks = {
    TimestampSecond: 'epoch_ms(moment) // 1000',
    TimestampMillisecond: 'epoch_ms(moment)',
    TimestampMicrosecond: 'epoch_us(moment)',
    TimestampNanosecond: 'epoch_ns(moment)'
  }
  return `CAST(${ticks[type as keyof typeof ticks]} AS BIGINT) AS place, 0 AS line`
}

/** The rows that have this one in their context. */
function frame({ kind, before, after }: Context, unit: ReturnType<typeof unitOf>, place: string): string {
  const per = kind === 'lines' ? 1n : unitsPerSecond[unit]
  return `ORDER BY ${place} RANGE BETWEEN ${BigInt(after) * per} PRECEDING AND ${BigInt(before) * per} FOLLOWING`
}

/** Bounds of the rows that are looked at. */
function reach(writing: Writing, time: Value, query: LogQuery, edges: Edges): string[] {
  const { kind, before, after } = query.context!
  const { parameters } = writing
  const at = (ticks: bigint) => timeSql(parameters, time.type, ticks)
  if (kind === 'seconds') {
    const { first, last } = widened(query.context!, unitOf(time), edges)
    return [`${time.sql} >= ${at(first)}`, `${time.sql} <= ${at(last)}`]
  }
  const edge = (sign: '<' | '>', ticks: bigint, lines: number) => {
    const bounds = [...timeBounds(writing, time, query), `${time.sql} ${sign} ${at(ticks)}`]
    const beyond = `SELECT ${time.sql} AS moment FROM ${place} WHERE ${bounds.join(' AND ')}
      ORDER BY moment ${sign === '<' ? 'DESC' : 'ASC'} LIMIT ${lines}`
    return `coalesce((SELECT ${sign === '<' ? 'min' : 'max'}(moment) FROM (${beyond})), ${at(ticks)})`
  }
  return [`${time.sql} >= ${edge('<', edges.first, before)}`, `${time.sql} <= ${edge('>', edges.last, after)}`]
}

function widened({ before, after }: Context, unit: ReturnType<typeof unitOf>, { first, last }: Edges): Edges {
  const per = unitsPerSecond[unit]
  return { first: first - BigInt(before) * per, last: last + BigInt(after) * per }
}

/** By place of the table: none is read for the rows that pass the filter alone. */
function conditionsOf(table: Table, query: LogQuery, edges: Edges): readonly (Condition | undefined)[] {
  const unit = unitOf({ type: table.timeIndex.type } as Value)
  const range = query.time && timeCondition(query.time, unit)
  if (query.context!.kind === 'lines') return [range, range, range, range]
  const { first, last } = widened(query.context!, unit, edges)
  const near: Condition = { kind: 'time', from: first, to: last + 1n }
  const both: Condition = range === undefined ? near : { kind: 'all', of: [range, near] }
  return [both, both]
}
