// What the two servers and other plugins share: the grammar's thread, the list of what runs, and how a request's statements are run.
import { type Core, DbError, exportFolder, type RequestContext } from '../../core/index.ts'
import type { PromqlService, SqlQueryService } from '../services.ts'
import { execute, type SqlOptions } from './execute.ts'
import { type SqlParser, startParser } from './grammar/parser.ts'
import { createProcesses, type Processes } from './process.ts'
import type { Session } from './session.ts'
import { parseStatements } from './statement/parse.ts'
import { evaluateTql } from './tql.ts'

export interface SqlService extends SqlQueryService {
  readonly parser: SqlParser
  readonly processes: Processes
  /** What statements of this text need; `ctx` is that of a process. */
  session(ctx: RequestContext, sql: string): Session
  close(): Promise<void>
}

export function startService(core: Core, options: SqlOptions, promql: PromqlService | undefined): SqlService {
  const { store, config, metrics, slowQueries, startedAt } = core
  const parser = startParser()
  const processes = createProcesses()
  const session = (ctx: RequestContext, sql: string): Session => ({
    ...{ store: store.seenBy(ctx.user), parser, ctx, sql, processes, slowQueries },
    defaultZone: config.default_timezone,
    deleteLimit: options.delete_limit,
    tqlLimit: options.tql_table_limit,
    valueLimit: options.value_limit,
    evaluate: evaluateTql,
    ...(promql && { promql }),
    system: { metrics: () => metrics.expose(), startedAt },
    exportFolder: exportFolder(config.storage.data_home)
  })
  return {
    parser,
    processes,
    session,
    async query(asking, text) {
      store.seenBy(asking.user).requireDatabase(asking.db)
      const statements = parseStatements(text)
      if (statements.length !== 1)
        throw new DbError('InvalidArguments', `expected one statement, got ${statements.length}`)
      const process = processes.start(
        { ...asking, user: { ...asking.user, writeRefusal: 'the statement of a rule may only read' } },
        text
      )
      try {
        const [answer] = await execute(session(process.ctx, text), statements)
        if (answer?.kind !== 'records')
          throw new DbError('InvalidArguments', 'expected a statement that answers with rows')
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
    close: () => parser.close()
  }
}
