// What the memory of the server is used for, part by part: what we count ourselves, and the rest of what the system counts.
import { readFile } from 'node:fs/promises'

/** Bytes of what is counted where it is taken. */
export interface CountedMemory {
  /** Rows that are in no file yet, and memory that is ready for more of them. */
  readonly rows: number
  readonly spare: number
  /** Decoded columns of data files, and parts of index files. */
  readonly samples: number
  readonly indexes: number
  /** Files in memory that hold rows for SQL; they belong to no process. */
  readonly spool: number
  /** The process that runs statements, where there is one. */
  readonly statementsPid: number | undefined
}

export const memoryParts = ['rows', 'spare', 'samples', 'indexes', 'heap', 'spool', 'statements', 'rest'] as const

/** Bytes by part. `rest` is what the system counts for this process besides: programs, threads, buffers, what allocators keep. */
export async function memoryByPart(
  counted: CountedMemory
): Promise<Readonly<Record<(typeof memoryParts)[number], number>>> {
  const { rows, spare, samples, indexes, spool, statementsPid } = counted
  const { heapTotal: heap, rss } = process.memoryUsage()
  const [own = rss, statements = 0] = await Promise.all([
    proportionalBytes('self'),
    statementsPid === undefined ? 0 : proportionalBytes(statementsPid)
  ])
  const rest = Math.max(0, own - rows - spare - samples - indexes - heap)
  return { rows, spare, samples, indexes, heap, spool, statements, rest }
}

/** Resident memory of a process, what it shares with others counted in parts; undefined where the system does not say. */
async function proportionalBytes(pid: number | 'self'): Promise<number | undefined> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '')
  const found = /^Pss:\s+(\d+) kB/m.exec(text)
  return found === null ? undefined : Number(found[1]) * 1024
}
