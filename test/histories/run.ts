// Runs histories: a worker process is started over the same folder again and again and killed at any moment.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { createRandom } from '../fuzz/random.ts'

export interface HistoriesOptions {
  readonly seed: number
  /** Ends with the first worker that is killed after so many milliseconds. How fast the machine is decides how many steps that are. */
  readonly milliseconds: number
  /** Module that exports `openEngine`; default: the embedded engine. */
  readonly engine?: string
}

export interface HistoriesResult {
  /** How often each kind of step was taken. */
  readonly steps: ReadonlyMap<string, number>
  readonly kills: number
  /** Comparisons of everything between two kills. */
  readonly comparisons: number
  /** What cannot be; the folder is kept then. */
  readonly problem?: string
  readonly folder: string
}

/** Milliseconds a worker may take between two comparisons of everything. */
const patience = 60_000

export async function runHistories({ seed, milliseconds, engine }: HistoriesOptions): Promise<HistoriesResult> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-histories-'))
  mkdirSync(join(folder, 'data'))
  const module = engine ?? fileURLToPath(new URL('embedded.ts', import.meta.url))
  const random = createRandom(seed)
  const steps = new Map<string, number>()
  const end = Date.now() + milliseconds
  let [kills, comparisons] = [0, 0]
  do {
    const life = { steps: 10 + random.below(random.once(3) ? 600 : 150), milliseconds: random.below(40) }
    const problem = await live([folder, module, String(seed * 1_000 + kills)], life, line => {
      if (line.step !== undefined) steps.set(line.step, (steps.get(line.step) ?? 0) + 1)
      if (line.compared) comparisons++
    })
    if (problem !== undefined) return { steps, kills, comparisons, problem, folder }
    kills++
  } while (Date.now() < end)
  rmSync(folder, { recursive: true, force: true })
  return { steps, kills, comparisons, folder }
}

interface Line {
  readonly ready?: boolean
  readonly step?: string
  readonly compared?: boolean
  readonly problem?: string
}

/** How many steps a worker takes, and how long it goes on then. */
interface Life {
  readonly steps: number
  readonly milliseconds: number
}

/** Starts a worker and kills it in the middle of its work; tells what it could not explain. */
async function live(args: readonly string[], life: Life, hear: (line: Line) => void): Promise<string | undefined> {
  const worker = fileURLToPath(new URL('worker.ts', import.meta.url))
  const child = spawn(process.execPath, [worker, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_OPTIONS: '' }
  })
  const exited = new Promise<void>(resolve => child.once('close', () => resolve()))
  const timer = setTimeout(() => child.kill('SIGKILL'), patience)
  let problem: string | undefined
  let isReady = false
  let steps = 0
  const said: string[] = []
  child.stderr.on('data', data => said.push(String(data)))
  for await (const text of createInterface({ input: child.stdout })) {
    const line = read(text)
    if (line?.ready) isReady = true
    if (line?.ready || line?.compared) timer.refresh()
    if (line?.step !== undefined && ++steps === life.steps) setTimeout(() => child.kill('SIGKILL'), life.milliseconds)
    problem ??= line?.problem
    if (line !== undefined) hear(line)
  }
  await exited
  clearTimeout(timer)
  if (problem !== undefined) return problem
  if (child.signalCode === 'SIGKILL' && steps >= life.steps) return undefined
  return `the worker ended with ${child.signalCode ?? child.exitCode}${isReady ? '' : ' before it was ready'}: ${said.join('').slice(-2_000)}`
}

/** The last line may be cut. */
function read(text: string): Line | undefined {
  try {
    return JSON.parse(text) as Line
  } catch {
    return undefined
  }
}
