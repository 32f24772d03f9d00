// Compiles a log query to a statement that runs over rows as they are written (live tail).
import type { Follow, SqlQuery, Table } from '../../../core/index.ts'
import { wrong } from '../document/node.ts'
import type { LogQuery } from '../document/tree.ts'
import type { Writing } from './constant.ts'
import { readTable, resultSql, takeSteps } from './plan.ts'
import { statement } from './statement.ts'

/** Texts per row of the answer, if the table has fewer columns; bounds memory, because waiting rows are answered in memory. */
const maxTexts = 16

interface TailPlan {
  readonly query: SqlQuery
  readonly names: readonly string[]
}

/** A time range that ends now has no end in a tail. Throws for queries that need all rows before they can answer. */
export function planTail(writing: Writing, table: Table, query: LogQuery, follow: Follow): TailPlan {
  const step = query.steps.find(({ kind }) => kind === 'aggregate')
  if (step !== undefined) throw wrong(step.path, 'a tail has no AggrFunc: its rows have no end')
  if (query.context !== undefined) throw wrong(query.context.path, 'a tail has no context')
  if (query.order !== undefined) throw wrong('$.order_by', 'a tail gives rows in the order in which they are written')
  if (query.skip > 0) throw wrong('$.limit.skip', 'a tail skips no rows')
  const { rows } = readTable(writing, table, goingOn(query))
  const { from, where, scope } = takeSteps(writing, rows, query.steps)
  const texts = scope.positions.reduce((sum, { growth }) => sum + growth, 0)
  const max = Math.max(maxTexts, table.columns.length)
  if (texts > max) throw wrong('$', `the columns of a tail hold ${texts} columns of the table, more than ${max}`)
  const filtered = where.length > 0 ? ` WHERE ${where.join(' AND ')}` : ''
  const text = `SELECT ${resultSql(writing, scope)} FROM ${from}${filtered}`
  return {
    query: { ...statement(text, table, [], writing), follow },
    names: scope.positions.map(({ name }) => name)
  }
}

function goingOn(query: LogQuery): LogQuery {
  const { time } = query
  if (time?.from === undefined || !time.untilNow) return query
  return { ...query, time: { from: time.from, untilNow: true } }
}
