// Log lines a second, durable, through the whole server, by each protocol that takes logs: the same events for all of them. Then the
// server is killed and started again, and the rows are counted by SQL. With --peers beside the figure VictoriaLogs would have here.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { writeCorpus } from './corpus.ts'
import { load } from './load-process.ts'
import { type LogProtocol, logCorpus, logProtocols } from './log-corpus.ts'
import { checkRows, compareReference, measureLines } from './log-lines.ts'
import { metricCorpus } from './metric-corpus.ts'
import { peerKinds, withPeer } from './peer.ts'
import { type BenchServer, durable, freePort, startBenchServer } from './server.ts'

interface Run {
  readonly folder: string
  readonly lines: number
  readonly connections: number
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
    const run = { folder, lines: Number(values.lines), connections: Number(values.connections), protocols }
    const rates = await measureOwn(run)
    if (values.peers !== '') await compareVictoria(run, values.peers, rates)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Each on a server and folder of its own: rows of one protocol go to files while the next is already measured. */
async function measureOwn(run: Run): Promise<ReadonlyMap<LogProtocol, number>> {
  const file = join(run.folder, 'weir.toml')
  writeFileSync(file, durable)
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
    await checkRows(again, protocol.name.padEnd(18), protocol.table, run.lines)
    await again.kill('SIGTERM')
  }
  return rates
}

function fileOf({ folder }: Run, { table }: LogProtocol): string {
  return join(folder, `${table}.bin`)
}

function measure(run: Run, server: BenchServer, protocol: LogProtocol): Promise<number> {
  return measureLines(server, protocol.name.padEnd(18), protocol.path, fileOf(run, protocol), run.connections)
}

async function compareVictoria(run: Run, programs: string, rates: ReadonlyMap<LogProtocol, number>): Promise<void> {
  const kind = peerKinds.find(({ name }) => name === 'victoria-metrics')!
  const corpus = join(run.folder, 'remote-write.bin')
  writeCorpus(corpus, metricCorpus({ series: 20_000, rounds: 150, churn: 0, perBody: 2000 }))
  const home = join(run.folder, kind.name)
  mkdirSync(home)
  const result = await withPeer(kind, programs, home, await freePort(), url => load(url, corpus, run.connections))
  if (result === undefined) return console.log(`${kind.name} is not in ${programs}`)
  compareReference(
    result,
    Array.from(rates, ([{ name }, rate]) => [name.padEnd(18), rate])
  )
}
