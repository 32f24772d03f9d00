// A ClickHouse for tests: chdb behind its HTTP protocol, or the cluster CLICKHOUSE_URL names.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const chdb = 'chdb@3.4.0'

/**
 * Options of a test that needs a ClickHouse: skipped without chdb, unless `WEIR_REQUIRE_CLIENTS=1` says that it must be there. It takes half a
 * gigabyte and runs on some systems only, so it is not a dependency.
 */
export function needingClickHouse(): { readonly skip: string | false } {
  if (process.env['CLICKHOUSE_URL'] !== undefined) return { skip: false }
  try {
    createRequire(import.meta.url).resolve('chdb')
    return { skip: false }
  } catch {
    const reason = `chdb is not installed: npm install --no-save ${chdb}, or CLICKHOUSE_URL`
    if (process.env['WEIR_REQUIRE_CLIENTS'] === '1') throw new Error(reason)
    return { skip: reason }
  }
}

export interface ClickHouseServer {
  readonly url: string
  readonly username: string
  readonly password: string
  /** Ends it as a crash would; its data stay. */
  stop(): Promise<void>
  /** Starts it again over the same data, at the same address. */
  start(): Promise<void>
}

export interface ClickHouseOptions {
  readonly password?: string
  /** Default: a new one. */
  readonly folder?: string
}

/** A server of its own in a folder of its own; both are gone after the test. */
export async function startClickHouse(
  t: { teardown(work: () => unknown): void },
  { password = '', folder: wanted }: ClickHouseOptions = {}
): Promise<ClickHouseServer> {
  const given = process.env['CLICKHOUSE_URL']
  if (given !== undefined) {
    const url = new URL(given)
    const { username, password } = url
    url.username = url.password = ''
    return { url: url.href, username: username || 'default', password, stop: async () => {}, start: async () => {} }
  }
  const folder = wanted ?? mkdtempSync(join(tmpdir(), 'weir-chdb-'))
  mkdirSync(folder, { recursive: true })
  let running = await run(folder, password, 0)
  const { port } = running
  t.teardown(async () => {
    await end(running.child)
    rmSync(folder, { recursive: true, force: true })
  })
  return {
    url: `http://127.0.0.1:${port}`,
    username: 'default',
    password,
    stop: () => end(running.child),
    async start() {
      running = await run(folder, password, port)
    }
  }
}

async function run(folder: string, password: string, port: number) {
  const child = fork(join(import.meta.dirname, 'chdb-process.ts'), [folder, password, String(port)], {
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc']
  })
  const [said] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`chdb ended with ${code} before it listened`)))
  ])) as [{ readonly port: number }]
  return { child, port: said.port }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}
