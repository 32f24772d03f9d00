// Runs a Prometheus for a test, as sender, as reader, or for comparing its answers.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { eventually } from './eventually.ts'
import { temporaryFolder } from './helpers.ts'
import { findProgram, freePort, needing } from './programs.ts'

const program = 'prometheus'

export interface Peer {
  readonly url: string
  stop(): Promise<void>
}

/** `flags` follow those every peer is started with. */
export async function startPeer(
  t: Test,
  config: string,
  features: readonly string[],
  flags: readonly string[] = []
): Promise<Peer> {
  const folder = temporaryFolder(t)
  const port = await freePort()
  writeFileSync(join(folder, 'config.yml'), config)
  const child: ChildProcess = spawn(
    findProgram(program)!,
    [
      `--config.file=${join(folder, 'config.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      `--enable-feature=${features.join(',')}`,
      '--log.level=warn',
      ...flags
    ],
    { stdio: ['ignore', 'ignore', 'ignore'] }
  )
  const gone = once(child, 'exit')
  const stop = async () => {
    child.kill('SIGTERM')
    await gone
  }
  t.teardown(() => child.kill('SIGKILL'))
  const url = `http://127.0.0.1:${port}`
  await eventually(async () => (await fetch(`${url}/-/ready`)).ok)
  return { url, stop }
}

/** 0 where there is none. */
export function majorVersion(): number {
  const path = findProgram(program)
  const text =
    path === undefined
      ? ''
      : execFileSync(path, ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  return Number(/version (\d+)/.exec(text)?.[1] ?? 0)
}

/** Options of a test that runs a Prometheus of at least this version. */
export function needingVersion(major: number, why: string): { readonly skip: string | false } {
  const found = majorVersion()
  const old = found > 0 && found < major ? `prometheus ${found} ${why}` : false
  return { ...needing(program), ...(old && { skip: old }) }
}
