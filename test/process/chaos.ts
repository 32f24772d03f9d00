// Kills the real server again and again under load and counts its rows: `npm run chaos -- --rounds 1000 [--seed N]`.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { faultPoints } from '../../core/storage/embedded/fault.ts'
import { ask, checkAll, checkRound } from './chaos/check.ts'
import { Ledger } from './chaos/ledger.ts'
import { pause, work } from './chaos/load.ts'
import { Newest } from './chaos/newest.ts'
import { Random } from './chaos/random.ts'
import { pipeline, pipelineName, tableStatements } from './chaos/requests.ts'
import { type ServerProcess, startProcess } from './server.ts'

export interface ChaosOptions {
  readonly rounds: number
  /** Decides everything that is drawn by lot. */
  readonly seed: number
  /** Gets a line now and then. */
  readonly report?: (line: string) => void
}

export interface ChaosResult {
  /** What is wrong, in the first round where something is; empty when all is well. */
  readonly problems: readonly string[]
  /** Rounds that were played. */
  readonly rounds: number
  readonly answered: number
  /** How the server ended, and how often. */
  readonly ends: ReadonlyMap<string, number>
  /** Answers other than 200 of writes. */
  readonly refusals: ReadonlyMap<string, number>
  /** The data, kept when something is wrong. */
  readonly folder: string
}

/** Small, so that a round sees the log change its file and rows leave memory. */
const config = `[http]
addr = "127.0.0.1:0"
[storage]
data_home = "data"
memtable_size = "1MiB"
memtable_limit = "16MiB"
flush_interval = "1s"
[wal]
segment_size = "64KiB"
[logging]
log_format = "json"
max_log_files = 0
`

/** Milliseconds a fault point may take to be reached. */
const patience = 1000

/** Starts, loads, kills and checks, round after round, until the rounds are over or something is wrong. */
export async function runChaos({ rounds, seed, report = () => {} }: ChaosOptions): Promise<ChaosResult> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-chaos-'))
  writeFileSync(join(folder, 'weir.toml'), config)
  const ledger = new Ledger()
  const newest = new Newest()
  const ends = new Map<string, number>()
  const refusals = new Map<string, number>()
  const servers = new Servers(folder)
  let problems: string[] = []
  let round = 0
  try {
    let server = await servers.start()
    await storePipeline(server.url)
    while (round < rounds && problems.length === 0) {
      const random = Random.at(seed, round)
      await ask(server.url, tableStatements).catch(error => {
        if (server.fault === undefined) throw error
      })
      const stop = new AbortController()
      const working = work({ url: server.url, ledger, newest, place: [seed, round], signal: stop.signal, refusals })
      const end = await finish(server, random)
      stop.abort()
      await working
      ends.set(end, (ends.get(end) ?? 0) + 1)
      server = await restart(servers, random, ends)
      const check = () => checkRound(server.url, ledger, newest)
      problems = await check().catch(async error => {
        // A fault point may be reached without a write, by a flush for example.
        if (server.fault === undefined) throw error
        await server.exited
        server = await servers.start()
        return check()
      })
      if (problems.length > 0) problems.unshift(`round ${round}, ended by ${end}`)
      round++
      if (round % 50 === 0) report(`round ${round}: ${ledger.answered} requests answered`)
    }
    if (problems.length === 0) problems = await checkAll(server.url, ledger)
  } catch (error) {
    problems = [`round ${round}: ${error instanceof Error ? error.message : error}`]
  } finally {
    await servers.close()
  }
  if (problems.length === 0) rmSync(folder, { recursive: true, force: true })
  return { problems, rounds: round, answered: ledger.answered, ends, refusals, folder }
}

async function storePipeline(url: string): Promise<void> {
  const headers = { 'content-type': 'application/x-yaml' }
  const response = await fetch(`${url}/v1/pipelines/${pipelineName}`, { method: 'POST', headers, body: pipeline })
  if (response.status !== 200) throw new Error(`the pipeline was refused: ${await response.text()}`)
}

interface ChaosServer extends ServerProcess {
  /** The point at which it ends itself. */
  readonly fault: string | undefined
}

class Servers {
  readonly #folder: string
  readonly #cleanups: (() => unknown)[] = []

  constructor(folder: string) {
    this.#folder = folder
  }

  async start(fault?: string, signal?: AbortSignal): Promise<ChaosServer> {
    const teardown = (cleanup: () => unknown) => void this.#cleanups.splice(0, 1, cleanup)
    const env = fault === undefined ? {} : { WEIR_FAULT: fault }
    const server = await startProcess({ teardown }, this.#folder, { env, ...(signal && { signal }) })
    return { ...server, fault }
  }

  async close(): Promise<void> {
    for (const cleanup of this.#cleanups) cleanup()
  }
}

/** Ends the server, this way or that; says which. */
async function finish(server: ChaosServer, random: Random): Promise<string> {
  const after = random.between(20, 400)
  const orderly = random.chance(0.05)
  if (server.fault !== undefined) {
    const ended = await Promise.race([server.exited.then(() => true), pause(patience).then(() => false)])
    if (ended) return server.fault
  } else await pause(after)
  if (!orderly) {
    await server.kill('SIGKILL')
    return 'kill'
  }
  const code = await server.kill('SIGTERM')
  if (code !== 0) throw new Error(`the server ended with code ${code} after SIGTERM`)
  return 'stop'
}

/** A running server again, sometimes after one that was killed while it started. */
async function restart(servers: Servers, random: Random, ends: Map<string, number>): Promise<ChaosServer> {
  const early = random.chance(0.12) ? random.between(50, 600) : undefined
  const fault = random.chance(0.4) ? random.pick(faultPoints) : undefined
  if (early !== undefined) {
    const server = await servers.start(undefined, AbortSignal.timeout(early)).catch(() => undefined)
    await server?.exited
    ends.set('kill at the start', (ends.get('kill at the start') ?? 0) + 1)
  }
  if (fault === undefined) return servers.start()
  try {
    return await servers.start(fault)
  } catch (error) {
    if (!(error instanceof Error && error.message.includes('SIGKILL'))) throw error
    ends.set(`${fault} at the start`, (ends.get(`${fault} at the start`) ?? 0) + 1)
    return servers.start()
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { rounds: { type: 'string' }, seed: { type: 'string' } } })
  const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31))
  const started = Date.now()
  const report = (line: string) => void process.stdout.write(`${line}\n`)
  report(`seed ${seed}`)
  const result = await runChaos({ rounds: Number(values.rounds ?? 100), seed, report })
  const seconds = Math.round((Date.now() - started) / 1000)
  report(`${result.rounds} rounds in ${seconds} s, ${result.answered} requests answered`)
  for (const [end, count] of [...result.ends].sort()) report(`  ${count} × ${end}`)
  for (const [refusal, count] of result.refusals) report(`  ${count} × refused: ${refusal}`)
  if (result.problems.length > 0) {
    report(`seed ${seed}: ${result.problems.slice(0, 20).join('\n')}\nthe data is in ${result.folder}`)
    process.exitCode = 1
  } else report('every answered row is there once, no request by half')
}
