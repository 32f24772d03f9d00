// Runs the statements of a request one after the other; each sees what those before it did.
import {
  type Answer,
  authorise,
  DbError,
  parseZone,
  type RecordsAnswer,
  type RequestContext
} from '../../core/index.ts'
import { createDatabase, createTable, dropDatabase, dropTables } from './catalog/change.ts'
import { findDatabase, informationSchema, isInformationSchema, lookUpTable } from './catalog/name.ts'
import { holdAnswer, rowsAnswer } from './catalog/rows.ts'
import { describe, show } from './catalog/show.ts'
import { explain } from './query/explain.ts'
import { runQuery, type Session } from './session.ts'
import type { Parsed } from './statement/parse.ts'
import type { Statement } from './statement/statement.ts'
import { tokenize } from './text/token.ts'
import { deleteRows } from './write/delete.ts'
import { insert } from './write/insert.ts'

/** The plugin's options. */
export interface SqlOptions {
  readonly delete_limit: number
}

/** The answers of all statements in order. Stops at the first that fails; what those before it did stays done. */
export async function execute(first: Session, statements: readonly Parsed[]): Promise<Answer[]> {
  const answers: Answer[] = []
  let session = first
  for (const [i, { statement }] of statements.entries()) {
    const answer = await run(session, statement)
    const last = i === statements.length - 1
    answers.push(answer.kind === 'records' && !last ? await holdAnswer(answer) : answer)
    session = { ...session, ctx: next(session, statement) }
  }
  return answers
}

async function run(session: Session, statement: Statement): Promise<Answer> {
  switch (statement.kind) {
    case 'query':
      return runQuery(session, statement.tokens)
    case 'explain':
      return explain(session, statement)
    case 'insert':
      return { kind: 'affected', rows: await insert(session, statement) }
    case 'delete':
      return { kind: 'affected', rows: await deleteRows(session, statement) }
    case 'create_table':
      return { kind: 'affected', rows: await createTable(session, statement) }
    case 'create_database':
      return { kind: 'affected', rows: await createDatabase(session, statement) }
    case 'drop_table':
      return { kind: 'affected', rows: await dropTables(session, statement) }
    case 'drop_database':
      return { kind: 'affected', rows: await dropDatabase(session, statement) }
    case 'describe_table':
      return describe(session, statement.name)
    case 'show':
      return show(session, statement)
    case 'use':
    case 'set_time_zone':
      authorise(session.ctx.user, 'write')
      return statement.kind === 'use' ? rowsAnswer([], []) : { kind: 'affected', rows: 0 }
    case 'admin':
      return admin(session, statement)
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

type Admin = Extract<Statement, { kind: 'admin' }>

async function admin({ store, ctx }: Session, statement: Admin): Promise<RecordsAnswer> {
  authorise(ctx.user, 'write')
  const { call, args } = statement
  if (call === 'flush_table' && args.length === 1) {
    const name = tokenize(args[0]!).flatMap(({ kind, value }) =>
      kind === 'symbol' ? [] : [{ text: value, quoted: kind === 'quoted' }]
    )
    const table = name.length > 0 ? lookUpTable(store, ctx.db, name) : undefined
    if (table === undefined) throw new DbError('TableNotFound', `Table not found: ${args[0]}`)
    await store.maintain(ctx, { kind: 'flush', table })
  } else if (call === 'flush' && args.length === 0) await store.maintain(ctx, { kind: 'flush' })
  else {
    throw new DbError(
      'Unsupported',
      `ADMIN ${call} with ${args.length} arguments is not supported, there are flush_table('name') and flush()`
    )
  }
  return rowsAnswer([[statement.text, 'UInt64']], [[0n]])
}
