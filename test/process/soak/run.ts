// A soak: the real server under every kind of load at once, and what it holds meanwhile.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ServerProcess, startProcess } from '../server.ts'
import { pipeline, pipelineName, queries, type SoakJob, type SoakRequest, sql, upkeep, writes } from './jobs.ts'
import { type Load, pause, startLoad, type Tally } from './load.ts'
import { type Reading, read } from './measure.ts'
import { judge, type Verdict } from './verdict.ts'

export interface SoakOptions {
  readonly minutes: number
  /** Kills the server as a power cut would and starts it again, so many times; only what comes after the last one is judged. */
  readonly kills?: number
  readonly jobs?: readonly SoakJob[]
  /** Called with every reading. */
  readonly report?: (reading: Reading) => void
}

export interface SoakResult {
  readonly readings: readonly Reading[]
  readonly verdicts: readonly Verdict[]
  readonly tallies: ReadonlyMap<string, Tally>
  readonly errors: ReadonlyMap<string, number>
  /** Rows SQL found at the end, by table. */
  readonly rows: ReadonlyMap<string, number>
}

/** Small, so that rows leave memory and expire many times in a run; data lives a sixth of it. */
const config = (minutes: number) => `auto_create_table = true
[http]
addr = "127.0.0.1:0"
[storage]
data_home = "data"
memory_limit = "512MiB"
memtable_size = "16MiB"
memtable_limit = "128MiB"
flush_interval = "${Math.max(1, Math.round(minutes * 2))}s"
[wal]
segment_size = "4MiB"
[logging]
log_format = "json"
max_log_files = 0
`

export async function runSoak({
  minutes,
  kills = 0,
  jobs = allJobs(minutes),
  report
}: SoakOptions): Promise<SoakResult> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-soak-'))
  const soak = new Soak(folder, minutes, report ?? (() => {}))
  try {
    await soak.start()
    return await soak.play(jobs, kills)
  } finally {
    await soak.end()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Tables are made with an end to their rows. */
function allJobs(minutes: number): readonly SoakJob[] {
  const hints = { 'x-svc-hints': `ttl=${Math.max(10, Math.round(minutes * 10))}s` }
  const expiring = (job: SoakJob): SoakJob => ({
    ...job,
    request(turn, now) {
      const request = job.request(turn, now)
      return { ...request, headers: { ...hints, ...request.headers } }
    }
  })
  return [...writes.map(expiring), ...queries, ...upkeep]
}

class Soak {
  readonly #folder: string
  readonly #minutes: number
  readonly #report: (reading: Reading) => void
  #server: ServerProcess | undefined
  #isDown = false
  #kill: () => unknown = () => {}

  constructor(folder: string, minutes: number, report: (reading: Reading) => void) {
    this.#folder = folder
    this.#minutes = minutes
    this.#report = report
  }

  async start(): Promise<void> {
    writeFileSync(join(this.#folder, 'weir.toml'), config(this.#minutes))
    await this.#startServer()
    const headers = { 'content-type': 'application/x-yaml' }
    await this.#expect({ path: `/v1/pipelines/${pipelineName}`, headers, body: pipeline })
    const table = 'CREATE TABLE soak_rows (host STRING, at TIMESTAMP(3) TIME INDEX, turn BIGINT, PRIMARY KEY (host))'
    await this.#expect(sql(table))
  }

  async play(jobs: readonly SoakJob[], kills: number): Promise<SoakResult> {
    const load = startLoad({ url: () => this.#server!.url, jobs, isDown: () => this.#isDown })
    const duration = this.#minutes * 60_000
    let readings: Reading[] = []
    for (let part = 0; part <= kills; part++) {
      if (part > 0) await this.#crash()
      readings = await this.#watch((duration * part) / (kills + 1), (duration * (part + 1)) / (kills + 1), load)
    }
    await load.stop()
    const rows = await this.#countRows()
    return { readings, verdicts: judge(readings), tallies: load.tallies, errors: load.errors, rows }
  }

  async end(): Promise<void> {
    const code = await this.#server?.kill('SIGTERM')
    this.#kill()
    if (code !== 0 && code !== undefined) throw new Error(`the server ended with code ${code}`)
  }

  /** Readings from one time of the run to another, at least 60, at most one in five seconds. */
  async #watch(from: number, to: number, load: Load): Promise<Reading[]> {
    const readings: Reading[] = []
    const every = Math.min(5000, (to - from) / 60)
    const start = performance.now() - from
    for (let at = from; at < to; at = performance.now() - start) {
      const reading = await read(this.#server!.url, this.#server!.pid, at)
      readings.push(reading)
      this.#report(reading)
      if (load.errors.size > 20) break
      await pause(Math.min(every, to - at), new AbortController().signal)
    }
    return readings
  }

  async #crash(): Promise<void> {
    this.#isDown = true
    await this.#server!.kill('SIGKILL')
    await this.#startServer()
    this.#isDown = false
  }

  async #startServer(): Promise<void> {
    const teardown = (kill: () => unknown) => {
      this.#kill = kill
    }
    this.#server = await startProcess({ teardown }, this.#folder)
  }

  async #expect({ path, headers = {}, body }: SoakRequest): Promise<string> {
    const response = await fetch(this.#server!.url + path, { method: 'POST', headers, ...(body && { body }) })
    const text = await response.text()
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`)
    return text
  }

  async #countRows(): Promise<ReadonlyMap<string, number>> {
    const records = async (statement: string) => {
      const answer = JSON.parse(await this.#expect(sql(statement)))
      return answer.output[0].records.rows as unknown[][]
    }
    const tables = (await records('SHOW TABLES')).map(([name]) => String(name)).filter(name => !name.startsWith('svc_'))
    const counts = new Map<string, number>()
    for (const table of tables) counts.set(table, Number((await records(`SELECT count(*) FROM "${table}"`))[0]![0]))
    return counts
  }
}
