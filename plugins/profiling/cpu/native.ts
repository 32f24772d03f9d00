// Processor time outside of JavaScript, which the sampler does not see, by purpose of the threads.
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
  /** The work of pool threads for queries; undefined if unknown. */
  readonly work: Pick<PoolWork, 'cpuOf'> | undefined
  /** Milliseconds between the two readings. */
  readonly duration: number
  /** Number of threads in libuv's pool. */
  readonly poolSize: number
  /** Id of the process, which is also that of its main thread. */
  readonly pid: number
}

const byName: ReadonlyMap<string, keyof NativeTime> = new Map([
  ['V8Worker', 'v8'],
  ['DelayedTaskSche', 'v8'],
  ['SignalInspector', 'node'],
  ['TraceEventWorke', 'node'],
  // DuckDB's threads inherit the name of their creator.
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
      // A thread that is busy without begin or end events is in a long query.
      const queries = options.work?.cpuOf(tid, spent) ?? (spent > options.duration / 2 ? spent : 0)
      sums.duckdb += queries
      sums.libuv += spent - queries
    } else sums[name === poolName ? 'duckdb' : (byName.get(name) ?? 'workers')] += spent
  }
  return sums
}

/** The pool starts all its threads at once, before DuckDB starts threads with the same name. */
function poolOf({ after, poolSize }: NativeOptions): ReadonlySet<number> {
  const named = [...after].filter(([, { name }]) => name === poolName).map(([tid]) => tid)
  return new Set(named.sort((a, b) => a - b).slice(0, poolSize))
}
