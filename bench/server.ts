// The real server as a process of its own on a data folder of its own, and what it costs.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface BenchServer {
  readonly url: string
  readonly pid: number
  /** Seconds of processor time so far, all threads. */
  cpuSeconds(): number
  residentMiB(): number
  kill(signal: NodeJS.Signals): Promise<void>
}

/** Nothing is answered before it is on the disk. */
export const durable = `
[wal]
sync = "always"
[logging]
level = "warn"
append_stdout = false
`

/** The command of the repository, or of the package that was built into the folder `WEIR_PACKAGE` names, which takes less memory. */
function entryPath(): string {
  const folder = process.env['WEIR_PACKAGE']
  return folder === undefined
    ? fileURLToPath(new URL('../bin/weir.js', import.meta.url))
    : resolve(folder, 'bin/weir.js')
}

/** Starts the server with a configuration file and waits until it answers. */
export async function startBenchServer(
  config: string,
  dataHome: string,
  env: Readonly<Record<string, string>> = {}
): Promise<BenchServer> {
  const address = `127.0.0.1:${await freePort()}`
  const args = [entryPath(), 'start', '--config', config, '--data-home', dataHome, '--http-addr', address]
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, ...env }
  })
  process.once('exit', () => child.kill('SIGKILL'))
  const url = `http://${address}`
  await answers(`${url}/health`, child)
  const pid = child.pid!
  return {
    url,
    pid,
    cpuSeconds: () => cpuSecondsOf(pid),
    residentMiB: () =>
      Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024),
    kill: async signal => {
      const gone = once(child, 'exit')
      child.kill(signal)
      await gone
    }
  }
}

/** Seconds of processor time of a process so far, all threads. */
export function cpuSecondsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** What the server says its memory is used for, in MB. */
export async function memoryParts({ url }: BenchServer): Promise<string> {
  const metrics = await (await fetch(`${url}/metrics`)).text()
  const parts = metrics.matchAll(/^svc_memory_bytes\{part="(\w+)"\} (\d+)/gm)
  return Array.from(parts, ([, part, bytes]) => `${part} ${Math.round(Number(bytes) / 2 ** 20)}`).join(', ')
}

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  await once(probe, 'close')
  if (address === null || typeof address === 'string') throw new Error('no free port')
  return address.port
}

/** Lines of CSV. */
export async function rowsOf(server: BenchServer, sql: string): Promise<string[]> {
  const answer = await fetch(`${server.url}/v1/sql?format=csv&sql=${encodeURIComponent(sql)}`)
  return (await answer.text()).trim().split(/\r?\n/)
}

export async function countRows(server: BenchServer, table: string): Promise<number> {
  return Number(await rowsOf(server, `SELECT count(*) FROM "${table}"`))
}

/** All metrics together: every sample is one of another series or time. */
export async function countSamples(server: BenchServer): Promise<number> {
  const tables = (await rowsOf(server, 'SHOW TABLES')).filter(name => !name.startsWith('svc_'))
  let found = 0
  for (const table of tables) found += await countRows(server, table)
  return found
}

/** Waits until a server answers. */
export async function answers(url: string, child: ChildProcess): Promise<void> {
  const until = performance.now() + 60_000
  while (performance.now() < until && child.exitCode === null) {
    try {
      if ((await fetch(url)).ok) return
    } catch {
      await new Promise(resolve => setTimeout(resolve, 100))
    }
  }
  throw new Error(`nobody answers at ${url}`)
}
