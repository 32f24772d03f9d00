// A siege: each kind of attack for a while beside honest clients, then all at once.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { startProcess } from '../server.ts'
import type { Outcomes } from './attacker.worker.ts'
import { attacks, authorization, passwords } from './attacks.ts'
import { type Clocks, startHonest } from './honest.ts'

const MiB = 2 ** 20
const limits = {
  memory: 384 * MiB,
  hard: 640 * MiB,
  bodies: 128 * MiB,
  memtable: 192 * MiB,
  caches: 2 * 32 * MiB,
  threads: 1,
  thread: 256 * MiB
}
/** Bytes of a series with one tag while what holds it grows. */
const seriesBytes = 300

/** What docs/operations.md derives, in bytes. */
export function memoryBound(series: number): number {
  return (
    1.25 * (2 * limits.memtable + 3 * limits.bodies + limits.memory) +
    limits.caches +
    200 * MiB +
    limits.hard +
    (limits.threads + 1) * (40 * MiB + limits.thread) +
    series * seriesBytes
  )
}

/** Milliseconds, and how many of them the processor worked, collected garbage (which is work, too), and was busy with others. */
export interface Held {
  readonly ms: number
  readonly processor_ms: number
  readonly gc_ms: number
  readonly queued_ms: number
}

export interface Phase {
  readonly name: string
  readonly clocks: Clocks
  readonly outcomes: Outcomes
  /** Most bytes the processes held, memory that they share counted once, and how many of these the server itself did. */
  readonly memory: number
  readonly ownMemory: number
  /** Series that attackers have made until its end, at most. */
  readonly series: number
  /** What the log says held the event loop the longest, by route. */
  readonly held: ReadonlyMap<string, Held>
}

export interface Siege {
  readonly phases: readonly Phase[]
  /** By table: rows that were answered and are not there. */
  readonly lost: ReadonlyMap<string, number>
  /** The server has ended by itself. */
  readonly died: boolean
  /** Starts of the process that runs SQL, beyond the first. */
  readonly restarts: number
  /** Milliseconds from SIGTERM to its end. */
  readonly stop: number
}

export interface SiegeOptions {
  readonly minutes: number
  /** Words that names of attacks must contain, or `all at once`: nothing but that; none: all. */
  readonly only?: string | undefined
  readonly report: (phase: Phase) => void
}

/** Milliseconds for the server to end what attackers have left. */
const settling = 500

export async function runSiege({ minutes, only = '', report }: SiegeOptions): Promise<Siege> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-siege-'))
  const ends: (() => unknown)[] = []
  try {
    writeFileSync(join(folder, 'users'), users())
    writeFileSync(join(folder, 'weir.toml'), config(folder))
    const held = new Map<string, Held>()
    const server = await startProcess({ teardown: (end: () => unknown) => void ends.push(end) } as never, folder, {
      onLine(line) {
        if (!line.includes('the event loop was held')) return
        const { method = '', path = 'unknown', ms, processor_ms, gc_ms, queued_ms } = JSON.parse(line)
        const name = `${method} ${path}`.trim()
        if (processor_ms > (held.get(name)?.processor_ms ?? -1)) held.set(name, { ms, processor_ms, gc_ms, queued_ms })
      }
    })
    // Nobody waits for a server that has not begun to listen.
    held.clear()
    let died = false
    void server.exited.then(() => {
      died = true
    })
    const worker = new Worker(new URL('./attacker.worker.ts', import.meta.url), { workerData: { url: server.url } })
    ends.push(() => worker.terminate())
    const told = () => new Promise<Outcomes>(resolve => worker.once('message', resolve))
    const ruler = fork(new URL('./ruler.ts', import.meta.url), [join(folder, 'ruler')], { execArgv: [] })
    ends.push(() => ruler.kill())
    const [port] = await once(ruler, 'message')
    const honest = startHonest(server.url, `http://127.0.0.1:${port}/`)
    const none = { memory: 0, ownMemory: 0 }
    let peak = none
    const watching = setInterval(() => {
      const now = treeMemory(server.pid)
      if (now.memory > peak.memory) peak = now
    }, 500)
    ends.push(() => clearInterval(watching))

    const total = minutes * 60_000
    const waves = wavesOf(only)
    const together = waves.filter(wave => wave.length > 1).length
    const alone = waves.length - together
    // All at once takes a quarter of the time beside others.
    const share = together === 0 ? 0 : alone > 1 ? 0.25 : 0.9
    const phases: Phase[] = []
    let series = 0
    for (const wave of waves) {
      if (died) break
      const started = told()
      worker.postMessage({ names: wave })
      await started
      await pause(wave.length > 1 ? share * total : ((1 - share) * total) / alone)
      const stopped = told()
      worker.postMessage({ names: [] })
      const outcomes = await stopped
      // What was begun belongs to this wave.
      await pause(settling)
      const name = wave.length === 0 ? 'nothing' : wave.length === 1 ? wave[0]! : allAtOnce
      series += seriesOf(outcomes)
      const phase = { name, clocks: honest.take(), outcomes, ...peak, series, held: new Map(held) }
      peak = none
      held.clear()
      phases.push(phase)
      report(phase)
    }
    await worker.terminate()
    const answered = await honest.stop()
    const lost = new Map<string, number>()
    for (const [table, rows] of died ? [] : answered) lost.set(table, rows - (await countRows(server.url, table)))
    const restarts = died ? 0 : await restartsOf(server.url)
    const result = { phases, lost, died, restarts }
    const began = performance.now()
    if (!died) await server.kill('SIGTERM')
    return { ...result, stop: performance.now() - began }
  } finally {
    for (const end of ends) await end()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Also requests that were abandoned before their answer. */
function seriesOf(outcomes: Outcomes): number {
  let series = 0
  for (const attack of attacks) {
    for (const count of outcomes.get(attack.name)?.values() ?? []) series += count * (attack.series ?? 0)
  }
  return series
}

const allAtOnce = 'all at once'

/** Names of attacks that run beside each other, one wave after the other; the first has none. */
function wavesOf(only: string): string[][] {
  const names = attacks.map(({ name }) => name)
  if (only === allAtOnce) return [[], names]
  const chosen = names.filter(name => name.includes(only))
  return [[], ...chosen.map(name => [name]), ...(only === '' ? [chosen] : [])]
}

function users(): string {
  const modes: Readonly<Record<string, string>> = { reader: ':ro', writer: '', honest: '' }
  return Object.entries(passwords)
    .map(([name, password]) => `${name}${modes[name]}=${password}\n`)
    .join('')
}

function config(folder: string): string {
  return `user_provider = "static_user_provider:file:${join(folder, 'users')}"
max_in_flight_write_bytes = "${limits.bodies / MiB}MiB"
[http]
addr = "127.0.0.1:0"
[storage]
data_home = ${JSON.stringify(join(folder, 'data'))}
memory_limit = "${limits.memory / MiB}MiB"
query_memory_hard_limit = "${limits.hard / MiB}MiB"
memtable_size = "48MiB"
sample_cache_size = "32MiB"
index_cache_size = "32MiB"
memtable_limit = "${limits.memtable / MiB}MiB"
[logging]
log_format = "json"
max_log_files = 0
[plugins.pipelines]
threads = ${limits.threads}
thread_memory = "${limits.thread / MiB}MiB"
`
}

async function countRows(url: string, table: string): Promise<number> {
  for (let tries = 0; ; tries++) {
    const response = await fetch(`${url}/v1/sql?sql=${encodeURIComponent(`SELECT count(*) FROM ${table}`)}`, {
      headers: { authorization: authorization('honest') }
    })
    if (response.ok) {
      const { output } = (await response.json()) as { output: { records: { rows: [[number]] } }[] }
      return Number(output[0]!.records.rows[0][0])
    }
    // What came before may still be at work.
    if (tries === 30) throw new Error(`the rows of ${table} cannot be counted: ${await response.text()}`)
    await pause(1000)
  }
}

/** Of the processes that run statements, as the metrics count them. */
async function restartsOf(url: string): Promise<number> {
  const response = await fetch(`${url}/metrics`, { headers: { authorization: authorization('honest') } })
  const values = [...(await response.text()).matchAll(/^svc_query_process_restarts_total(?:\{.*\})? (\S+)$/gm)]
  return values.reduce((sum, [, value]) => sum + Number(value), 0)
}

/** Bytes of a process, alone and with those it started. */
function treeMemory(pid: number): Pick<Phase, 'memory' | 'ownMemory'> {
  const children = new Map<number, number[]>()
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    try {
      const parent = Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${entry}/status`, 'utf8'))?.[1])
      children.set(parent, [...(children.get(parent) ?? []), Number(entry)])
    } catch {}
  }
  const sum = (id: number): number =>
    (children.get(id) ?? []).reduce((bytes, child) => bytes + sum(child), memoryOf(id))
  return { memory: sum(pid), ownMemory: memoryOf(pid) }
}

function memoryOf(pid: number): number {
  try {
    return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]) * 1024
  } catch {
    return 0
  }
}
