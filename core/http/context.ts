// What every layer below a route knows of the request: made once, never changed, passed along.
import type { User } from '../auth/provider.ts'
import type { Logger } from '../log/log.ts'
import type { TableOptions } from '../model/table.ts'

export type ServerKind = 'main' | 'public'

export interface RequestContext {
  /** Target database: parameter `db`, else header `x-svc-db-name`, else `public`. Not yet checked to exist. */
  readonly db: string
  readonly user: User
  /** The server the request came through; `internal` for work of the process itself. */
  readonly channel: ServerKind | 'internal'
  /** IANA name or `+hh:mm`, validated. */
  readonly timezone: string
  /** Fires when the client goes away, the time limit is reached or the server stops. */
  readonly signal: AbortSignal
  readonly log: Logger
  /** Name of the plugin whose route or service is at work; a metric label. */
  readonly plugin: string
  /** Table options and creation policy from `x-svc-hints` and `x-svc-hint-*`. */
  readonly hints: TableHints
}

export interface TableHints {
  readonly options: TableOptions
  readonly autoCreate?: boolean
}
