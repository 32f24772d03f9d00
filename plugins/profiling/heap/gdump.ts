// Writes a heap profile to a file whenever the memory of the process reaches a new high.
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger, Metrics } from '../../../core/index.ts'
import { every, type Timer } from '../../../core/index.ts'
import { encodePprof } from '../output/pprof.ts'
import type { HeapProfiling } from './sampling.ts'

export interface Gdump {
  isActive(): boolean
  /** Also enables the heap profiler, which the dumps need. */
  activate(): Promise<void>
  deactivate(): void
}

interface GdumpOptions {
  readonly heap: HeapProfiling
  /** Folder of the dumps; created with the first one. */
  readonly folder: string
  /** Growth of the resident memory in bytes before the next dump. */
  readonly step: number
  /** Number of latest files that are kept. */
  readonly files: number
  readonly log: Logger
  readonly metrics: Metrics
}

/** Milliseconds between two checks of the memory. */
const interval = 1000

export function createGdump(options: GdumpOptions): Gdump {
  const { heap, step, log } = options
  const dumps = options.metrics.counter('svc_profiling_gdumps_total', 'Heap dumps at new memory highs.', ['result'])
  let timer: Timer | undefined
  let highest = 0
  let writing = false
  const look = async () => {
    const resident = process.memoryUsage.rss()
    if (writing || resident < highest + step) return
    highest = resident
    writing = true
    try {
      const file = await writeDump(options, resident)
      if (file === undefined) return
      log.info({ file, resident }, 'dumped the heap at a new memory high')
      dumps.add(1, { result: 'written' })
    } catch (error) {
      log.warn({ err: error }, 'cannot dump the heap')
      dumps.add(1, { result: 'failed' })
    } finally {
      writing = false
    }
  }
  return {
    isActive: () => timer !== undefined,
    async activate() {
      if (timer !== undefined) return
      highest = process.memoryUsage.rss()
      timer = every(interval, look).unref()
      await heap.activate()
    },
    deactivate() {
      timer?.stop()
      timer = undefined
    }
  }
}

async function writeDump({ heap, folder, files }: GdumpOptions, resident: number): Promise<string | undefined> {
  const profile = await heap.dump()
  if (profile === undefined) return undefined
  const bytes = await encodePprof(profile)
  const time = new Date(profile.time).toISOString().replace(/[-:]|\.\d+/g, '')
  const file = join(folder, `heap-${time}-${Math.round(resident / 2 ** 20)}MiB.pb.gz`)
  await mkdir(folder, { recursive: true })
  const part = `${file}.part`
  try {
    await writeFile(part, bytes)
    await rename(part, file)
  } catch (error) {
    // Removes partial files, because the disk may be full.
    await rm(part, { force: true })
    throw error
  }
  await removeOldest(folder, files)
  return file
}

async function removeOldest(folder: string, files: number): Promise<void> {
  const dumps = (await readdir(folder)).filter(name => /^heap-\d{8}T\d{6}Z-\d+MiB\.pb\.gz$/.test(name)).sort()
  for (const name of dumps.slice(0, Math.max(0, dumps.length - files))) await rm(join(folder, name), { force: true })
}
