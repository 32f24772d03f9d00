// The requests that run: SHOW PROCESSLIST lists them, KILL ends one.
import { DbError, type RequestContext } from '../../core/index.ts'

interface Process {
  readonly id: string
  readonly sql: string
  readonly database: string
  readonly user: string
  /** Milliseconds since 1970. */
  readonly startedAt: number
}

export interface Processes {
  /** The context of a request that can be killed; `end` takes it off the list. */
  start(ctx: RequestContext, sql: string): { readonly ctx: RequestContext; end(): void }
  list(): readonly Process[]
  /** False when nothing of that id runs. */
  kill(id: string): boolean
}

/** Characters of a statement that are kept. */
const shownLength = 10_000

export function createProcesses(): Processes {
  const running = new Map<string, Process & { readonly controller: AbortController }>()
  let last = 0
  return {
    start(ctx, sql) {
      const id = String(++last)
      const controller = new AbortController()
      running.set(id, {
        id,
        sql: sql.slice(0, shownLength),
        database: ctx.db,
        user: ctx.user.name,
        startedAt: Date.now(),
        controller
      })
      const signal = AbortSignal.any([ctx.signal, controller.signal])
      return { ctx: { ...ctx, signal }, end: () => running.delete(id) }
    },
    list: () => Array.from(running.values(), ({ controller: _, ...process }) => process),
    kill(id) {
      const found = running.get(id)
      found?.controller.abort(new DbError('Cancelled', `query ${id} was killed`))
      return found !== undefined
    }
  }
}
