// Statements about flows: what they say goes to the plugin that keeps flows.
import { enabledService, type RecordsAnswer } from '../../../core/index.ts'
import type { FlowsService } from '../../services.ts'
import { definitions } from '../catalog/create-as.ts'
import { fullName, resolveName } from '../catalog/name.ts'
import { rowsAnswer } from '../catalog/rows.ts'
import { invalid } from '../error.ts'
import { queryColumns, type Session } from '../session.ts'
import type { CreateFlow } from '../statement/statement.ts'
import { quoteName, quoteText } from '../text/token.ts'
import { checkSink, flowQuery } from './windows.ts'

function required({ flows }: Session): FlowsService {
  return enabledService(flows(), 'flows', 'a flow')
}

/** Returns the affected rows: none. The table rows go to is made where there is none; it is filled before the answer. */
export async function createFlow(session: Session, statement: CreateFlow): Promise<number> {
  const { store, ctx, sql } = session
  const flows = required(session)
  // A statement about one that exists needs no query. Another request may make one meanwhile: the service looks again.
  const exists = flows.list(ctx.db).some(({ name }) => name === statement.name)
  if (exists && statement.ifNotExists) return 0
  if (exists && !statement.replace) throw invalid(`flow ${statement.name} exists already`)
  const { tokens } = statement.query
  const query = flowQuery(session, tokens)
  const columns = await queryColumns(session, tokens)
  const names = columns.map(({ name }) => name)
  const { database, table } = resolveName(store, ctx.db, statement.sink)
  if (store.view(database, table.text) !== undefined) {
    throw invalid(`${fullName(database, table.text)} is a view: it can be read only`)
  }
  if (database === query.source.database && table.text === query.source.table) {
    throw invalid('CREATE FLOW: its rows cannot go to the table it reads')
  }
  if (store.table(database, table.text) === undefined) {
    const primaryKey = query.keys.map(key => names[key]!)
    const written = definitions(columns, { primaryKey, timeIndex: names[query.windowColumn] })
    await store.createTable(ctx, { database, name: table.text, columns: written, options: {} }, 'keep')
  }
  checkSink(store.table(database, table.text)!, columns, query)
  const definition = {
    database: ctx.db,
    name: statement.name,
    sink: { database, table: table.text },
    columns: names,
    query,
    text: sql.slice(tokens[0]!.start, tokens.at(-1)!.end),
    timezone: ctx.timezone,
    expireAfter: statement.expireAfter,
    comment: statement.comment,
    createdAt: Date.now()
  }
  await flows.create(ctx, definition, statement.replace ? 'replace' : statement.ifNotExists ? 'keep' : 'refuse')
  return 0
}

export async function dropFlow(session: Session, name: string, ifExists: boolean): Promise<number> {
  const flows = required(session)
  const found = flows.list(session.ctx.db).some(flow => flow.name === name)
  if (!found && !ifExists) throw invalid(`there is no flow ${name} in ${session.ctx.db}`)
  // Also where there is none: another request may be dropping it.
  await flows.drop(session.ctx, session.ctx.db, name)
  return 0
}

export function showCreateFlow(session: Session, name: string): RecordsAnswer {
  const flow = required(session)
    .list(session.ctx.db)
    .find(each => each.name === name)
  if (flow === undefined) throw invalid(`there is no flow ${name} in ${session.ctx.db}`)
  const lines = [
    `CREATE FLOW IF NOT EXISTS ${quoteName(flow.name)}`,
    `SINK TO ${quoteName(flow.sink.database)}.${quoteName(flow.sink.table)}`,
    ...(flow.expireAfter === undefined ? [] : [`EXPIRE AFTER '${flow.expireAfter / 1000} s'`]),
    ...(flow.comment === undefined ? [] : [`COMMENT ${quoteText(flow.comment)}`]),
    `AS ${flow.text}`
  ]
  return rowsAnswer(['Flow', 'Create Flow'], [[name, lines.join('\n')]])
}

/** Waits until all rows that were written before are in the table the flow fills. */
export async function flushFlow(session: Session, name: string): Promise<bigint> {
  await required(session).flush(session.ctx, session.ctx.db, name)
  return 0n
}
