// The sampling heap profiler, on or off for the whole process.
import { Session } from 'node:inspector/promises'
import { formatSize } from '../../../core/index.ts'
import type { FrameNamer } from '../frame.ts'
import type { Profile } from '../profile.ts'
import { type HeapNode, heapTree } from './tree.ts'

export interface HeapProfiling {
  isActive(): boolean
  /** May be called twice. */
  activate(): Promise<void>
  /** Discards the samples. May be called twice. */
  deactivate(): Promise<void>
  /** Where living objects were allocated; collects garbage first. Undefined while it is off. */
  dump(): Promise<Profile | undefined>
}

/** `interval`: bytes between two samples. */
export function createHeapProfiling(interval: number, nameFrame: FrameNamer): HeapProfiling {
  let session: Session | undefined
  let since = ''
  return {
    isActive: () => session !== undefined,
    async activate() {
      if (session !== undefined) return
      const opened = new Session()
      session = opened
      since = new Date().toISOString()
      opened.connect()
      await opened.post('HeapProfiler.enable')
      await opened.post('HeapProfiler.startSampling', { samplingInterval: interval })
    },
    async deactivate() {
      const closing = session
      session = undefined
      if (closing === undefined) return
      await closing.post('HeapProfiler.stopSampling')
      closing.disconnect()
    },
    async dump() {
      if (session === undefined) return undefined
      const time = Date.now()
      const { profile } = await session.post('HeapProfiler.getSamplingProfile')
      const root = heapTree(profile.head as HeapNode, nameFrame)
      return { kind: 'heap', root, time, duration: 0, period: interval, facts: describeMemory(interval, since) }
    }
  }
}

function describeMemory(interval: number, since: string): string[] {
  const { rss, heapUsed, heapTotal, external, arrayBuffers } = process.memoryUsage()
  const line = (name: string, bytes: number, rest = '') =>
    `${name.padEnd(22)}${(bytes / 2 ** 20).toFixed(1).padStart(9)} MiB${rest}`
  return [
    line('resident', rss, '   everything: heap, buffers, DuckDB, code'),
    line(
      'heap',
      heapUsed,
      `   of ${(heapTotal / 2 ** 20).toFixed(1)} MiB; sampled every ${formatSize(interval)} since ${since}`
    ),
    line('buffers', arrayBuffers, '   outside of the heap, not sampled'),
    line('other external', external - arrayBuffers, '   held by objects of the heap, not sampled')
  ]
}
