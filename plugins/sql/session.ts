// What the statements of one request share, and how one of them reads.
import {
  DbError,
  isDbError,
  parseZone,
  type RecordsAnswer,
  type Relation,
  type RequestContext,
  type SqlQuery,
  type Store,
  utc
} from '../../core/index.ts'
import type { SqlParser } from './grammar/parser.ts'
import { confine } from './query/confine.ts'
import { engineZone } from './query/time-text.ts'
import { errorAt, type Token, tokenText } from './text/token.ts'

export interface Session {
  readonly store: Store
  readonly parser: SqlParser
  /** Changed by USE and SET for the statements behind. */
  readonly ctx: RequestContext
  readonly sql: string
  /** Rows one DELETE may hide. */
  readonly deleteLimit: number
}

/** A query that is safe to run. */
export interface QueryPlan {
  readonly query: SqlQuery
  /** What it was written as. */
  readonly tokens: readonly Token[]
  /** Names of columns to show instead of the engine's. */
  readonly names: ReadonlyMap<string, string>
}

/** Runs a query; its rows come as they are read. `prefix` goes before its text. */
export async function runQuery(session: Session, tokens: readonly Token[], prefix = ''): Promise<RecordsAnswer> {
  return runPlan(session, await planQuery(session, tokens, prefix))
}

/** Checks a query without running it. */
export async function planQuery(
  { store, parser, ctx, sql }: Session,
  tokens: readonly Token[],
  prefix = ''
): Promise<QueryPlan> {
  const zone = parseZone(ctx.timezone) ?? utc
  const { text, relations, names } = await confine({ store, parser, db: ctx.db, sql, zone }, tokens)
  const query: SqlQuery = {
    kind: 'sql',
    text: prefix + text,
    relations: relations.map(relation => shift(relation, prefix.length)),
    timezone: engineZone(ctx.timezone)
  }
  return { query, tokens, names }
}

export async function runPlan(
  { store, ctx, sql }: Session,
  { query, tokens, names }: QueryPlan
): Promise<RecordsAnswer> {
  const result = await store.query(ctx, query).catch(error => explainFailure(error, sql, tokens))
  return {
    kind: 'records',
    columns: result.columns.map(({ name, type }) => ({ name: names.get(name) ?? name, type })),
    batches: () => result.batches(),
    close: () => result.close()
  }
}

function shift(relation: Relation, by: number): Relation {
  return { ...relation, start: relation.start + by, end: relation.end + by }
}

/** Planning errors in the words of this server, errors of syntax with their place. */
function explainFailure(error: unknown, sql: string, tokens: readonly Token[]): never {
  if (isDbError(error) && error.code === 'InvalidSyntax') throw placed(error, sql, tokens)
  if (!isDbError(error) || error.code !== 'PlanQuery') throw error
  const field = /Referenced column "(.*?)" not found in FROM clause!?(?:\s*Candidate bindings: (.*))?/s.exec(
    error.message
  )
  const text =
    field === null ? error.message : `No field named ${field[1]}.${field[2] ? ` Valid fields are ${field[2]}` : ''}`
  throw new DbError('PlanQuery', `Failed to plan SQL: ${text}`, { cause: error })
}

/** The engine read another text than the user wrote: what it stumbled over is found again where it stands only once. */
function placed(error: DbError, sql: string, tokens: readonly Token[]): DbError {
  const near = /^Parser Error: syntax error at or near "(.*)"$/s.exec(error.message)?.[1]
  const [token, ...others] = tokens.filter(other => tokenText(other) === near)
  if (token === undefined || others.length > 0) return error
  return errorAt(sql, token.start, `syntax error at ${near}`)
}

/** All values of an answer, row by row. For few rows. */
export async function readRows(answer: RecordsAnswer): Promise<unknown[][]> {
  const rows: unknown[][] = []
  for await (const { rows: count, columns } of answer.batches()) {
    for (let i = 0; i < count; i++) {
      rows.push(
        columns.map(({ values, valid }) => (valid === undefined || valid[i >> 3]! & (1 << (i & 7)) ? values[i] : null))
      )
    }
  }
  return rows
}
