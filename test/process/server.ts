// Runs the real server as a process: starts, kills and restarts it.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import { compileCache } from '../compile-cache.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

export interface ServerProcess {
  /** Address of the main server, `http://127.0.0.1:PORT`. */
  readonly url: string
  readonly pid: number
  /** Resolves when the process has ended, for any reason. */
  readonly exited: Promise<void>
  /** Ends it as a power cut would, or in order with `SIGTERM`; resolves with its exit code when it is gone. */
  kill(signal: 'SIGKILL' | 'SIGTERM' | 'SIGINT'): Promise<number | null>
  /** Of a process that ends by itself. */
  exitCode(): Promise<number | null>
}

/** A folder for configuration and data that goes with the test. */
export function serverFolder(t: Pick<Test, 'teardown'>, toml = ''): string {
  const dir = mkdtempSync(join(tmpdir(), 'weir-process-'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  const config = `[http]\naddr = "127.0.0.1:0"\n[storage]\ndata_home = ${JSON.stringify(join(dir, 'data'))}\n[logging]\nlog_format = "json"\nmax_log_files = 0\n`
  writeFileSync(join(dir, 'weir.toml'), config + toml)
  return dir
}

/** Milliseconds until a server that was told to end is said to stand still. */
const maxStopTime = 60_000

export interface ProcessOptions {
  /** The file that is the command; default the repository's. */
  readonly command?: string
  /** Program and arguments that start Node with what follows. */
  readonly through?: readonly string[]
  /** The Node that runs it; default the test's own. */
  readonly node?: string
  readonly env?: Readonly<Record<string, string>>
  /** Kills it as a power cut would, also while it starts. */
  readonly signal?: AbortSignal
  /** Told what it writes to the standard error. */
  readonly onStderr?: (text: string) => void
  /** Told each line it logs. */
  readonly onLine?: (line: string) => void
}

/** Starts the server of a folder and waits until it listens. */
export async function startProcess(
  t: Pick<Test, 'teardown'>,
  dir: string,
  options: ProcessOptions = {}
): Promise<ServerProcess> {
  const {
    command = join(root, 'bin/weir.js'),
    through = [],
    node = process.execPath,
    env = {},
    signal,
    onLine,
    onStderr
  } = options
  const [program, ...args] = [...through, node, command, 'start', '--config', join(dir, 'weir.toml')]
  const child = spawn(program!, args, {
    cwd: dir,
    stdio: ['ignore', 'pipe', 'pipe'],
    // Without what watches the Node of a test: a start takes longer by it, and who is killed tells nothing of it.
    env: { ...process.env, NODE_OPTIONS: '', NODE_COMPILE_CACHE: compileCache, ...env },
    ...(signal && { signal, killSignal: 'SIGKILL' })
  })
  const exited = new Promise<void>(resolve => child.once('exit', () => resolve()))
  const lines: string[] = []
  const keep = (line: string) => {
    lines.push(line)
    if (lines.length > 50) lines.shift()
    onLine?.(line)
  }
  child.on('error', () => {})
  if (onStderr) child.stderr!.on('data', data => onStderr(String(data)))
  killWithTest(t, child)
  const url = await listening(child, keep)
  return {
    url,
    pid: child.pid!,
    exited,
    async exitCode() {
      await exited
      return child.exitCode
    },
    async kill(signal) {
      child.kill(signal)
      const ended = await Promise.race([exited.then(() => true), sleep(maxStopTime, false, { ref: false })])
      if (ended) return child.exitCode
      const state = stateOf(child.pid!)
      child.kill('SIGKILL')
      throw new Error(
        `it goes on ${maxStopTime / 1000} s after ${signal}; its threads:\n${state}\nit said:\n${lines.join('\n')}`
      )
    }
  }
}

const living = new Set<ChildProcess>()
const endLiving = () => {
  for (const child of living) child.kill('SIGKILL')
}
process.on('exit', endLiving)
process.once('SIGTERM', signal => {
  endLiving()
  process.kill(process.pid, signal)
})

/** Ends a process with the test that started it, also where the test's own process is ended because it takes too long. */
export function killWithTest(t: Pick<Test, 'teardown'>, child: ChildProcess): void {
  living.add(child)
  child.once('exit', () => living.delete(child))
  t.teardown(() => child.kill('SIGKILL'))
}

/** Name, state and processor time of each thread of a process. */
function stateOf(pid: number): string {
  try {
    return readdirSync(`/proc/${pid}/task`)
      .map(thread => readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8').split(' ').slice(1, 15).join(' '))
      .join('\n')
  } catch (error) {
    return String(error)
  }
}

async function listening(child: ChildProcess, onLine: (line: string) => void): Promise<string> {
  const lines: string[] = []
  child.stderr!.on('data', data => lines.push(String(data)))
  const reader = createInterface({ input: child.stdout! })
  const url = await new Promise<string | undefined>(resolve => {
    reader.on('line', line => {
      onLine(line)
      lines.push(line)
      const started = /"main":"(http:[^"]+)"/.exec(line)
      if (started) resolve(started[1]!)
    })
    reader.once('close', () => resolve(undefined))
  })
  if (url !== undefined) return url
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  throw new Error(`the server did not start (${child.signalCode ?? child.exitCode}):\n${lines.join('\n')}`)
}

/** Rows of a statement, from the running server. */
export async function sql(server: ServerProcess, statement: string): Promise<unknown[][]> {
  const response = await fetch(`${server.url}/v1/sql`, {
    method: 'POST',
    body: new URLSearchParams({ sql: statement })
  })
  const body = (await response.json()) as { output?: { records?: { rows: unknown[][] } }[]; error?: string }
  if (!response.ok) throw new Error(`${statement}: ${body.error}`)
  return body.output?.[0]?.records?.rows ?? []
}
