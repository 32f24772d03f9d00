// What a CPU profile costs while it is taken: log lines a second without one and with one, round after round, in turns.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ndjsonCorpus, writeCorpus } from './corpus.ts'
import { load } from './load-process.ts'
import { type BenchServer, startBenchServer } from './server.ts'

/** Nothing is flushed or merged beside what is measured. */
const config = `
[storage]
memtable_size = "1GiB"
memtable_limit = "2GiB"
[logging]
level = "warn"
append_stdout = false
`

interface Round {
  /** Lines a second, and of a second of processor time. */
  readonly rate: number
  readonly perCpu: number
}

export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: 'string', default: '8' },
      lines: { type: 'string', default: '500000' },
      frequency: { type: 'string', default: '99' },
      connections: { type: 'string', default: '4' }
    }
  })
  const folder = mkdtempSync(join(tmpdir(), 'weir-bench-'))
  try {
    const corpus = join(folder, 'ndjson.bin')
    writeCorpus(corpus, ndjsonCorpus(Number(values.lines)))
    writeFileSync(join(folder, 'weir.toml'), config)
    const server = await startBenchServer(join(folder, 'weir.toml'), join(folder, 'data'))
    const load = async () => {
      const round = await measure(server, corpus, Number(values.connections))
      await settle(server)
      return round
    }
    await load()
    const rounds = { without: [] as Round[], with: [] as Round[] }
    for (let i = 0; i < Number(values.rounds); i++) {
      // Each goes first in turn.
      for (const kind of i % 2 === 0 ? (['without', 'with'] as const) : (['with', 'without'] as const)) {
        rounds[kind].push(kind === 'with' ? await whileProfiled(server, values.frequency, load) : await load())
      }
    }
    await server.kill('SIGTERM')
    report(rounds.without, rounds.with, values.frequency)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measure(server: BenchServer, corpus: string, connections: number): Promise<Round> {
  const url = `${server.url}/v1/ingest?table=logs&pipeline_name=svc_identity`
  const before = server.cpuSeconds()
  const { items, seconds } = await load(url, corpus, connections)
  return { rate: items / seconds, perCpu: items / (server.cpuSeconds() - before) }
}

/** Forgets the rows and waits until the server has nothing to do. */
async function settle(server: BenchServer): Promise<void> {
  await fetch(`${server.url}/v1/sql?sql=${encodeURIComponent('DROP TABLE logs')}`)
  for (let before = -1; server.cpuSeconds() - before > 0.02; ) {
    before = server.cpuSeconds()
    await new Promise(resolve => setTimeout(resolve, 250))
  }
}

/** The profile begins before the load and ends with it, because its client leaves. */
async function whileProfiled(server: BenchServer, frequency: string, load: () => Promise<Round>): Promise<Round> {
  const leave = new AbortController()
  const url = `${server.url}/debug/prof/cpu?seconds=120&frequency=${frequency}`
  const profile = fetch(url, { method: 'POST', signal: leave.signal })
  profile.catch(() => {})
  await until(server, 1)
  const round = await load()
  await until(server, 1)
  leave.abort()
  await until(server, 0)
  return round
}

async function until(server: BenchServer, active: 0 | 1): Promise<void> {
  for (const end = performance.now() + 10_000; performance.now() < end; ) {
    const metrics = await (await fetch(`${server.url}/metrics`)).text()
    if (metrics.includes(`svc_profiling_active{kind="cpu"} ${active}\n`)) return
    await new Promise(resolve => setTimeout(resolve, 20))
  }
  throw new Error(active === 1 ? 'no profile is being taken' : 'the profile does not end')
}

function report(without: readonly Round[], profiled: readonly Round[], frequency: string): void {
  for (const [name, of] of [['lines/s', 'rate'] as const, ['lines a second of processor time', 'perCpu'] as const]) {
    const [base, cost] = [without, profiled].map(rounds => median(rounds.map(round => round[of])))
    const change = ((cost! / base! - 1) * 100).toFixed(1)
    console.log(
      `${name}: ${Math.round(base!).toLocaleString('en-US')} without, ${Math.round(cost!).toLocaleString('en-US')} with a profile at ` +
        `${frequency} Hz: ${change} % (medians of ${without.length} rounds each)`
    )
    console.log(`  without ${list(without, of)}\n  with    ${list(profiled, of)}`)
  }
}

function list(rounds: readonly Round[], of: keyof Round): string {
  return rounds.map(round => Math.round(round[of] / 1000)).join(', ')
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return (sorted[Math.floor((sorted.length - 1) / 2)]! + sorted[Math.ceil((sorted.length - 1) / 2)]!) / 2
}
