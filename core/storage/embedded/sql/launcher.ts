// Starts programs from a small process: to start one the system copies the tables of the starter's memory, which holds up a server of two
// gigabytes for 60 ms.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { LauncherOrder, LauncherWord } from './launcher-process.ts'
import { type Program, type ProgramEnd, type ProgramOrder, startProgram } from './program.ts'

/** Nothing is known of the end of a program whose launcher has ended: it goes with its socket. */
const unknownEnd: ProgramEnd = { code: null, signal: 'SIGKILL' }

interface Started {
  pid: number
  /** What leads to it. */
  socket: Socket | undefined
  stderr: Socket | undefined
  readonly ended: PromiseWithResolvers<ProgramEnd>
  readonly resolve: (program: Program) => void
  readonly reject: (error: Error) => void
}

export class Launcher {
  #process: ChildProcess | undefined
  readonly #started = new Map<number, Started>()
  /** Of which this process goes on to hear. */
  readonly #held = new Set<number>()
  #last = 0
  #isFirst = true

  /** The first program directly: the server is small when it starts, and most servers need no other one. */
  async start(order: ProgramOrder): Promise<Program> {
    if (this.#isFirst) {
      this.#isFirst = false
      return startProgram(order)
    }
    this.#process ??= this.#launch()
    const id = ++this.#last
    this.#hold(id, true)
    return new Promise<Program>((resolve, reject) => {
      const ended = Promise.withResolvers<ProgramEnd>()
      this.#started.set(id, { pid: 0, socket: undefined, stderr: undefined, ended, resolve, reject })
      this.#tell({ id, start: order })
    })
  }

  close(): void {
    if (this.#process?.connected) this.#process.disconnect()
  }

  #tell(order: LauncherOrder): void {
    if (this.#process?.connected) this.#process.send(order, () => {})
  }

  #launch(): ChildProcess {
    const ending = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
    const program = fileURLToPath(new URL(`launcher-process.${ending}`, import.meta.url))
    const created = fork(program, [], {
      execArgv: ['--disable-sigusr1', '--max-semi-space-size=1'],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      serialization: 'json'
    })
    created.on('message', (word, handle) => this.#receive(word as LauncherWord, handle as Socket | undefined))
    // Of a start that fails and of one that ends by itself: the next program needs another one.
    const lost = () => {
      if (this.#process === created) this.#process = undefined
      for (const { socket, stderr, reject, ended } of this.#started.values()) {
        socket?.destroy()
        stderr?.destroy()
        reject(new Error('the process that starts others has ended'))
        ended.resolve(unknownEnd)
      }
      this.#started.clear()
      this.#held.clear()
    }
    created.once('error', lost)
    created.once('disconnect', lost)
    created.unref()
    created.channel?.unref()
    return created
  }

  #hold(id: number, hold: boolean): void {
    if (hold) this.#held.add(id)
    else this.#held.delete(id)
    if (this.#held.size > 0) this.#process?.channel?.ref()
    else this.#process?.channel?.unref()
  }

  #forget(id: number): void {
    this.#started.delete(id)
    this.#hold(id, false)
  }

  #receive(word: LauncherWord, handle: Socket | undefined): void {
    const started = this.#started.get(word.id)
    if (started === undefined) return void handle?.destroy()
    if ('error' in word) {
      this.#forget(word.id)
      started.reject(new Error(word.error))
    } else if ('pid' in word) {
      started.pid = word.pid
      started.socket = handle
    } else if ('end' in word) {
      this.#forget(word.id)
      started.reject(new Error('it ended at once'))
      started.ended.resolve(word.end)
    } else if (started.socket !== undefined && handle !== undefined) {
      started.stderr = handle
      started.resolve(this.#programOf(word.id, started.pid, started.socket, handle, started.ended.promise))
    }
  }

  #programOf(id: number, pid: number, socket: Socket, stderr: Socket, end: Promise<ProgramEnd>): Program {
    const said = once(stderr, 'close')
    const ended = end.then(async how => {
      // What it said last may still be on its way.
      await said
      return how
    })
    return {
      pid,
      socket,
      stderr,
      ended,
      kill: () => this.#tell({ id, kill: true }),
      hold: hold => {
        for (const handle of [socket, stderr]) hold ? handle.ref() : handle.unref()
        if (this.#started.has(id)) this.#hold(id, hold)
      }
    }
  }
}
