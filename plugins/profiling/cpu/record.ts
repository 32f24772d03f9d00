// Records a CPU profile of the whole process: JavaScript by V8's sampler per thread, all else by the system's thread clocks.
import { Session } from 'node:inspector/promises'
import { pause } from '../../../core/index.ts'
import type { FrameNamer } from '../frame.ts'
import { type Call, callOf, createRoot, type Frame, type Profile } from '../profile.ts'
import { type NativeTime, nativeTime } from './native.ts'
import { tracePool } from './pool-work.ts'
import { readChildren, readThreads } from './threads.ts'
import { addCpuProfile, type CpuProfile } from './tree.ts'
import { profileWorkers, type WorkerProfile } from './worker-profiles.ts'

export interface CpuOptions {
  /** Seconds. */
  readonly seconds: number
  /** Samples per second. */
  readonly frequency: number
}

interface Recording {
  readonly main: CpuProfile
  readonly workers: readonly WorkerProfile[]
  readonly native: NativeTime
  /** Milliseconds of processor time of child processes. */
  readonly children: number
  /** Milliseconds. */
  readonly duration: number
  /** Milliseconds of processor time of the process. */
  readonly cpu: number
}

/** Takes `seconds`; rejects with the signal's reason if that fires. */
export async function recordCpu(options: CpuOptions, nameFrame: FrameNamer, signal: AbortSignal): Promise<Profile> {
  const time = Date.now()
  const session = new Session()
  session.connect()
  try {
    const recording = await record(session, options, signal)
    return toProfile(recording, options, nameFrame, time)
  } finally {
    session.disconnect()
  }
}

async function record(session: Session, { seconds, frequency }: CpuOptions, signal: AbortSignal): Promise<Recording> {
  const interval = Math.max(1, Math.round(1e6 / frequency))
  // Queries are work of a native module.
  const pool = await tracePool(session, 'node_api')
  const workers = await profileWorkers(session, interval)
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval })
  const before = { threads: readThreads(), children: readChildren(), cpu: process.cpuUsage(), time: performance.now() }
  await session.post('Profiler.start')
  const interrupted = await pause(seconds * 1000, { signal }).then(
    () => false,
    () => true
  )
  const { profile } = await session.post('Profiler.stop')
  const after = readThreads()
  let children = 0
  for (const [id, cpu] of readChildren()) children += cpu - (before.children.get(id) ?? 0)
  const { user, system } = process.cpuUsage(before.cpu)
  const duration = performance.now() - before.time
  const [work, workerProfiles] = await Promise.all([pool?.stop(), workers.stop()])
  if (interrupted) throw signal.reason
  const poolSize = Number(process.env['UV_THREADPOOL_SIZE'] ?? 4)
  const native = nativeTime({ before: before.threads, after, work, duration, poolSize, pid: process.pid })
  return {
    main: profile as CpuProfile,
    workers: workerProfiles,
    native,
    children,
    duration,
    cpu: (user + system) / 1000
  }
}

function toProfile(recording: Recording, options: CpuOptions, nameFrame: FrameNamer, time: number): Profile {
  const { main, workers, native, children, duration } = recording
  const root = createRoot()
  const sampled = addCpuProfile(below(root, '[main thread]'), main, nameFrame)
  let sampledWorkers = 0
  for (const { name, profile } of workers) sampledWorkers += addCpuProfile(below(root, name), profile, nameFrame)
  for (const [name, milliseconds] of natives(native, children)) below(root, name).self += milliseconds * 1e6
  dropEmpty(root)
  const facts = describe(recording, options, sampled / 1e6, sampledWorkers / 1e6)
  return { kind: 'cpu', root, time, duration, period: 1e9 / options.frequency, facts }
}

function natives(native: NativeTime, children: number): [string, number][] {
  return [
    ['[native] duckdb', native.duckdb],
    ['[native] libuv', native.libuv],
    ['[native] gc and compiler', native.v8],
    ['[native] node', native.node],
    ['[native] child processes', children]
  ]
}

/** A call node for something that is not a function. */
function below(root: Call, name: string): Call {
  for (const [{ name: known }, call] of root.calls) if (known === name) return call
  const owner = name.startsWith('[native] ') ? name.slice('[native] '.length) : 'native'
  const frame: Frame = { name, file: '', line: 0, owner, kind: 'native' }
  return callOf(root, frame)
}

function dropEmpty(root: Call): void {
  for (const [frame, call] of root.calls) if (call.self === 0 && call.calls.size === 0) root.calls.delete(frame)
}

function describe(
  { native, children, duration, cpu }: Recording,
  options: CpuOptions,
  main: number,
  workers: number
): string[] {
  const line = (name: string, milliseconds: number, rest = '') =>
    `${name.padEnd(22)}${(milliseconds / 1000).toFixed(2).padStart(9)} s${rest}`
  return [
    line('duration', duration, `   ${options.frequency} samples a second`),
    line('processor time', cpu, `   ${((cpu / duration) * 100).toFixed(0)} % of one processor`),
    line('  main thread', native.main, `   sampled in JavaScript and below it ${(main / 1000).toFixed(2)} s`),
    line('  worker threads', native.workers, `   sampled ${(workers / 1000).toFixed(2)} s`),
    line('  duckdb', native.duckdb),
    line('  libuv', native.libuv, '   files, compression'),
    line('  gc and compiler', native.v8, '   those of V8, beside the main thread'),
    line('  node', native.node),
    line('child processes', children, '   not part of it')
  ]
}
