// One chaos run: start, load, kill, check, round after round.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readDataFiles } from '../../core/storage/data-files.ts'
import { ask, checkAll, checkRound } from './check.ts'
import { Ledger } from './ledger.ts'
import { work } from './load.ts'
import { Newest, newestTables } from './newest.ts'
import { Random } from './random.ts'
import { pipeline, pipelineName, tableStatements } from './requests.ts'
import { Victim } from './victim.ts'

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
  /** Requests. */
  readonly answered: number
  /** How the server ended, and how often. */
  readonly ends: ReadonlyMap<string, number>
  /** Answers other than 200 of writes. */
  readonly refusals: ReadonlyMap<string, number>
  /** Statements besides the writes that were answered with success. */
  readonly upkeep: ReadonlyMap<string, number>
  /** Data files an independent reader read at the end. */
  readonly files: number
  /** The data; kept when something is wrong. */
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

/** Plays until the rounds are over or something is wrong. */
export async function runChaos({ rounds, seed, report = () => {} }: ChaosOptions): Promise<ChaosResult> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-chaos-'))
  writeFileSync(join(folder, 'weir.toml'), config)
  const run = new Run(folder, seed)
  let problems: string[] = []
  let round = 0
  try {
    await run.start()
    while (round < rounds && problems.length === 0) {
      problems = await run.play(round)
      round++
      if (round % 50 === 0) report(`round ${round}: ${run.ledger.answered} requests answered`)
    }
    if (problems.length === 0) problems = await run.checkAll()
    if (problems.length === 0) await run.checkFiles()
  } catch (error) {
    problems = [`round ${round}: ${error instanceof Error ? error.message : error}`]
  } finally {
    run.victim.abandon()
  }
  if (problems.length === 0) rmSync(folder, { recursive: true, force: true })
  const { ledger, refusals, upkeep, files, victim } = run
  return { problems, rounds: round, answered: ledger.answered, ends: victim.ends, refusals, upkeep, files, folder }
}

class Run {
  readonly ledger = new Ledger()
  readonly overwritten = { newest: new Newest(newestTables.newest), latest: new Newest(newestTables.latest) }
  readonly refusals = new Map<string, number>()
  readonly upkeep = new Map<string, number>()
  readonly victim: Victim
  files = 0
  readonly #folder: string
  readonly #seed: number

  constructor(folder: string, seed: number) {
    this.#folder = folder
    this.victim = new Victim(folder)
    this.#seed = seed
  }

  async start(): Promise<void> {
    await this.victim.start()
    const headers = { 'content-type': 'application/x-yaml' }
    const path = `${this.victim.url}/v1/pipelines/${pipelineName}`
    const response = await fetch(path, { method: 'POST', headers, body: pipeline })
    if (response.status !== 200) throw new Error(`the pipeline was refused: ${await response.text()}`)
    // Leaves its compiled code behind, which all later starts take.
    await this.victim.stop()
    await this.victim.start()
  }

  async play(round: number): Promise<string[]> {
    const { victim, ledger, overwritten, refusals, upkeep } = this
    await victim.ask(url => ask(url, tableStatements))
    const random = Random.at(this.#seed, round)
    const stop = new AbortController()
    const enough = Promise.withResolvers<void>()
    let left = random.between(1, 80)
    const answered = () => {
      if (--left === 0) enough.resolve()
    }
    const place = [this.#seed, round]
    const { signal } = stop
    const working = work({ url: victim.url, ledger, overwritten, place, signal, answered, refusals, upkeep })
    const end = await victim.finish(random, enough.promise)
    stop.abort()
    await working
    await victim.restart(random)
    const problems = await victim.ask(url => checkRound(url, ledger, Object.values(overwritten)))
    return problems.length === 0 ? [] : [`round ${round}, ended by ${end}`, ...problems]
  }

  checkAll(): Promise<string[]> {
    return this.victim.ask(url => checkAll(url, this.ledger))
  }

  /** Throws when a file cannot be read or its rows are not as many as the catalog says. */
  async checkFiles(): Promise<void> {
    await this.victim.stop()
    for await (const _ of readDataFiles(join(this.#folder, 'data'))) this.files++
  }
}
