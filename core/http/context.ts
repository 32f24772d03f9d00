// What every layer below a route knows of the request: made once, never changed, passed along.
import type { User } from '../auth/provider.ts'
import type { Logger } from '../log/log.ts'
import type { TableOptions } from '../model/table.ts'

export type ServerKind = 'main' | 'public'

/** Who asks, for which database, and until when: handed on to whatever a request needs, and never changed. */
export interface RequestContext {
  /** Target database: parameter `db`, else header `x-svc-db-name`, else `public`. Not yet checked to exist. */
  readonly db: string
  readonly user: User
  /** The server the request came through; `internal` for work of the process itself. */
  readonly channel: ServerKind | 'internal'
  /** Of the client; absent for work of the process itself. */
  readonly address?: string
  /** IANA name or `+hh:mm`, validated. */
  readonly timezone: string
  /** Fires when the client goes away, the time limit is reached or the server stops. */
  readonly signal: AbortSignal
  readonly log: Logger
  /** Name of the plugin whose route or service is at work; a metric label. */
  readonly plugin: string
  /** Table options and creation policy from `x-svc-hints` and `x-svc-hint-*`. */
  readonly hints: TableHints
  /** Absent where nobody counts: work of the process itself, or no limits. */
  readonly quota?: Quota
}

export type QuotaKind = 'bytes' | 'rows' | 'queries'

/** What user and address of a request may have in a second. */
export interface Quota {
  /** Takes so many; who has used up more than there was is refused with DbError `RateLimited` (429) until time has filled it up. */
  charge(kind: QuotaKind, amount: number): void
}

export interface TableHints {
  readonly options: TableOptions
  readonly autoCreate?: boolean
}
