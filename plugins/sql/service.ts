// Shared by the two servers and other plugins: the grammar's thread, the list of running statements, and how a request's statements run.
import { type Core, exportFolder, Pace, type RequestContext, runPaced } from '../../core/index.ts'
import type { FlowsService, PromqlService, SlowQueryService, SqlQueryService } from '../services.ts'
import { invalid } from './error.ts'
import { execute, type SqlOptions } from './execute.ts'
import { type SqlParser, startParser } from './grammar/parser.ts'
import { createProcesses, type Processes } from './process.ts'
import { planQuery, runQuery, type Session } from './session.ts'
import { parseStatements } from './statement/parse.ts'
import { fillParameters, parametersOf } from './text/parameters.ts'
import { type Token, tokenize } from './text/token.ts'
import { evaluateTql } from './tql.ts'
import { replaceRows } from './write/replace.ts'
import { findTarget } from './write/target.ts'

export interface SqlService extends SqlQueryService {
  readonly parser: SqlParser
  readonly processes: Processes
  /** The session of this text; `ctx` is that of a process. */
  session(ctx: RequestContext, sql: string): Session
  close(): Promise<void>
}

/** The plugins that SQL uses where they are on. */
interface SqlUses {
  readonly promql?: PromqlService | undefined
  readonly slowquery?: SlowQueryService | undefined
}

export function startService(core: Core, options: SqlOptions, { promql, slowquery }: SqlUses): SqlService {
  const { store, config, metrics, startedAt } = core
  const backslashes = store.dialect.backslashEscapes
  const read = (text: string) => tokenize(text, undefined, backslashes)
  const parser = startParser()
  const processes = createProcesses()
  const files = exportFolder(config.storage.data_home)
  let flows: FlowsService | undefined
  const session = (ctx: RequestContext, sql: string): Session => ({
    ...{ store: store.seenBy(ctx.user), parser, ctx, sql, processes, slowquery },
    defaultZone: config.default_timezone,
    deleteLimit: options.delete_limit,
    tqlLimit: options.tql_table_limit,
    valueLimit: { max: options.value_limit, key: 'plugins.sql.value_limit' },
    evaluate: evaluateTql,
    flows: () => flows,
    ...(promql && { promql }),
    system: { metrics: () => metrics.expose(), startedAt },
    exportFolder: files
  })
  return {
    parser,
    processes,
    session,
    async query(asking, text, params) {
      store.seenBy(asking.user).requireDatabase(asking.db)
      const given = params && parametersOf(params)
      const fill = (tokens: readonly Token[]) => fillParameters(text, tokens, given)
      const read = parseStatements(text, options.max_sql_tokens, fill, backslashes)
      const statements = await runPaced(new Pace(asking), read)
      if (statements.length !== 1) throw invalid(`expected one statement, got ${statements.length}`)
      const process = processes.start(
        { ...asking, user: { ...asking.user, writeRefusal: 'a statement that a plugin asks may only read' } },
        text
      )
      try {
        const [answer] = await execute(session(process.ctx, text), statements)
        if (answer?.kind !== 'records') throw invalid('expected a statement that answers with rows')
        return {
          ...answer,
          async *batches() {
            try {
              yield* answer.batches()
            } finally {
              process.end()
            }
          },
          close() {
            process.end()
            answer.close?.()
          }
        }
      } catch (error) {
        process.end()
        throw error
      }
    },
    useFlows(service) {
      flows = service
    },
    async replace(ctx, { database, table: name, columns, query, where }) {
      const parts = [database, name].map(text => ({ text, quoted: true }))
      const table = findTarget({ store, ctx }, parts)
      const { quoteName } = store.dialect
      const keys = [...table.tags, table.timeIndex].map(column => quoteName(column.name)).join(', ')
      const from = `${quoteName(database)}.${quoteName(name)}`
      const current = `SELECT ${keys} FROM ${from}${where === '' ? '' : ` WHERE ${where}`}`
      const run = (text: string) => runQuery(session(ctx, text), read(text))
      return replaceRows(session(ctx, query), table, columns, await run(query), await run(current))
    },
    plan: async (ctx, text) => (await planQuery(session(ctx, text), read(text))).query,
    close: () => parser.close()
  }
}
