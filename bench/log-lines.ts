// What benches of log lines share: a load that is told, the rows after it, and VictoriaLogs as the reference.
import type { LoadResult } from './load.ts'
import { load } from './load-process.ts'
import { whole, wide } from './print.ts'
import { type BenchServer, countRows } from './server.ts'

/** Loads and prints; returns lines a second. */
export async function measureLines(
  server: BenchServer,
  title: string,
  path: string,
  corpus: string,
  connections: number
): Promise<number> {
  const before = server.cpuSeconds()
  const result = await load(server.url + path, corpus, connections)
  const cpu = server.cpuSeconds() - before
  const rate = result.items / result.seconds
  console.log(
    `${title} ${wide(rate)} lines/s durable   p50 ${result.p50ms} ms   p99 ${result.p99ms} ms   ` +
      `server CPU ${cpu.toFixed(1)} s of ${result.seconds.toFixed(1)} s (${((cpu / result.items) * 1e6).toFixed(2)} µs a line)   RSS ${server.residentMiB()} MiB`
  )
  return rate
}

export async function checkRows(server: BenchServer, title: string, table: string, lines: number): Promise<void> {
  const found = await countRows(server, table)
  if (found !== lines) throw new Error(`${table}: ${lines} lines were answered, SQL counts ${found}`)
  console.log(`${title} ${wide(lines)} rows after kill and restart, as sent`)
}

/** One run on two cores: VictoriaMetrics took so many samples by remote write, VictoriaLogs so many NDJSON lines, neither syncing. */
const reference = { samples: 713_000, lines: 156_000 }

/** VictoriaLogs is not measured here: its reference figure is scaled by what VictoriaMetrics does on this machine now. */
export function compareReference(victoriaMetrics: LoadResult, rates: Iterable<readonly [string, number]>): void {
  const samples = victoriaMetrics.items / victoriaMetrics.seconds
  const scale = samples / reference.samples
  const lines = reference.lines * scale
  console.log(`${'victoria-metrics'.padEnd(18)} ${wide(samples)} samples/s by remote write`)
  for (const [title, rate] of rates) {
    console.log(
      `${title} ratio ${(rate / lines).toFixed(2)} to VictoriaLogs, taken as ${whole(lines)} NDJSON lines/s here ` +
        `(${reference.lines} scaled by ${scale.toFixed(2)})`
    )
  }
}
