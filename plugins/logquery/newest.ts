// The newest rows of a large table are found by their times first: only where those lie are all columns read.
import { type Core, convertTime, isValid, type RequestContext, type SqlQuery, type Table } from '../../core/index.ts'
import type { Writing } from './compile/constant.ts'
import { oldestQuery } from './compile/plan.ts'
import { unitOf, type Value } from './compile/value.ts'
import type { LogQuery } from './document/tree.ts'

/** Bytes at rest below which a second look costs more than it saves. */
const large = 2 ** 20

/** The query over as much time as its answer can come from. */
export async function narrowToNewest(
  store: Core['store'],
  ctx: RequestContext,
  table: Table,
  query: LogQuery,
  writing: Writing
): Promise<LogQuery> {
  const needsAll =
    query.order !== undefined || query.steps.some(({ kind }) => kind === 'aggregate' || kind === 'filter')
  if (needsAll || query.skip + query.fetch === 0 || store.statistics(table).bytes < large) return query
  const [oldest] = await readNumbers(store, ctx, oldestQuery(writing, table, query))
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
