// `POST /v1/telemetry/v1/logs`.
import { type Core, DbError } from '../../../core/index.ts'
import type { Receive } from '../signal.ts'

export function createReceiveLogs(_core: Core): Receive {
  return async () => {
    throw new DbError('Unsupported', 'logs are not taken yet')
  }
}
