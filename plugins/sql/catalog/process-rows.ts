// The requests that run, as rows; who may only read or write sees no others' but his own.
import type { Session } from '../session.ts'
import { catalogName } from './name.ts'

export interface ProcessRow {
  readonly id: string
  readonly catalog: string
  readonly schemas: string
  readonly query: string
  readonly client: string
  readonly frontend: string
  /** Milliseconds since 1970. */
  readonly start: bigint
  readonly elapsed: string
}

export function visibleProcesses({ processes, ctx }: Session): ProcessRow[] {
  return processes
    .list()
    .filter(({ user }) => (ctx.user.mode === 'rw' && ctx.user.databases === undefined) || user === ctx.user.name)
    .map(({ id, sql, database, user, startedAt }) => ({
      id,
      catalog: catalogName,
      schemas: database,
      query: sql,
      client: user,
      frontend: ctx.channel,
      start: BigInt(startedAt),
      elapsed: `${Date.now() - startedAt}ms`
    }))
}
