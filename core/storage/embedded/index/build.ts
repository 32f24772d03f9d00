// Makes the index sidecar of a data file: a thread of ours makes the filters.
import { join } from 'node:path'
import type { DataFile } from '../catalog/catalog-rows.ts'
import type { FilterThread } from './filter-thread.ts'
import { type HeadNotes, indexPath, type NewSection } from './format.ts'
import type { IndexSpec } from './index-spec.ts'
import { writeSidecar } from './sidecar.ts'

export interface BuildDependencies {
  readonly thread: FilterThread
  readonly dataDir: string
}

/** What a sidecar depends on. */
export type IndexedFile = Pick<DataFile, 'path' | 'columns' | 'checksum' | 'bytes'>

/**
 * Writes the index sidecar of a data file and returns its bytes. Counts come first and with a sidecar of their own, because they take a fraction of
 * the time filters take. Calls `written` after each sidecar.
 */
export async function buildIndex(
  { thread, dataDir }: BuildDependencies,
  file: IndexedFile,
  { sections: spec, counted }: IndexSpec,
  written: () => void
): Promise<number> {
  const path = join(dataDir, file.path)
  const held = spec.filter(({ column }) => file.columns.includes(column.id))
  const asked = held.map(({ column, kind, falsePositiveRate }) => ({
    column: column.physical,
    kind,
    falsePositiveRate
  }))
  const notes = counted === undefined ? {} : await buildNotes(thread, path, file, counted)
  const write = async (sections: readonly NewSection[]) => {
    const bytes = await writeSidecar(indexPath(path), { checksum: file.checksum, bytes: file.bytes }, sections, notes)
    written()
    return bytes + (notes.counts?.bytes ?? 0)
  }
  if (held.length === 0) return write([])
  if (counted !== undefined) await write([])
  const { filters } = await thread.build({ path, asked })
  return write(
    held.map(({ column, kind, falsePositiveRate }, i) => ({
      column: column.id,
      kind,
      falsePositiveRate,
      filters: filters[i]!
    }))
  )
}

async function buildNotes(
  thread: FilterThread,
  path: string,
  file: IndexedFile,
  { time, columns: all }: NonNullable<IndexSpec['counted']>
): Promise<HeadNotes> {
  const columns = all.filter(({ id }) => file.columns.includes(id)).map(({ id, physical }) => ({ id, name: physical }))
  const { notes } = await thread.build({ path, asked: [], counts: { time: time.physical, columns } })
  return inUnit(notes, time.type)
}

/** Files know no seconds: where the time index counts those, the file has microseconds. */
function inUnit({ groups, ...notes }: HeadNotes, type: string): HeadNotes {
  if (groups === undefined || type !== 'TimestampSecond') return { ...notes, ...(groups && { groups }) }
  return { ...notes, groups: groups.map(({ rows, from }) => ({ rows, from: String(BigInt(from) / 1_000_000n) })) }
}
