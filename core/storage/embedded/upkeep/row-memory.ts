// The memory that rows lie in, which goes from thread to thread.
import type { FlushTask } from './flush-rows.ts'

type RowMemory = Pick<FlushTask, 'tsids' | 'seqs' | 'ops' | 'columns' | 'owners'>

/** All memory of rows. */
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
  const all = [tsids, seqs, ops, owners?.of, ...views].filter(view => view !== undefined)
  return [...new Set(all.map(view => view.buffer as ArrayBuffer))]
}
