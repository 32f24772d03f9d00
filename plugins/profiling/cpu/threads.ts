// Processor time of each thread of this process and of its child processes, as the system counts it.
import { readdirSync, readFileSync } from 'node:fs'

export interface Thread {
  readonly name: string
  /** Milliseconds of processor time so far, in steps of ten. */
  readonly cpu: number
}

/** By the system's number; empty where the system does not tell (it is Linux that does). */
export function readThreads(): ReadonlyMap<number, Thread> {
  const threads = new Map<number, Thread>()
  for (const id of listThreads()) {
    const thread = readThread(id)
    if (thread !== undefined) threads.set(Number(id), thread)
  }
  return threads
}

function listThreads(): readonly string[] {
  try {
    return readdirSync('/proc/self/task')
  } catch {
    return []
  }
}

/** Ticks of the clock in `/proc` are hundredths of a second on every Linux that Node runs on. */
const tick = 10

/** Milliseconds of processor time so far of each process this one has started, with all its threads. */
export function readChildren(): ReadonlyMap<number, number> {
  const children = new Map<number, number>()
  for (const thread of listThreads()) {
    for (const id of childrenOf(thread)) {
      const process = readStat(`/proc/${id}/stat`)
      if (process !== undefined) children.set(Number(id), process.cpu)
    }
  }
  return children
}

function childrenOf(thread: string): readonly string[] {
  try {
    return readFileSync(`/proc/self/task/${thread}/children`, 'utf8').split(' ').filter(Boolean)
  } catch {
    return []
  }
}

function readThread(id: string): Thread | undefined {
  return readStat(`/proc/self/task/${id}/stat`)
}

function readStat(path: string): Thread | undefined {
  try {
    const stat = readFileSync(path, 'utf8')
    // The name stands in parentheses and may hold some itself.
    const end = stat.lastIndexOf(')')
    const fields = stat.slice(end + 2).split(' ')
    return { name: stat.slice(stat.indexOf('(') + 1, end), cpu: (Number(fields[11]) + Number(fields[12])) * tick }
  } catch {
    // It has ended since it was listed.
    return undefined
  }
}
