// Sends every job at its interval until told to stop, and counts the answers.
import type { SoakJob } from './jobs.ts'

export interface Tally {
  answered: number
  /** Milliseconds, all together. */
  spent: number
  /** Milliseconds. */
  longest: number
}

export interface Load {
  readonly tallies: ReadonlyMap<string, Tally>
  /** Answers other than success, and broken connections: what was said → how often. */
  readonly errors: ReadonlyMap<string, number>
  /** Resolves when every job has stopped. */
  stop(): Promise<void>
}

export interface LoadOptions {
  /** Asked before each request: the server may have been started anew. */
  readonly url: () => string
  readonly jobs: readonly SoakJob[]
  /** True while broken connections are no errors; nor are they where the server has another address meanwhile. */
  readonly isDown: () => boolean
}

/** First every job once, in order, then all side by side. */
export function startLoad(options: LoadOptions): Load {
  const stopping = new AbortController()
  const tallies = new Map(options.jobs.map(({ name }) => [name, { answered: 0, spent: 0, longest: 0 }]))
  const errors = new Map<string, number>()
  const ask = async (job: SoakJob, turn: number) => {
    const started = performance.now()
    const url = options.url()
    const error = await send(url, job, turn)
    const tally = tallies.get(job.name)!
    if (error === undefined) {
      const took = performance.now() - started
      tally.answered++
      tally.spent += took
      tally.longest = Math.max(tally.longest, took)
    } else if (!options.isDown() && options.url() === url) {
      errors.set(`${job.name}: ${error}`, (errors.get(`${job.name}: ${error}`) ?? 0) + 1)
    }
  }
  const repeat = async (job: SoakJob) => {
    for (let turn = 1; !stopping.signal.aborted; turn++) {
      const next = performance.now() + job.every
      await pause(options.isDown() ? 100 : 0, stopping.signal)
      await ask(job, turn)
      await pause(next - performance.now(), stopping.signal)
    }
  }
  const run = async () => {
    for (const job of options.jobs) await ask(job, 0)
    await Promise.all(options.jobs.map(repeat))
  }
  const running = run()
  return {
    tallies,
    errors,
    async stop() {
      stopping.abort()
      await running
    }
  }
}

/** Why the answer is not a success; undefined when it is one. */
async function send(url: string, job: SoakJob, turn: number): Promise<string | undefined> {
  const { path, body, headers = {}, method = body === undefined ? 'GET' : 'POST' } = job.request(turn, Date.now())
  try {
    const response = await fetch(url + path, { method, headers, ...(body !== undefined && { body }) })
    const text = await response.text()
    return response.ok ? undefined : `${response.status} ${text.slice(0, 300)}`
  } catch (error) {
    const { message, cause } = error as Error
    return cause instanceof Error ? `${message}: ${cause.message}` : message
  }
}

/** Less when the signal fires. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (milliseconds <= 0 || signal.aborted) return Promise.resolve()
  return new Promise(resolve => {
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, milliseconds)
    signal.addEventListener('abort', done)
  })
}
