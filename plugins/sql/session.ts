// The state that the statements of one request share, and how one of them reads.
import {
  isDbError,
  isValid,
  type Limit,
  Pace,
  parseZone,
  type QueryResult,
  type RecordsAnswer,
  type RequestContext,
  type ResultColumn,
  type SqlQuery,
  type Store,
  utc,
  type Zone
} from '../../core/index.ts'
import type { FlowsService, PromqlService, SlowQueryService } from '../services.ts'
import type { Sources } from './catalog/information/table.ts'
import { visibleProcesses } from './catalog/process-rows.ts'
import type { SqlParser } from './grammar/parser.ts'
import type { Processes } from './process.ts'
import { shiftRelation } from './query/edit.ts'
import { engineZone } from './query/engine-zone.ts'
import { explainFailure } from './query/failure.ts'
import { makeNames, type Names } from './query/names.ts'
import { type ResolveContext, type ResolvedQuery, resolveQuery } from './query/resolve.ts'
import { resolveTables } from './query/resolve-tables.ts'
import type { TqlRunner } from './query/tql-table.ts'
import type { TqlStatement } from './statement/statement.ts'
import type { Token } from './text/token.ts'

export interface Session {
  readonly store: Store
  readonly parser: SqlParser
  /** Changed by USE and SET for the statements behind. */
  readonly ctx: RequestContext
  readonly sql: string
  /** The zone of requests that name none: `default_timezone`. */
  readonly defaultZone: string
  /** Rows one DELETE may hide. */
  readonly deleteLimit: number
  /** Bytes that constants may ask one value to be made of. */
  readonly valueLimit: Limit
  /** Where `COPY` may read and write. */
  readonly exportFolder: string
  readonly processes: Processes
  /** Records slow statements; undefined without the plugin. */
  readonly slowquery: SlowQueryService | undefined
  /** Who keeps flows; none without the plugin. */
  readonly flows: () => FlowsService | undefined
  /** For TQL; absent without the plugin. */
  readonly promql?: PromqlService
  /** Runs TQL that a query holds. */
  readonly evaluate: (session: Session, statement: TqlStatement) => Promise<RecordsAnswer>
  /** Rows that the TQL in one query may give. */
  readonly tqlLimit: number
  readonly system: Pick<Sources, 'metrics' | 'startedAt'>
  /** Full names of views that must not be met, because one of them is being defined. */
  readonly views?: readonly string[]
  /** Tables of a statement's own, by names no user can write. */
  readonly given?: ResolveContext['given']
}

/** A query that is safe to run. */
interface QueryPlan {
  readonly query: SqlQuery
  /** The statement as it was written. */
  readonly tokens: readonly Token[]
  /** Whether our grammar has not read it: the words of the engine's errors are those of the statement. */
  readonly isForeign?: true
  /** Where the user wrote what stands at an offset of the query's text. */
  readonly sourceOf: (at: number) => number | undefined
  /** The engine's names of columns, and for errors the names that exist. */
  readonly names: Names
  readonly valid: ReadonlyMap<string, readonly string[]>
  readonly isTime: (start: number) => boolean
}

/** How often a query is planned because tables changed under it. */
const maxPlans = 5

/** Runs a query; its rows come as they are read. With `explain`, an EXPLAIN with its options, it is the plan. */
export async function runQuery(session: Session, tokens: readonly Token[], explain?: string): Promise<ReadAnswer> {
  for (let planned = 1; ; planned++) {
    const plan = await planQuery(session, tokens)
    try {
      return await runPlan(session, explain === undefined ? plan : { ...plan, query: { ...plan.query, explain } })
    } catch (error) {
      if (planned === maxPlans || !isDbError(error) || error.code !== 'RequestOutdated') throw error
    }
  }
}

/** The columns of a query, without its rows; whoever asks need not have the right to read. */
export async function queryColumns(session: Session, tokens: readonly Token[]): Promise<readonly ResultColumn[]> {
  const plan = await planQuery(session, tokens, 'SELECT * FROM (', ') AS planned LIMIT 0')
  const answer = await runPlan(privileged(session), plan)
  answer.close?.()
  return answer.columns
}

/** For reads a statement does on its own account. */
export function privileged(session: Session): Session {
  return { ...session, ctx: { ...session.ctx, user: { ...session.ctx.user, mode: 'rw' } } }
}

/** The zone of the request, in which times without one are. */
export function zoneOf({ ctx }: Pick<Session, 'ctx'>): Zone {
  return parseZone(ctx.timezone) ?? utc
}

/** What information_schema tells whoever asks. */
export function sourcesOf(session: Session): Sources {
  const { store, ctx, system } = session
  const metrics = ctx.user.databases === undefined ? system.metrics : async () => ''
  const flows = (database: string) => session.flows()?.list(database) ?? []
  return { ...system, metrics, store, processes: () => visibleProcesses(session), flows }
}

/** Checks a query without running it. */
export async function planQuery(
  session: Session,
  tokens: readonly Token[],
  prefix = '',
  suffix = ''
): Promise<QueryPlan> {
  const { store, parser, ctx, sql, views, given } = session
  const context = {
    ...{ store, db: ctx.db, sql, sources: sourcesOf(session), pace: new Pace(ctx) },
    ...(views && { views }),
    ...(given && { given })
  }
  /** The text between prefix and suffix, and where it came from. */
  const inside = ({ text, relations, sourceOf }: Pick<ResolvedQuery, 'text' | 'relations' | 'sourceOf'>) => ({
    text: prefix + text + suffix,
    relations: relations.map(relation => shiftRelation(relation, prefix.length)),
    sourceOf: (at: number) => sourceOf(Math.max(0, at - prefix.length))
  })
  if (store.dialect.name !== 'duckdb') {
    const { sourceOf, ...resolved } = inside(await resolveTables(context, tokens))
    const plan = ownPlan({ kind: 'sql', ...resolved, timezone: engineZone(ctx.timezone, []) })
    return { ...plan, tokens, isForeign: true, sourceOf }
  }
  const tql: TqlRunner = {
    run: (statement, db) => session.evaluate({ ...session, ctx: { ...ctx, db } }, statement),
    limit: session.tqlLimit
  }
  const ask: ResolveContext['ask'] = async (context, asked) => {
    const views = context.views && { views: context.views }
    const answer = await runQuery({ ...session, ctx: { ...ctx, db: context.db }, sql: context.sql, ...views }, asked)
    return { columns: answer.columns.map(({ name }) => name), rows: await readRows(answer) }
  }
  const { valueLimit } = session
  const read = await resolveQuery({ ...context, parser, ctx, zone: zoneOf(session), tql, valueLimit, ask }, tokens)
  const { sourceOf, ...resolved } = inside(read)
  const query: SqlQuery = { kind: 'sql', ...resolved, timezone: engineZone(ctx.timezone, tokens), valueLimit }
  return { query, tokens, sourceOf, names: read.names, valid: read.valid, isTime: read.isTime }
}

/** The plan of a query a statement makes itself. */
export function ownPlan(query: SqlQuery): QueryPlan {
  return { query, tokens: [], sourceOf: () => undefined, names: makeNames([]), valid: new Map(), isTime: () => false }
}

/** The rows of a query, and how they are read. */
type ReadAnswer = RecordsAnswer & Pick<QueryResult, 'reading'>

export async function runPlan({ store, ctx, sql }: Session, plan: QueryPlan): Promise<ReadAnswer> {
  const { shown } = plan.names
  const result = await store.query(ctx, plan.query).catch(error => explainFailure(error, sql, plan))
  return {
    kind: 'records',
    columns: result.columns.map(({ name, type }) => ({ name: shown.get(name) ?? name, type })),
    async *batches() {
      try {
        yield* result.batches()
      } catch (error) {
        explainFailure(error, sql, plan)
      }
    },
    close: () => result.close(),
    ...(result.reading && { reading: result.reading })
  }
}

/** All values of an answer, row by row. For few rows. */
export async function readRows(answer: RecordsAnswer): Promise<unknown[][]> {
  const rows: unknown[][] = []
  for await (const { rows: count, columns } of answer.batches()) {
    for (let i = 0; i < count; i++) {
      rows.push(columns.map(({ values, valid }) => (isValid(valid, i) ? values[i] : null)))
    }
  }
  return rows
}
