// The same bodies to our server and to others, in the same run: what they take a second, and what it costs them.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LoadResult } from './load.ts'
import { load } from './load-process.ts'
import { type PeerKind, withPeer } from './peer.ts'
import { wide } from './print.ts'
import { type BenchServer, cpuSecondsOf, durable, freePort, startBenchServer } from './server.ts'

export interface Run {
  readonly folder: string
  readonly corpus: string
  readonly items: number
  readonly connections: number
  /** Rounds of the corpus, where the rate of each is to be told. */
  readonly rounds?: number
}

/** With the processor time it took: what a busy machine does not change. */
export interface Measured extends LoadResult {
  readonly cpu: number
}

/** What the bodies hold, and how many of it SQL finds. */
export interface Counted {
  readonly what: string
  count(server: BenchServer): Promise<number>
}

/** Loads our server, durable; then it is killed and started again, and must hold all that was sent. */
export async function measureOwn(run: Run, path: string, { what, count }: Counted): Promise<Measured> {
  const file = join(run.folder, 'weir.toml')
  writeFileSync(file, durable)
  const data = join(run.folder, 'data')
  const server = await startBenchServer(file, data)
  const watch = watchMemory(server)
  const result = await measure(run, server.url + path, server.pid)
  console.log(`${line('weir', result)}   RSS at most ${watch.stop()} MiB`)
  if (run.rounds !== undefined) console.log(roundLine(run.items / run.rounds, result))
  await server.kill('SIGKILL')
  const again = await startBenchServer(file, data)
  const found = await count(again)
  if (found !== run.items) throw new Error(`${run.items} ${what} were answered, SQL counts ${found}`)
  console.log(`${'weir'.padEnd(18)} ${wide(found)} ${what} after kill and restart, as sent`)
  await again.kill('SIGTERM')
  return result
}

export async function comparePeers(
  run: Run,
  own: Measured,
  kinds: readonly PeerKind[],
  programs: string
): Promise<void> {
  for (const kind of kinds) {
    const home = join(run.folder, kind.name)
    mkdirSync(home)
    const result = await withPeer(kind, programs, home, await freePort(), (url, pid) => measure(run, url, pid))
    if (result === undefined) console.log(`${kind.name.padEnd(18)} not in --peers`)
    else console.log(`${line(kind.name, result)}   ratio ${ratio(own, result)}`)
  }
}

async function measure({ corpus, connections, rounds }: Run, url: string, pid: number): Promise<Measured> {
  const before = cpuSecondsOf(pid)
  const result = await load(url, corpus, connections, rounds)
  return { ...result, cpu: cpuSecondsOf(pid) - before }
}

/** Of the samples a second, and of those a second of processor time. */
function ratio(own: Measured, peer: Measured): string {
  const rates = own.items / own.seconds / (peer.items / peer.seconds)
  return `${rates.toFixed(2)}, by processor time ${(peer.cpu / own.cpu).toFixed(2)}`
}

function watchMemory(server: BenchServer): { stop(): number } {
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

function line(name: string, { items, seconds, p50ms, p99ms, cpu }: Measured): string {
  const each = `CPU ${cpu.toFixed(1)} s (${((cpu / items) * 1e6).toFixed(2)} µs a sample)`
  return `${name.padEnd(18)} ${wide(items / seconds)} samples/s   p50 ${p50ms} ms   p99 ${p99ms} ms   ${each}`
}

/** Samples a second of each round: what new series cost, and whether it grows. */
function roundLine(items: number, { parts }: Measured): string {
  return `${'by round'.padEnd(18)} ${parts.map(seconds => wide(items / seconds)).join(' ')} samples/s`
}
