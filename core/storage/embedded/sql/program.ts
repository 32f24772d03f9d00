// A program beside the server: a socket to it, what it says of its errors, and its end.
import { spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { giveWay } from '../../../workers/give-way.ts'

export interface ProgramOrder {
  readonly path: string
  readonly arguments: readonly string[]
  /** All of its environment. */
  readonly environment: Readonly<Record<string, string>>
}

export interface ProgramEnd {
  readonly code: number | null
  readonly signal: string | null
}

export interface Program {
  readonly pid: number
  /** Its descriptor 3. */
  readonly socket: Socket
  readonly stderr: Socket
  /** Resolves when it is gone and all it wrote has come. */
  readonly ended: Promise<ProgramEnd>
  /** Ends it whatever it does; nothing where it has ended. */
  kill(): void
  /** Whether this process goes on for it. */
  hold(hold: boolean): void
}

/** Throws where the operating system starts none. It comes behind requests from its first step on. */
export function startProgram({ path, arguments: list, environment }: ProgramOrder): Program {
  const child = spawn(path, list, { stdio: ['ignore', 'ignore', 'pipe', 'pipe'], env: environment })
  // Told a moment later; whether there is a process is known now.
  child.on('error', () => {})
  const { pid } = child
  if (pid === undefined) throw new Error(`${path} cannot be run, or there are too many processes or open files`)
  giveWay('programs', pid)
  const socket = child.stdio[3] as Socket
  const stderr = child.stderr as Socket
  return {
    pid,
    socket,
    stderr,
    ended: new Promise(resolve => child.once('close', (code, signal) => resolve({ code, signal }))),
    kill: () => void child.kill('SIGKILL'),
    hold(hold) {
      for (const handle of [child, socket, stderr]) hold ? handle.ref() : handle.unref()
    }
  }
}
