// Groups the lines of a range into templates with counts: the engine replaces words with digits and groups by the rest.
import { type SqlQuery, type Table, unitsPerSecond } from '../../../core/index.ts'
import type { Writing } from '../compile/constant.ts'
import { findColumn } from '../compile/expression.ts'
import { readTable } from '../compile/plan.ts'
import { statement, tablePlaceholder } from '../compile/statement.ts'
import { unitOf, type Value } from '../compile/value.ts'
import { wrong } from '../document/node.ts'
import type { LogQuery } from '../document/tree.ts'

/** Limits of patterns; named like the configuration keys. */
export interface PatternLimits {
  /** Lines used, the latest ones. */
  readonly max_pattern_lines: number
  /** Characters used of a line. */
  readonly max_pattern_length: number
  /** Templates that are clustered, the most frequent ones. */
  readonly max_pattern_templates: number
}

/** A word with a digit: number, time, address, identifier. */
const variable = '[A-Za-z_-]*[0-9][0-9A-Za-z_.:%-]*'

/** Throws if the document does not select exactly one text column without steps. */
export function checkPatterns(table: Table, { columns, steps, context, order }: LogQuery): void {
  if (steps.length > 0) throw wrong('$.exprs', 'patterns are made of lines as they are')
  if (order !== undefined) throw wrong('$.order_by', 'the most frequent pattern comes first')
  if (context !== undefined) throw wrong(context.path, 'there is no context of patterns')
  const [column, more] = columns
  if (column === undefined || more !== undefined) throw wrong('$.columns', 'expected the name of one column of texts')
  const { type } = findColumn({ columns: table.columns as never, positions: [] }, column.name, column.path)
  if (type !== 'String') throw wrong(column.path, `needs texts, ${column.name} is ${type}`)
}

/** A statement that counts the lines of the range. */
export function countQuery(writing: Writing, table: Table, query: LogQuery): SqlQuery {
  const { rows, conditions } = readTable(writing, table, query)
  return statement(`SELECT count(*) FROM ${tablePlaceholder}${whereSql(rows.where)}`, table, conditions, writing)
}

/** Columns of the result of `templatesQuery`, in order. */
export const templateColumns = ['template', 'lines', 'first', 'last', 'example', 'cut', 'grouped', 'empty'] as const

/**
 * A statement for the most frequent templates: number of lines, first and last time, the last line, whether some lines were cut; and in each
 * row the number of grouped lines and of lines without text.
 */
export function templatesQuery(writing: Writing, table: Table, query: LogQuery, limits: PatternLimits): SqlQuery {
  const { rows, conditions } = readTable(writing, table, query)
  const text = findColumn(rows.scope, query.columns[0]!.name, query.columns[0]!.path).sql
  const max = limits.max_pattern_length
  const { dialect } = writing
  const lines = `SELECT nullif(${dialect.left(text, String(max))}, '') AS line, ${dialect.length(text)} > ${max} AS goes_on,
    ${rows.scope.time!.sql} AS moment FROM ${tablePlaceholder}${whereSql(rows.where)} LIMIT ${limits.max_pattern_lines}`
  const groups = `SELECT ${dialect.replaceAll('line', dialect.quoteText(variable), "'<*>'")} AS template, count(*) AS lines, min(moment) AS first,
    max(moment) AS last, ${dialect.argMax('line', 'moment')} AS example, ${dialect.anyTrue('goes_on')} AS cut FROM (${lines}) GROUP BY template`
  const empty = 'coalesce(sum(CASE WHEN template IS NULL THEN lines END) OVER (), 0)'
  const sql = `SELECT *, ${dialect.cast('sum(lines) OVER ()', 'Int64')}, ${dialect.cast(empty, 'Int64')}
    FROM (${groups}) ORDER BY lines DESC, template LIMIT ${limits.max_pattern_templates}`
  return statement(sql, table, conditions, writing)
}

/** Nanoseconds per unit of the table's time index. */
export function tickOf({ timeIndex: { type } }: Table): bigint {
  return unitsPerSecond.ns / unitsPerSecond[unitOf({ type } as Value)]
}

function whereSql(where: readonly string[]): string {
  return where.length > 0 ? ` WHERE ${where.join(' AND ')}` : ''
}
