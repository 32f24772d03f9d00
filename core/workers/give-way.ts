// Work that may wait runs below the thread that answers requests, in every way an operating system has ranks.
import { readlinkSync } from 'node:fs'
import { constants, getPriority, setPriority } from 'node:os'
import { basename } from 'node:path'

/**
 * Steps by which requests and writes go first where processors are short: before the reading and writing of files, and further before what
 * users bring to be run, statements, pipelines and scripts, which may be anything.
 */
const lowered = { files: 5, programs: 10 } as const

/** Lowers the calling thread, or another one by its number. Does nothing where that is not allowed or no Linux. */
export function giveWay(work: keyof typeof lowered, thread?: number): void {
  try {
    // Linux gives each thread a rank of its own; those that start later have that of the one that starts them.
    const id = thread ?? Number(basename(readlinkSync('/proc/thread-self')))
    setPriority(id, Math.min(constants.priority.PRIORITY_LOW, getPriority(id) + lowered[work]))
  } catch {}
}
