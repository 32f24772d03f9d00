// Processor time of each thread of this process, as the system counts it.
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

function readThread(id: string): Thread | undefined {
  try {
    const stat = readFileSync(`/proc/self/task/${id}/stat`, 'utf8')
    // The name stands in parentheses and may hold some itself.
    const end = stat.lastIndexOf(')')
    const fields = stat.slice(end + 2).split(' ')
    return { name: stat.slice(stat.indexOf('(') + 1, end), cpu: (Number(fields[11]) + Number(fields[12])) * tick }
  } catch {
    // It has ended since it was listed.
    return undefined
  }
}
