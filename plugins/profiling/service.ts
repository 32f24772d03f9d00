// The service behind the routes: recorders, and naming of functions.
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Core, version } from '../../core/index.ts'
import { type CpuOptions, recordCpu } from './cpu/record.ts'
import { createFrameNamer } from './frame.ts'
import { createGdump, type Gdump } from './heap/gdump.ts'
import { createHeapProfiling, type HeapProfiling } from './heap/sampling.ts'
import { createMutex } from './mutex.ts'
import type { Profile } from './profile.ts'
import { drawDump } from './symbol/draw.ts'

export interface Profiling {
  /** Rejects with the signal's reason, or with status 409 while another profile is recorded. */
  cpu(options: CpuOptions, signal: AbortSignal): Promise<Profile>
  readonly heap: HeapProfiling
  readonly gdump: Gdump
  /** A flame graph of an uploaded dump. */
  draw(bytes: Uint8Array, signal: AbortSignal): Promise<string>
  close(): Promise<void>
}

interface ProfilingOptions {
  readonly max_upload: number
  readonly heap_profiling: boolean
  readonly heap_interval: number
  readonly gdump: boolean
  readonly gdump_step: number
  readonly gdump_files: number
}

export async function createProfiling(core: Core, options: ProfilingOptions): Promise<Profiling> {
  const naming = { root: fileURLToPath(new URL('../../', import.meta.url)), modules: modulesOf(core) }
  const nameFrame = createFrameNamer(naming)
  const heap = createHeapProfiling(options.heap_interval, nameFrame)
  const { log, metrics } = core
  const folder = join(core.config.storage.data_home, 'profiles')
  const gdump = createGdump({ heap, folder, step: options.gdump_step, files: options.gdump_files, log, metrics })
  const recording = createMutex('a CPU profile')
  const drawing = createMutex('the picture of a dump')
  const active = { cpu: recording.isTaken, heap: heap.isActive, gdump: gdump.isActive, symbol: drawing.isTaken }
  metrics.gauge('svc_profiling_active', '1 while a kind of profile is being taken.', ['kind'], gauge => {
    for (const [kind, isActive] of Object.entries(active)) gauge.set(isActive() ? 1 : 0, { kind })
  })
  if (options.heap_profiling) await heap.activate()
  if (options.gdump) await gdump.activate()
  return {
    cpu: (options, signal) => recording.run(options.seconds, () => recordCpu(options, nameFrame, signal)),
    heap,
    gdump,
    draw: (bytes, signal) => drawing.run(5, () => drawDump({ bytes, limit: options.max_upload, ...naming }, signal)),
    async close() {
      gdump.deactivate()
      await heap.deactivate()
    }
  }
}

/** The title of a picture or text. */
export function titleOf({ kind, time, duration }: Profile): string {
  const what = kind === 'cpu' ? `CPU profile of ${(duration / 1000).toFixed(1)} s` : 'heap, sampled'
  return `${what}, weir ${version}, process ${process.pid}, ${new Date(time).toISOString()}`
}

/** Third-party plugins by module. */
function modulesOf({ config }: Core): ReadonlyMap<string, string> {
  const tables = Object.entries(config.plugins)
  return new Map(tables.flatMap(([name, { module }]) => (module === undefined ? [] : [[module, name] as const])))
}

declare module '../../core/plugin.ts' {
  interface ServiceMap {
    profiling: Profiling
  }
}
