// Runs the statements of a request one after the other; each sees what those before it did.
import { type Answer, authorise, DbError, lookAgain, Pace, parseZone, type RequestContext } from '../../core/index.ts'
import { admin, kill } from './admin.ts'
import { alterTable } from './catalog/alter.ts'
import {
  alterDatabase,
  comment,
  createDatabase,
  createTable,
  createTableLike,
  dropDatabase,
  dropTables,
  truncate
} from './catalog/change.ts'
import { createTableAs } from './catalog/create-as.ts'
import { findDatabase, informationSchema, isInformationSchema } from './catalog/name.ts'
import { createRowQuota, holdAnswer, rowsAnswer } from './catalog/rows.ts'
import { show } from './catalog/show.ts'
import { describe, describeQuery } from './catalog/show-table.ts'
import { createView, dropViews } from './catalog/view.ts'
import { copy } from './copy/copy.ts'
import { createFlow, dropFlow } from './flow/flow.ts'
import { explain } from './query/explain.ts'
import { runQuery, type Session } from './session.ts'
import type { Parsed } from './statement/parse.ts'
import type { Statement } from './statement/statement.ts'
import { runTql } from './tql.ts'
import { deleteRows } from './write/delete.ts'
import { insert } from './write/insert.ts'

/** The plugin's options. */
export interface SqlOptions {
  readonly max_sql_length: number
  readonly max_sql_tokens: number
  readonly delete_limit: number
  readonly value_limit: number
  readonly tql_table_limit: number
}

/** The answers of all statements in order. Stops at the first that fails; what those before it did stays done. */
export async function execute(first: Session, statements: readonly Parsed[]): Promise<Answer[]> {
  const answers: Answer[] = []
  const room = createRowQuota()
  const pace = new Pace(first.ctx)
  let session = first
  for (const [i, parsed] of statements.entries()) {
    // Thousands of statements may be answered without waiting for anything.
    if (pace.isDue) await pace.pause()
    const { statement, tokens } = parsed
    const text = session.sql.slice(tokens[0]!.start, tokens.at(-1)!.end)
    const current = session
    const work = () => lookAgain(current.store, () => run(current, statement))
    const answer = await (session.slowquery?.watch(session.ctx, text, work) ?? work())
    const last = i === statements.length - 1
    answers.push(answer.kind === 'records' && !last ? await holdAnswer(answer, room) : answer)
    session = { ...session, ctx: next(session, statement) }
  }
  return answers
}

async function run(session: Session, statement: Statement): Promise<Answer> {
  for (const right of rightsFor(statement)) authorise(session.ctx.user, right)
  switch (statement.kind) {
    case 'query':
      return runQuery(session, statement.tokens)
    case 'explain':
      return explain(session, statement)
    case 'describe_table':
      return describe(session, statement.name)
    case 'describe_query':
      return describeQuery(session, statement.query.tokens)
    case 'show':
      return show(session, statement)
    case 'use':
    case 'set_time_zone':
      return statement.kind === 'use' ? rowsAnswer([], []) : { kind: 'affected', rows: 0 }
    case 'admin':
      return admin(session, statement)
    case 'tql':
      return runTql(session, statement)
  }
  const rows = writesRows.has(statement.kind) ? change(session, statement) : changeSchema(session, statement)
  return { kind: 'affected', rows: await rows }
}

/** Statements that change rows only; the log waits for the tables that its records name. */
const writesRows: ReadonlySet<Statement['kind']> = new Set(['insert', 'delete', 'copy', 'kill'])

/** Changes of other requests may be visible before they are durable. No answer relies on one before that, not even that something exists or not. */
async function changeSchema(session: Session, statement: Change): Promise<number> {
  try {
    return await change(session, statement)
  } finally {
    await session.store.durable()
  }
}

/** The permission a user needs before an answer says anything of what the statement names; subqueries are checked by themselves. */
function rightsFor(statement: Statement): readonly ('read' | 'write')[] {
  switch (statement.kind) {
    case 'query':
    case 'explain':
    case 'describe_table':
    case 'describe_query':
    case 'show':
    case 'tql':
      return ['read']
    case 'copy':
      return statement.direction === 'to' ? ['write', 'read'] : ['write']
    case 'create_flow':
    case 'create_table_as':
      return ['write', 'read']
    case 'insert':
      return statement.source.kind === 'values' ? ['write'] : ['write', 'read']
    // Which rows a condition finds tells what they hold.
    case 'delete':
      return statement.where.length === 0 ? ['write'] : ['write', 'read']
    // For the statements behind it, which ask for their own.
    case 'use':
    case 'set_time_zone':
      return []
  }
  return ['write']
}

type Reading =
  | 'query'
  | 'explain'
  | 'describe_table'
  | 'describe_query'
  | 'show'
  | 'use'
  | 'set_time_zone'
  | 'admin'
  | 'tql'
type Change = Exclude<Statement, { kind: Reading }>

/** Statements that answer with a number of rows. */
function change(session: Session, statement: Change): Promise<number> {
  switch (statement.kind) {
    case 'insert':
      return insert(session, statement)
    case 'delete':
      return deleteRows(session, statement)
    case 'truncate':
      return truncate(session, statement)
    case 'copy':
      return copy(session, statement)
    case 'create_table':
      return createTable(session, statement)
    case 'create_flow':
      return createFlow(session, statement)
    case 'drop_flow':
      return dropFlow(session, statement.name, statement.ifExists)
    case 'create_table_as':
      return createTableAs(session, statement)
    case 'create_table_like':
      return createTableLike(session, statement)
    case 'alter_table':
      return alterTable(session, statement)
    case 'drop_table':
      return dropTables(session, statement)
    case 'create_view':
      return createView(session, statement)
    case 'drop_view':
      return dropViews(session, statement)
    case 'create_database':
      return createDatabase(session, statement)
    case 'alter_database':
      return alterDatabase(session, statement)
    case 'drop_database':
      return dropDatabase(session, statement)
    case 'comment':
      return comment(session, statement)
    case 'kill':
      return kill(session, statement.id)
  }
}

/** The context of the statements behind this one. */
function next({ store, ctx }: Session, statement: Statement): RequestContext {
  if (statement.kind === 'use') {
    if (isInformationSchema(statement.database)) return { ...ctx, db: informationSchema }
    if (store.database(statement.database.text) === undefined) {
      throw new DbError('InvalidArguments', `Failed to find schema, schema info: ${statement.database.text}`)
    }
    return { ...ctx, db: findDatabase(store, statement.database).name }
  }
  if (statement.kind === 'set_time_zone') {
    const zone = parseZone(statement.zone)
    if (zone !== undefined) return { ...ctx, timezone: zone.name }
    throw new DbError(
      'InvalidArguments',
      `unknown time zone ${statement.zone}, expected an IANA name such as Europe/Berlin, an offset such as +02:00, or SYSTEM`
    )
  }
  return ctx
}
