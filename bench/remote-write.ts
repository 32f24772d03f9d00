// Samples a second by remote write, durable, through the whole server, beside other servers on the same bodies in the same run; then the
// server is killed and started again, and the samples are counted by SQL.
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { readCorpus, writeCorpus } from './corpus.ts'
import type { LoadResult } from './load.ts'
import { metricCorpus } from './metric-corpus.ts'
import { peerKinds, withPeer } from './peer.ts'
import { type BenchServer, cpuSecondsOf, freePort, startBenchServer } from './server.ts'

export const config = `
[wal]
sync = "always"
[logging]
level = "warn"
append_stdout = false
`

/** So many fit on a line. */
const mostRounds = 10

export interface Run {
  readonly folder: string
  readonly corpus: string
  readonly items: number
  readonly connections: number
  /** Rounds of the corpus, where the rate of each is to be told. */
  readonly rounds?: number
}

export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      corpus: { type: 'string' },
      series: { type: 'string', default: '20000' },
      rounds: { type: 'string', default: '200' },
      churn: { type: 'string', default: '0' },
      connections: { type: 'string', default: '4' },
      peers: { type: 'string', default: '' }
    }
  })
  const folder = mkdtempSync(join(tmpdir(), 'weir-bench-'))
  try {
    const corpus = values.corpus ?? join(folder, 'remote-write.bin')
    if (values.corpus === undefined) {
      const [series, rounds, churn] = [Number(values.series), Number(values.rounds), Number(values.churn)]
      writeCorpus(corpus, metricCorpus({ series, rounds, churn, perBody: 2000 }))
      console.log(`${whole(series)} series, ${rounds} rounds, ${churn * 100} % new in every round`)
    }
    const run = {
      ...{ folder, corpus, items: readCorpus(corpus).items, connections: Number(values.connections) },
      ...(values.corpus === undefined && Number(values.rounds) <= mostRounds && { rounds: Number(values.rounds) })
    }
    const own = await measureOwn(run)
    for (const kind of peerKinds) {
      const home = join(folder, kind.name)
      mkdirSync(home)
      const result = await withPeer(kind, values.peers, home, await freePort(), (url, pid) =>
        measurePeer(run, url, pid)
      )
      if (result === undefined) console.log(`${kind.name.padEnd(18)} not in --peers`)
      else console.log(`${line(kind.name, result)}   ratio ${ratio(own, result)}`)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measureOwn(run: Run): Promise<Measured> {
  const file = join(run.folder, 'weir.toml')
  writeFileSync(file, config)
  const data = join(run.folder, 'data')
  const server = await startBenchServer(file, data)
  const watch = watchMemory(server)
  const result = await measurePeer(run, `${server.url}/v1/metricsys/write`, server.pid)
  console.log(`${line('weir', result)}   RSS at most ${watch.stop()} MiB`)
  if (run.rounds !== undefined) console.log(roundLine(run.items / run.rounds, result))
  await server.kill('SIGKILL')
  const again = await startBenchServer(file, data)
  await compareCount(again, run.items)
  await again.kill('SIGTERM')
  return result
}

/** With the processor time it took: what a busy machine does not change. */
export interface Measured extends LoadResult {
  readonly cpu: number
}

export async function measurePeer(run: Run, url: string, pid: number): Promise<Measured> {
  const before = cpuSecondsOf(pid)
  const result = await load(run, url)
  return { ...result, cpu: cpuSecondsOf(pid) - before }
}

/** Of the samples a second, and of those a second of processor time. */
export function ratio(own: Measured, peer: Measured): string {
  const rates = own.items / own.seconds / (peer.items / peer.seconds)
  return `${rates.toFixed(2)}, by processor time ${(peer.cpu / own.cpu).toFixed(2)}`
}

export function watchMemory(server: BenchServer): { stop(): number } {
  let most = 0
  const look = () => {
    most = Math.max(most, server.residentMiB())
  }
  const timer = setInterval(look, 200)
  return {
    stop() {
      clearInterval(timer)
      look()
      return most
    }
  }
}

async function load({ corpus, connections, rounds = 1 }: Run, url: string): Promise<LoadResult> {
  const script = fileURLToPath(new URL('load.ts', import.meta.url))
  const args = [
    script,
    '--url',
    url,
    '--corpus',
    corpus,
    '--connections',
    String(connections),
    '--parts',
    String(rounds)
  ]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  const result = JSON.parse(stdout) as LoadResult
  if (result.bad > 0) throw new Error(`${result.bad} of ${result.requests} requests failed, first: ${result.firstBad}`)
  return result
}

/** All metrics together: every sample of the corpus is one of another series or time. */
async function compareCount(server: BenchServer, items: number): Promise<void> {
  const tables = (await rowsOf(server, 'SHOW TABLES')).filter(name => !name.startsWith('svc_'))
  let found = 0
  for (const table of tables) found += Number(await rowsOf(server, `SELECT count(*) FROM "${table}"`))
  if (found !== items) throw new Error(`${items} samples were answered, SQL counts ${found}`)
  console.log(`${'weir'.padEnd(18)} ${whole(found)} samples after kill and restart, as sent`)
}

/** Lines of CSV. */
export async function rowsOf(server: BenchServer, sql: string): Promise<string[]> {
  const answer = await fetch(`${server.url}/v1/sql?format=csv&sql=${encodeURIComponent(sql)}`)
  return (await answer.text()).trim().split(/\r?\n/)
}

export function line(name: string, { items, seconds, p50ms, p99ms, cpu }: Measured): string {
  const each = `CPU ${cpu.toFixed(1)} s (${((cpu / items) * 1e6).toFixed(2)} µs a sample)`
  return `${name.padEnd(18)} ${whole(items / seconds)} samples/s   p50 ${p50ms} ms   p99 ${p99ms} ms   ${each}`
}

/** Samples a second of each round: what new series cost, and whether it grows. */
function roundLine(items: number, { parts }: Measured): string {
  return `${'by round'.padEnd(18)} ${parts.map(seconds => whole(items / seconds)).join(' ')} samples/s`
}

export function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US').padStart(11)
}
