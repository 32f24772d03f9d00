// Runs a log query: finds the table, compiles, queries the store.
import {
  type Core,
  DbError,
  didYouMean,
  lookAgain,
  parseZone,
  type RecordsAnswer,
  RegexBudget,
  type RequestContext,
  SqlParameters,
  type Table,
  utc
} from '../../core/index.ts'
import type { Writing } from './compile/constant.ts'
import { checkContext, readContext } from './compile/context.ts'
import { type Plan, planRows, readTable } from './compile/plan.ts'
import { findWindows } from './context.ts'
import { type QueryLimits, readQuery } from './document/query.ts'
import type { LogQuery } from './document/tree.ts'
import { asksLast, narrowToLatest } from './latest.ts'

/** Parses a document for a request. */
export function readFor(ctx: RequestContext, text: string | Uint8Array, limits: QueryLimits): LogQuery {
  const zone = parseZone(ctx.timezone) ?? utc
  return readQuery(text, { limits, database: ctx.db, zone, now: BigInt(Date.now()) * 1_000_000n })
}

export async function runQuery({ store }: Pick<Core, 'store'>, ctx: RequestContext, query: LogQuery) {
  const table = await lookAgain(store, async () => findTable(store.seenBy(ctx.user), query))
  checkContext(query)
  const plan = await (query.context === undefined ? planLatest : planContext)(store, ctx, table, query)
  const result = await store.query(ctx, plan.query)
  const answer: RecordsAnswer = {
    kind: 'records',
    columns: result.columns.map(({ type }, i) => ({ name: plan.names[i]!, type })),
    batches: () => result.batches(),
    close: () => result.close()
  }
  return answer
}

/** Throws DatabaseNotFound or TableNotFound; views can only be queried by SQL. */
export function findTable(store: Core['store'], { table: { database, name, path } }: LogQuery): Table {
  if (store.database(database) === undefined) {
    throw new DbError('DatabaseNotFound', `${path}: Database not found: ${database}`)
  }
  const found = store.table(database, name)
  if (found !== undefined) return found
  if (store.view(database, name) !== undefined) {
    throw new DbError('Unsupported', `${path}: ${name} is a view, which only SQL reads`)
  }
  const names = store.tables(database).map(table => table.name)
  throw new DbError('TableNotFound', `${path}: Table not found: svc.${database}.${name}${didYouMean(name, names)}`)
}

function planTable(store: Core['store'], ctx: RequestContext, table: Table, query: LogQuery): Plan {
  const writing = writingFor(store, ctx)
  const source = readTable(writing, table, query)
  if (!asksLast(query)) return planRows(writing, table, query, source)
  const last = { kind: 'last', rows: query.skip + query.fetch } as const
  return planRows(writing, table, query, { ...source, conditions: [last] })
}

async function planLatest(store: Core['store'], ctx: RequestContext, table: Table, query: LogQuery): Promise<Plan> {
  return planTable(store, ctx, table, await narrowToLatest(store, ctx, table, query, writingFor(store, ctx)))
}

/** Context is planned in two steps, because it depends on the rows found. */
async function planContext(store: Core['store'], ctx: RequestContext, table: Table, query: LogQuery): Promise<Plan> {
  const windows = await findWindows(store, ctx, table, query, () => writingFor(store, ctx))
  if (windows === undefined) return planTable(store, ctx, table, { ...query, fetch: 0, skip: 0 })
  const writing = writingFor(store, ctx)
  return planRows(writing, table, query, readContext(writing, table, query, windows))
}

export function writingFor({ dialect }: Pick<Core['store'], 'dialect'>, { timezone }: RequestContext): Writing {
  return { parameters: new SqlParameters(), dialect, zone: parseZone(timezone) ?? utc, regexes: new RegexBudget() }
}
