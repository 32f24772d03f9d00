// `POST /v1/telemetry/v1/traces`.
import { type Core, DbError } from '../../../core/index.ts'
import type { Receive } from '../signal.ts'

export function createReceiveTraces(_core: Core): Receive {
  return async () => {
    throw new DbError('Unsupported', 'traces are not taken yet')
  }
}
