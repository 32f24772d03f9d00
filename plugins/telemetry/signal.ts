// What the three signals agree on: what stores a request of one.
import type { TelemetryRequest, TelemetryTaken } from '../services.ts'

export type { TelemetryRequest as SignalRequest, TelemetryTaken as Taken } from '../services.ts'

/** Stores what a request brings. */
export type Receive = (request: TelemetryRequest) => Promise<TelemetryTaken>

export const nothingRejected: TelemetryTaken = { rejected: 0, message: '' }
