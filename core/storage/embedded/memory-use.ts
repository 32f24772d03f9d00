// The memory of the server by purpose: what we count, and the rest of what the system counts.
import { readFile } from 'node:fs/promises'

/** Bytes that are counted where they are allocated. */
export interface CountedMemory {
  /** Rows that are in no file yet, and free memory kept for more. */
  readonly rows: number
  readonly spare: number
  /** Cached columns of data files, and parts of index files. */
  readonly samples: number
  readonly indexes: number
  /** Memory-backed files with rows for SQL; no process owns them. */
  readonly spool: number
  /** The query process, if it runs. */
  readonly statementsPid: number | undefined
}

export const memoryParts = ['rows', 'spare', 'samples', 'indexes', 'heap', 'spool', 'statements', 'rest'] as const

/** Bytes by purpose. `rest` is what the system counts for this process besides: code, threads, buffers, allocators. */
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

/** Proportional resident memory (shared pages counted in parts); undefined if the system does not tell. */
async function proportionalBytes(pid: number | 'self'): Promise<number | undefined> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '')
  const found = /^Pss:\s+(\d+) kB/m.exec(text)
  return found === null ? undefined : Number(found[1]) * 1024
}
