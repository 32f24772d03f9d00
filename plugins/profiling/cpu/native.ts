// Processor time outside of JavaScript, which the sampler does not see: by what the threads of the process are for.
import type { PoolWork } from './pool-work.ts'
import type { Thread } from './threads.ts'

/** Milliseconds of processor time. */
export interface NativeTime {
  readonly duckdb: number
  readonly libuv: number
  readonly v8: number
  readonly node: number
  /** Worker threads of JavaScript, which are sampled themselves. */
  readonly workers: number
  readonly main: number
}

interface NativeOptions {
  readonly before: ReadonlyMap<number, Thread>
  readonly after: ReadonlyMap<number, Thread>
  /** What the threads of the pool did for queries; undefined where nobody could tell. */
  readonly work: Pick<PoolWork, 'cpuOf'> | undefined
  /** Milliseconds between before and after. */
  readonly duration: number
  /** Threads of the pool. */
  readonly poolSize: number
  /** The process, whose main thread has its number. */
  readonly pid: number
}

const byName: ReadonlyMap<string, keyof NativeTime> = new Map([
  ['V8Worker', 'v8'],
  ['DelayedTaskSche', 'v8'],
  ['SignalInspector', 'node'],
  ['TraceEventWorke', 'node'],
  // DuckDB's threads are named after whoever started them.
  ['MainThread', 'duckdb'],
  ['node', 'duckdb']
])

const poolName = 'libuv-worker'

export function nativeTime(options: NativeOptions): NativeTime {
  const { before, after, pid } = options
  const sums = { duckdb: 0, libuv: 0, v8: 0, node: 0, workers: 0, main: 0 }
  const pool = poolOf(options)
  for (const [tid, { name, cpu }] of after) {
    const spent = Math.max(0, cpu - (before.get(tid)?.cpu ?? 0))
    if (tid === pid) sums.main += spent
    else if (pool.has(tid)) {
      // One that is busy without beginning or ending anything is in a long query.
      const queries = options.work?.cpuOf(tid, spent) ?? (spent > options.duration / 2 ? spent : 0)
      sums.duckdb += queries
      sums.libuv += spent - queries
    } else sums[name === poolName ? 'duckdb' : (byName.get(name) ?? 'workers')] += spent
  }
  return sums
}

/** The pool starts all its threads at once, before DuckDB starts some that have the same name. */
function poolOf({ after, poolSize }: NativeOptions): ReadonlySet<number> {
  const named = [...after].filter(([, { name }]) => name === poolName).map(([tid]) => tid)
  return new Set(named.sort((a, b) => a - b).slice(0, poolSize))
}
