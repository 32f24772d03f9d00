// Shared by the two servers: counters, and slots for tails.
import type { Core } from '../../core/index.ts'
import { type Counters, createCounters } from './counters.ts'
import { createTails, type Tails } from './tail/tails.ts'

export interface LogqueryService {
  readonly counters: Counters
  readonly tails: Tails
}

export function createService(core: Pick<Core, 'metrics'>, maxTails: number): LogqueryService {
  const tails = createTails(maxTails)
  return { tails, counters: createCounters(core, tails.running) }
}
