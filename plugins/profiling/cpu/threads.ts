// Processor time of threads and child processes, from `/proc`.
import { readdirSync, readFileSync } from 'node:fs'

export interface Thread {
  readonly name: string
  /** Milliseconds of processor time so far, with a resolution of ten. */
  readonly cpu: number
}

/** Keyed by thread id; empty on systems other than Linux. */
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

/** `/proc` counts hundredths of a second on every Linux that Node supports. */
const tick = 10

/** Milliseconds of processor time so far per child process. */
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
    // The name is in parentheses and may contain some.
    const end = stat.lastIndexOf(')')
    const fields = stat.slice(end + 2).split(' ')
    return { name: stat.slice(stat.indexOf('(') + 1, end), cpu: (Number(fields[11]) + Number(fields[12])) * tick }
  } catch {
    // The thread has ended since it was listed.
    return undefined
  }
}
