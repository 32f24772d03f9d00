// The memory that rows lie in, which goes from thread to thread.
import { isShared } from '../memory/shared-memory.ts'
import type { FlushTask } from './flush-rows.ts'

type RowMemory = Pick<FlushTask, 'tsids' | 'seqs' | 'ops' | 'columns'> & Partial<Pick<FlushTask, 'owners'>>

/** All memory of rows that belongs to one thread. */
export function memoryOf({ tsids, seqs, ops, columns, owners }: RowMemory): ArrayBuffer[] {
  const views = columns.flatMap(data => {
    const values =
      data.kind === 'fixed'
        ? [data.values]
        : data.kind === 'bytes'
          ? [data.offsets, data.bytes]
          : [data.codes, data.dictionary.offsets, data.dictionary.bytes]
    return [...values, ...(data.valid ? [data.valid] : [])]
  })
  const all = [tsids, seqs, ops, owners?.of, ...views].filter(view => view !== undefined && !isShared(view))
  return [...new Set(all.map(view => view!.buffer as ArrayBuffer))]
}
