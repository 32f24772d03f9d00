// The server of a chaos run: killed in various ways, and restarted.
import { failpoints } from '../../../core/storage/embedded/failpoint.ts'
import { type ServerProcess, startProcess } from '../server.ts'
import { pause } from './load.ts'
import type { Random } from './random.ts'

/** Milliseconds a fault point may take to be reached, and a round's writes to be answered. */
const patience = 1000

export class Victim {
  /** How it ended, and how often. */
  readonly ends = new Map<string, number>()
  readonly #folder: string
  #server: ServerProcess | undefined
  /** The point at which the running server ends itself. */
  #fault: string | undefined
  #killLast: () => unknown = () => {}

  constructor(folder: string) {
    this.#folder = folder
  }

  get url(): string {
    return this.#server!.url
  }

  async start(fault?: string, signal?: AbortSignal): Promise<void> {
    const teardown = (kill: () => unknown) => {
      this.#killLast = kill
    }
    const env = fault === undefined ? {} : { WEIR_FAULT: fault }
    this.#fault = fault
    this.#server = await startProcess({ teardown }, this.#folder, { env, ...(signal && { signal }) })
  }

  /** Ends it this way or that when it has done enough, and says which. */
  async finish(random: Random, enough: Promise<void>): Promise<string> {
    const after = random.between(0, 30)
    const orderly = random.chance(0.05)
    const { exited } = this.#server!
    if (this.#fault === undefined) {
      await Promise.race([enough, pause(patience)])
      await pause(after)
    } else {
      const reached = await Promise.race([exited.then(() => true), pause(patience).then(() => false)])
      if (reached) return this.#count(this.#fault)
    }
    return this.#count(await this.#kill(orderly))
  }

  /** Starts it again, sometimes after one that was killed while it started. */
  async restart(random: Random): Promise<void> {
    const early = random.chance(0.12) ? random.between(50, 600) : undefined
    const fault = random.chance(0.4) ? random.pick(failpoints) : undefined
    if (early !== undefined) {
      const started = this.start(undefined, AbortSignal.timeout(early))
      await started.then(() => this.#server!.exited).catch(() => {})
      this.#count('kill at the start')
    }
    try {
      await this.start(fault)
    } catch (error) {
      if (fault === undefined || !(error instanceof Error && error.message.includes('SIGKILL'))) throw error
      this.#count(`${fault} at the start`)
      await this.start()
    }
  }

  /** Asks the server; another one where a fault ends it meanwhile: a flush by age needs no write. */
  async ask<T>(question: (url: string) => Promise<T>): Promise<T> {
    try {
      return await question(this.url)
    } catch (error) {
      if (this.#fault === undefined) throw error
      await Promise.race([this.#server!.exited, pause(patience).then(() => Promise.reject(error))])
      this.#count(`${this.#fault} while asked`)
      await this.start()
      return question(this.url)
    }
  }

  /** Ends it for good, in order unless a fault comes first. */
  async stop(): Promise<void> {
    await this.#kill(true)
  }

  /** Leaves nothing running. */
  abandon(): void {
    this.#killLast()
  }

  async #kill(orderly: boolean): Promise<string> {
    const code = await this.#server!.kill(orderly ? 'SIGTERM' : 'SIGKILL')
    if (!orderly) return 'kill'
    if (code === null && this.#fault !== undefined) return `${this.#fault} at the stop`
    if (code !== 0) throw new Error(`the server ended with code ${code} after SIGTERM`)
    return 'stop'
  }

  #count(end: string): string {
    this.ends.set(end, (this.ends.get(end) ?? 0) + 1)
    return end
  }
}
