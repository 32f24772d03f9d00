// What routes and the three signals agree on: what a request brings, and what became of it.
import type { IncomingHttpHeaders } from 'node:http'
import type { RequestContext } from '../../core/index.ts'

export interface SignalRequest {
  readonly ctx: RequestContext
  readonly headers: IncomingHttpHeaders
  /** The Export…ServiceRequest as protobuf, in whatever encoding it came. */
  readonly body: Uint8Array
}

/** What was stored; DbErrors are for requests of which nothing is. */
export interface Taken {
  /** Spans, data points or log records that were left out. */
  readonly rejected: number
  /** Why the first of them was, for people; with none rejected, a warning or empty. */
  readonly message: string
}

/** Stores what a request brings. */
export type Receive = (request: SignalRequest) => Promise<Taken>

export const nothingRejected: Taken = { rejected: 0, message: '' }
