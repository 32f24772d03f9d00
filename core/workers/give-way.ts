// Lowers the priority of background threads below the thread that answers requests.
import { readlinkSync } from 'node:fs'
import { constants, getPriority, setPriority } from 'node:os'
import { basename } from 'node:path'

/**
 * Niceness added for work that gives way to requests and writes when processors are short: reading files, and, further, what users provide
 * (statements, pipelines and scripts) and the writing of files, for which writes wait where it falls behind.
 */
const lowered = { reads: 5, programs: 10, upkeep: 10 } as const

/**
 * Lowers the priority of the calling thread, or of the thread with a number. Does nothing on systems other than Linux, or if not permitted.
 */
export function giveWay(work: keyof typeof lowered, thread?: number): void {
  try {
    // On Linux each thread has its own niceness; new threads inherit that of their creator.
    const id = thread ?? Number(basename(readlinkSync('/proc/thread-self')))
    setPriority(id, Math.min(constants.priority.PRIORITY_LOW, getPriority(id) + lowered[work]))
  } catch {}
}
