// The request context: what every layer below a route knows about the request. It is immutable and passed along.
import type { User } from '../auth/provider.ts'
import type { Logger } from '../log/log.ts'
import type { TableOptions } from '../model/table.ts'
import type { RequestMemory } from '../pace.ts'

/** The two HTTP servers. */
export type ServerKind = 'main' | 'public'

/** Who sends the request, for which database, and until when. Immutable; pass it to everything that works for the request. */
export interface RequestContext {
  /** Database of the request: parameter `db`, else header `x-svc-db-name`, else `public`. It need not exist. */
  readonly db: string
  readonly user: User
  /** The server that received the request; `internal` for work of the process itself. */
  readonly channel: ServerKind | 'internal'
  /** Address of the client; absent for work of the process itself. */
  readonly address?: string
  /** Time zone: a validated IANA name or `+hh:mm`. */
  readonly timezone: string
  /** Fires when the client disconnects, the time limit is reached or the server stops. */
  readonly signal: AbortSignal
  readonly log: Logger
  /** Name of the plugin whose route or service runs; a metric label. */
  readonly plugin: string
  /** Table options, and whether tables may be created, from `x-svc-hints` and `x-svc-hint-*`. */
  readonly hints: TableHints
  /** Rate limits of the request; absent for work of the process itself, or without limits. */
  readonly quota?: Quota
  /** Counts the memory of values decoded from a body; absent for work of the process itself. */
  readonly memory?: RequestMemory
}

export type QuotaKind = 'bytes' | 'rows' | 'queries'

/** The quota per second of the user and the address of a request. */
export interface Quota {
  /** Uses up an amount. Throws DbError `RateLimited` (429) if more was used than is available; the account refills over time. */
  charge(kind: QuotaKind, amount: number): void
}

export interface TableHints {
  readonly options: TableOptions
  readonly autoCreate?: boolean
}
