// Honest clients: small writes and queries all the time, and health checks.
import { setTimeout as pause } from 'node:timers/promises'
import { authorization } from './attacks.ts'

/** Milliseconds of each answer, in the order they came. */
export interface Clock {
  readonly times: number[]
  /** Answers that were no success, and how often. */
  readonly failures: Map<string, number>
  /** Longest time without any answer. */
  gap: number
}

/** `ruler` asks and `ruler write` writes to a server that does nothing else: what these take is the machine's. */
export type Role = 'health' | 'line protocol' | 'NDJSON' | 'SQL' | 'PromQL' | 'ruler' | 'ruler write'
export type Clocks = Readonly<Record<Role, Clock>>

export interface Honest {
  /** What happened since it was asked last. */
  take(): Clocks
  /** Ends all clients; rows that were answered, by table. */
  stop(): Promise<ReadonlyMap<string, number>>
}

/** Milliseconds between two requests of a client. */
const rhythm: Readonly<Record<Role, number>> = {
  health: 20,
  'line protocol': 20,
  NDJSON: 20,
  SQL: 200,
  PromQL: 200,
  ruler: 20,
  'ruler write': 20
}

export function startHonest(url: string, ruler: string): Honest {
  let clocks = newClocks()
  let isOn = true
  let next = 1_700_000_000_000
  const written = new Map<string, number>([
    ['honest_points', 0],
    ['honest_lines', 0]
  ])
  const headers = { authorization: authorization('honest') }
  const ask = async (path: string, body?: string, type = 'text/plain') => {
    const init = body === undefined ? {} : { method: 'POST', body }
    const response = await fetch(path.startsWith('http') ? path : url + path, {
      ...init,
      headers: { ...headers, ...(body !== undefined && { 'content-type': type }) },
      signal: AbortSignal.timeout(60_000)
    })
    await response.arrayBuffer()
    return response.status
  }
  const add = (table: string) => void written.set(table, written.get(table)! + 1)
  const requests: Readonly<Record<Role, () => Promise<number>>> = {
    health: () => ask('/health'),
    async 'line protocol'() {
      const status = await ask('/v1/lineproto/write?precision=ms', `honest_points,host=a v=1 ${next++}\n`)
      if (status === 204) add('honest_points')
      return status
    },
    async NDJSON() {
      const status = await ask(
        '/v1/ingest?table=honest_lines&pipeline_name=svc_identity',
        `{"n":${next++}}\n`,
        'application/x-ndjson'
      )
      if (status === 200) add('honest_lines')
      return status
    },
    SQL: () => ask(`/v1/sql?sql=${encodeURIComponent('SELECT max(v) FROM honest_points')}`),
    PromQL: () => ask('/v1/metricsys/api/v1/query?query=honest_points'),
    ruler: () => ask(ruler),
    'ruler write': () => ask(ruler, 'honest_points,host=a v=1\n')
  }
  const run = async (role: Role) => {
    let answered = performance.now()
    while (isOn) {
      const began = performance.now()
      const outcome = await requests[role]().then(
        String,
        (error: Error & { cause?: { code?: string } }) => error.cause?.code ?? error.name
      )
      const now = performance.now()
      const clock = clocks[role]
      clock.times.push(now - began)
      if (/^2/.test(outcome)) {
        clock.gap = Math.max(clock.gap, now - answered - rhythm[role])
        answered = now
      } else clock.failures.set(outcome, (clock.failures.get(outcome) ?? 0) + 1)
      await pause(Math.max(0, rhythm[role] - (now - began)))
    }
  }
  const running = Promise.all((Object.keys(rhythm) as Role[]).map(run))
  return {
    take() {
      const taken = clocks
      clocks = newClocks()
      return taken
    },
    async stop() {
      isOn = false
      await running
      return written
    }
  }
}

function newClocks(): Clocks {
  const clock = (): Clock => ({ times: [], failures: new Map(), gap: 0 })
  return Object.fromEntries(Object.keys(rhythm).map(role => [role, clock()])) as unknown as Clocks
}

/** The time that such a share of the answers took at most. */
export function quantile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}
