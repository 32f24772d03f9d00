// Other servers, to be measured in the same run: each started on an empty folder, loaded, and stopped.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { answers } from './server.ts'

export interface PeerKind {
  readonly name: string
  readonly path: string
  readonly ready: string
  args(folder: string, port: number): string[]
  /** What it must be told once it answers. */
  prepare?(url: string): Promise<unknown>
}

export const peerKinds: readonly PeerKind[] = [
  {
    name: 'victoria-metrics',
    path: '/api/v1/write',
    ready: '/health',
    args: (folder, port) => [`-storageDataPath=${folder}`, `-httpListenAddr=127.0.0.1:${port}`, '-retentionPeriod=10y']
  },
  {
    name: 'prometheus',
    path: '/api/v1/write',
    ready: '/-/ready',
    args: (folder, port) => {
      const config = join(folder, 'config.yml')
      // Requests of several connections may overtake each other.
      writeFileSync(config, 'storage: { tsdb: { out_of_order_time_window: 1h } }\n')
      return [
        `--config.file=${config}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
        '--web.enable-remote-write-receiver'
      ]
    }
  }
]

/** Runs work against a peer; undefined when its program is not in the folder. */
export async function withPeer<T>(
  kind: PeerKind,
  programs: string,
  folder: string,
  port: number,
  work: (url: string, pid: number) => Promise<T>
): Promise<T | undefined> {
  const program = join(programs, kind.name)
  if (!existsSync(program)) return undefined
  const child = spawn(program, kind.args(folder, port), { stdio: 'ignore' })
  const gone = once(child, 'exit')
  const stop = () => child.kill('SIGKILL')
  process.once('exit', stop)
  try {
    await answers(`http://127.0.0.1:${port}${kind.ready}`, child)
    await kind.prepare?.(`http://127.0.0.1:${port}`)
    return await work(`http://127.0.0.1:${port}${kind.path}`, child.pid!)
  } finally {
    stop()
    await gone
    process.off('exit', stop)
  }
}
