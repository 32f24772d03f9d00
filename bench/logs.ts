// Log lines a second, durable, through the whole server, by each protocol that takes logs: the same events for all of them. Then the
// server is killed and started again, and the rows are counted by SQL. With --peers beside the figure VictoriaLogs would have here.
import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { writeCorpus } from './corpus.ts'
import type { LoadResult } from './load.ts'
import { type LogProtocol, logCorpus, logProtocols } from './log-corpus.ts'
import { metricCorpus } from './metric-corpus.ts'
import { peerKinds, withPeer } from './peer.ts'
import { type BenchServer, freePort, startBenchServer } from './server.ts'

const config = `
[wal]
sync = "always"
[logging]
level = "warn"
append_stdout = false
`

/** One run on two cores: VictoriaMetrics took so many samples by remote write, VictoriaLogs so many NDJSON lines, neither syncing. */
const reference = { samples: 713_000, lines: 156_000 }

interface Run {
  readonly folder: string
  readonly lines: number
  readonly connections: string
  readonly protocols: readonly LogProtocol[]
}

export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      lines: { type: 'string', default: '1000000' },
      connections: { type: 'string', default: '4' },
      only: { type: 'string', default: '' },
      peers: { type: 'string', default: '' }
    }
  })
  const folder = mkdtempSync(join(tmpdir(), 'weir-bench-'))
  try {
    const protocols = logProtocols.filter(({ table }) => values.only === '' || values.only === table)
    const run = { folder, lines: Number(values.lines), connections: values.connections, protocols }
    const rates = await measureOwn(run)
    if (values.peers !== '') await compareReference(run, values.peers, rates)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Each on a server and folder of its own: rows of one protocol go to files while the next is already measured. */
async function measureOwn(run: Run): Promise<ReadonlyMap<LogProtocol, number>> {
  const file = join(run.folder, 'weir.toml')
  writeFileSync(file, config)
  for (const protocol of run.protocols) writeCorpus(fileOf(run, protocol), logCorpus(protocol, run.lines))
  // Or the bodies would go to the disk while the server waits for it.
  execFileSync('sync')
  const rates = new Map<LogProtocol, number>()
  for (const protocol of run.protocols) {
    const data = join(run.folder, `data-${protocol.table}`)
    const server = await startBenchServer(file, data)
    rates.set(protocol, await measure(run, server, protocol))
    await server.kill('SIGKILL')
    const again = await startBenchServer(file, data)
    await compareCount(again, run.lines, protocol)
    await again.kill('SIGTERM')
  }
  return rates
}

async function compareCount(server: BenchServer, lines: number, { table, name }: LogProtocol): Promise<void> {
  const sql = encodeURIComponent(`SELECT count(*) FROM ${table}`)
  const text = await (await fetch(`${server.url}/v1/sql?format=csv&sql=${sql}`)).text()
  if (Number(text) !== lines) throw new Error(`${table}: ${lines} lines were answered, SQL counts ${text}`)
  console.log(`${name.padEnd(18)} ${whole(lines)} rows after kill and restart, as sent`)
}

function fileOf({ folder }: Run, { table }: LogProtocol): string {
  return join(folder, `${table}.bin`)
}

async function measure(run: Run, server: BenchServer, protocol: LogProtocol): Promise<number> {
  const before = server.cpuSeconds()
  const result = await load(server.url + protocol.path, fileOf(run, protocol), run.connections)
  const cpu = server.cpuSeconds() - before
  const rate = result.items / result.seconds
  console.log(
    `${protocol.name.padEnd(18)} ${whole(rate)} lines/s durable   p50 ${result.p50ms} ms   p99 ${result.p99ms} ms   ` +
      `server CPU ${cpu.toFixed(1)} s of ${result.seconds.toFixed(1)} s (${((cpu / result.items) * 1e6).toFixed(2)} µs a line)   RSS ${server.residentMiB()} MiB`
  )
  return rate
}

async function load(url: string, corpus: string, connections: string): Promise<LoadResult> {
  const script = fileURLToPath(new URL('load.ts', import.meta.url))
  const args = [script, '--url', url, '--corpus', corpus, '--connections', connections]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  const result = JSON.parse(stdout) as LoadResult
  if (result.bad > 0) throw new Error(`${result.bad} of ${result.requests} requests failed, first: ${result.firstBad}`)
  return result
}

/** VictoriaLogs is not measured here: its reference figure is scaled by what VictoriaMetrics does on this machine now. */
async function compareReference(run: Run, programs: string, rates: ReadonlyMap<LogProtocol, number>): Promise<void> {
  const kind = peerKinds.find(({ name }) => name === 'victoria-metrics')!
  const corpus = join(run.folder, 'remote-write.bin')
  writeCorpus(corpus, metricCorpus({ series: 20_000, rounds: 150, churn: 0, perBody: 2000 }))
  const home = join(run.folder, kind.name)
  mkdirSync(home)
  const result = await withPeer(kind, programs, home, await freePort(), url => load(url, corpus, run.connections))
  if (result === undefined) return console.log(`${kind.name} is not in ${programs}`)
  const samples = result.items / result.seconds
  const lines = (reference.lines * samples) / reference.samples
  console.log(`${kind.name.padEnd(18)} ${whole(samples)} samples/s by remote write`)
  for (const [{ name }, rate] of rates) {
    console.log(
      `${name.padEnd(18)} ratio ${(rate / lines).toFixed(2)} to VictoriaLogs, taken as ${whole(lines).trim()} NDJSON lines/s here ` +
        `(${reference.lines} scaled by ${(samples / reference.samples).toFixed(2)})`
    )
  }
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US').padStart(11)
}
