// Runs the statements of a request one after the other; each sees what those before it did.
import { type Answer, authorise, lookAgain, Pace, parseZone, type RequestContext } from '../../core/index.ts'
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
import { invalid } from './error.ts'
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
  const { rights, changesSchema, answer } = kinds[statement.kind] as Kind<Statement>
  for (const right of rights(statement)) authorise(session.ctx.user, right)
  try {
    const answered = await answer(session, statement)
    return typeof answered === 'number' ? { kind: 'affected', rows: answered } : answered
  } finally {
    // Changes of other requests may be visible before they are durable: no answer relies on one before that, not even that something exists.
    if (changesSchema) await session.store.durable()
  }
}

type Rights = readonly ('read' | 'write')[]

/** How statements of a kind run. */
interface Kind<S> {
  /** The permissions a user needs before an answer says anything of what the statement names; subqueries are checked by themselves. */
  readonly rights: (statement: S) => Rights
  readonly changesSchema: boolean
  /** Rows, or how many were changed. */
  readonly answer: Answers<S>
}

type Answers<S> = (session: Session, statement: S) => Answer | number | Promise<Answer | number>

const [none, read, write, both]: readonly [Rights, Rights, Rights, Rights] = [
  [],
  ['read'],
  ['write'],
  ['write', 'read']
]

const reads = <S>(answer: Answers<S>): Kind<S> => ({ rights: () => read, changesSchema: false, answer })

/** Statements that change rows only: the log waits for the tables that its records name. */
const changes = <S>(answer: Answers<S>, rights = (_: S) => write): Kind<S> => ({ rights, changesSchema: false, answer })

const changesCatalog = <S>(answer: Answers<S>, rights = write): Kind<S> => ({
  rights: () => rights,
  changesSchema: true,
  answer
})

const kinds: { readonly [K in Statement['kind']]: Kind<Extract<Statement, { kind: K }>> } = {
  query: reads((session, { tokens }) => runQuery(session, tokens)),
  explain: reads(explain),
  describe_table: reads((session, { name }) => describe(session, name)),
  describe_query: reads((session, { query }) => describeQuery(session, query.tokens)),
  show: reads(show),
  tql: reads(runTql),
  admin: changes(admin),
  kill: changes((session, { id }) => kill(session, id)),
  // The statements behind these two ask for their own.
  use: changes(
    () => rowsAnswer([], []),
    () => none
  ),
  set_time_zone: changes(
    () => 0,
    () => none
  ),
  insert: changes(insert, ({ source }) => (source.kind === 'values' ? write : both)),
  // Which rows a condition finds tells what they hold.
  delete: changes(deleteRows, ({ where }) => (where.length === 0 ? write : both)),
  copy: changes(copy, ({ direction }) => (direction === 'to' ? both : write)),
  truncate: changesCatalog(truncate),
  comment: changesCatalog(comment),
  create_table: changesCatalog(createTable),
  create_table_as: changesCatalog(createTableAs, both),
  create_table_like: changesCatalog(createTableLike),
  alter_table: changesCatalog(alterTable),
  drop_table: changesCatalog(dropTables),
  create_view: changesCatalog(createView),
  drop_view: changesCatalog(dropViews),
  create_flow: changesCatalog(createFlow, both),
  drop_flow: changesCatalog((session, { name, ifExists }) => dropFlow(session, name, ifExists)),
  create_database: changesCatalog(createDatabase),
  alter_database: changesCatalog(alterDatabase),
  drop_database: changesCatalog(dropDatabase)
}

/** The context of the statements behind this one. */
function next({ store, ctx }: Session, statement: Statement): RequestContext {
  if (statement.kind === 'use') {
    if (isInformationSchema(statement.database)) return { ...ctx, db: informationSchema }
    if (store.database(statement.database.text) === undefined) {
      throw invalid(`Failed to find schema, schema info: ${statement.database.text}`)
    }
    return { ...ctx, db: findDatabase(store, statement.database).name }
  }
  if (statement.kind === 'set_time_zone') {
    const zone = parseZone(statement.zone)
    if (zone !== undefined) return { ...ctx, timezone: zone.name }
    throw invalid(
      `unknown time zone ${statement.zone}, expected an IANA name such as Europe/Berlin, an offset such as +02:00, or SYSTEM`
    )
  }
  return ctx
}
