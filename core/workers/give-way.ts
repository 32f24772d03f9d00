// Work that may wait runs below the thread that answers requests, in every way an operating system has ranks.
import { readlinkSync } from 'node:fs'
import { constants, getPriority, setPriority } from 'node:os'
import { basename } from 'node:path'

/** Steps by which requests and writes go first where processors are short. */
const lowered = 5

/** Lowers the calling thread, or another one by its number. Does nothing where that is not allowed or no Linux. */
export function giveWay(thread?: number): void {
  try {
    // Linux gives each thread a rank of its own; those that start later have that of the one that starts them.
    const id = thread ?? Number(basename(readlinkSync('/proc/thread-self')))
    setPriority(id, Math.min(constants.priority.PRIORITY_LOW, getPriority(id) + lowered))
  } catch {}
}
