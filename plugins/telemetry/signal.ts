// The interface of the three signals: each stores its own requests.
import type { TelemetryRequest, TelemetryTaken } from '../services.ts'

export type { TelemetryRequest as SignalRequest, TelemetryTaken as Taken } from '../services.ts'

/** Stores a request. */
export type Receive = (request: TelemetryRequest) => Promise<TelemetryTaken>

export const nothingRejected: TelemetryTaken = { rejected: 0, message: '' }
