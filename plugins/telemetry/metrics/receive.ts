// `POST /v1/telemetry/v1/metrics`.
import { type Core, DbError } from '../../../core/index.ts'
import type { Receive } from '../signal.ts'

export function createReceiveMetrics(_core: Core): Receive {
  return async () => {
    throw new DbError('Unsupported', 'metrics are not taken yet')
  }
}
