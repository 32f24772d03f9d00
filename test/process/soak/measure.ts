// Measures a process: by the operating system, and by the process's own metrics.
import { readdirSync, readFileSync } from 'node:fs'

/** Bytes, counts, and seconds for the delay. */
export interface Reading {
  /** Milliseconds since the start of the run. */
  readonly at: number
  readonly rss: number
  readonly heap: number
  readonly external: number
  readonly handles: number
  readonly fds: number
  readonly threads: number
  /** 99th percentile of the event loop's delay since the last reading. */
  readonly delay: number
}

export type Measure = Exclude<keyof Reading, 'at'>

export const measures: readonly Measure[] = ['rss', 'heap', 'external', 'handles', 'fds', 'threads', 'delay']

const families = {
  heap: 'nodejs_heap_size_used_bytes',
  external: 'nodejs_external_memory_bytes',
  handles: 'nodejs_active_handles',
  delay: 'nodejs_eventloop_lag_p99_seconds'
} as const

export async function read(url: string, pid: number, at: number): Promise<Reading> {
  const response = await fetch(`${url}/metrics`)
  if (!response.ok) throw new Error(`/metrics answers ${response.status}`)
  const text = await response.text()
  const metric = (name: string) => {
    // Families with labels are added up.
    const values = [...text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, 'gm'))]
    if (values.length === 0) throw new Error(`/metrics has no ${name}`)
    return values.reduce((sum, [, value]) => sum + Number(value), 0)
  }
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const field = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1])
  return {
    at,
    rss: field('VmRSS') * 1024,
    threads: field('Threads'),
    fds: readdirSync(`/proc/${pid}/fd`).length,
    heap: metric(families.heap),
    external: metric(families.external),
    handles: metric(families.handles),
    delay: metric(families.delay)
  }
}
