// Queries for the latest rows of a large table: first finds the range of time they lie in, then reads all columns only there.
import {
  type Condition,
  type Core,
  convertTime,
  isValid,
  type RequestContext,
  type SqlQuery,
  type Table
} from '../../core/index.ts'
import type { Writing } from './compile/constant.ts'
import { conditionOf, oldestQuery } from './compile/plan.ts'
import { unitOf, type Value } from './compile/value.ts'
import type { LogQuery } from './document/tree.ts'

/** In smaller tables (bytes in files) the extra query costs more than it saves. */
const large = 2 ** 20

/** Whether it asks for the last rows without a filter; the engine finds these by itself. */
export function asksLast(query: LogQuery): boolean {
  return !needsAll(query) && query.time === undefined && query.filter === undefined
}

function needsAll({ order, steps }: LogQuery): boolean {
  return order !== undefined || steps.some(({ kind }) => kind === 'aggregate' || kind === 'filter')
}

/** Whether it requires a value of a column with a skipping index. Such a value has few rows, which are read at once. */
function isSelective(table: Table, condition: Condition | undefined): boolean {
  if (condition?.kind === 'all') return condition.of.some(each => isSelective(table, each))
  if (condition?.kind !== 'equals') return false
  return table.columns.find(({ name }) => name === condition.column)?.index?.kind === 'skipping'
}

/** The query, restricted to the range of time its answer can come from. */
export async function narrowToLatest(
  store: Core['store'],
  ctx: RequestContext,
  table: Table,
  query: LogQuery,
  writing: Writing
): Promise<LogQuery> {
  if (needsAll(query) || asksLast(query) || query.skip + query.fetch === 0 || store.statistics(table).bytes < large)
    return query
  if (isSelective(table, conditionOf(table, query))) return query
  return narrowTo(store, ctx, table, query, query.skip + query.fetch, writing)
}

/** The query, restricted to the range of time that contains the latest `rows` rows it finds, with all rows of the oldest time. */
export async function narrowTo(
  store: Core['store'],
  ctx: RequestContext,
  table: Table,
  query: LogQuery,
  rows: number,
  writing: Writing
): Promise<LogQuery> {
  const [oldest] = await readNumbers(store, ctx, oldestQuery(writing, table, query, rows))
  if (oldest === undefined) return { ...query, skip: 0, fetch: 0 }
  const from = convertTime(oldest, unitOf({ type: table.timeIndex.type } as Value), 'ns')
  return { ...query, time: { untilNow: false, ...query.time, from } }
}

/** All numbers of a result, row by row. */
export async function readNumbers(store: Core['store'], ctx: RequestContext, query: SqlQuery): Promise<bigint[]> {
  const numbers: bigint[] = []
  const result = await store.query(ctx, query)
  for await (const { rows, columns } of result.batches()) {
    for (let row = 0; row < rows; row++) {
      for (const { values, valid } of columns) if (isValid(valid, row)) numbers.push(BigInt(values[row] as bigint))
    }
  }
  return numbers
}
