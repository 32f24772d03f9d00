// Makes the index sidecar of a data file: a thread of ours counts and makes the filters.
import { join } from 'node:path'
import type { DataFile } from '../catalog/catalog-rows.ts'
import type { FilterThread } from './filter-thread.ts'
import { type HeadNotes, type IndexHead, indexPath, type NewSection } from './format.ts'
import type { IndexSpec } from './index-spec.ts'
import { writeSidecar } from './sidecar.ts'

export interface BuildDependencies {
  readonly thread: FilterThread
  readonly dataDir: string
}

/** The facts of a data file that a sidecar depends on. */
type IndexedFile = Pick<DataFile, 'path' | 'columns' | 'checksum' | 'bytes'>

/**
 * Writes an index sidecar with the counts of a data file alone, and returns its bytes. It takes a fraction of the time filters take, and is of use
 * without them.
 */
export async function buildCounts(
  { thread, dataDir }: BuildDependencies,
  file: IndexedFile,
  { time, columns: all }: NonNullable<IndexSpec['counted']>
): Promise<number> {
  const path = join(dataDir, file.path)
  const columns = all.filter(({ id }) => file.columns.includes(id)).map(({ id, physical }) => ({ id, name: physical }))
  const { notes } = await thread.build({ path, asked: [], counts: { time: time.physical, columns } })
  const counted = inUnit(notes, time.type)
  const bytes = await writeSidecar(indexPath(path), dataOf(file), [], counted)
  return bytes + (counted.counts?.bytes ?? 0)
}

/**
 * Writes the index sidecar of a data file with these notes and its filters, and returns its bytes: those of values first, those of words, which take
 * longer, second. Calls `written` after each of the two.
 */
export async function buildFilters(
  { thread, dataDir }: BuildDependencies,
  file: IndexedFile,
  spec: IndexSpec['sections'],
  notes: HeadNotes,
  written: () => void
): Promise<number> {
  const path = join(dataDir, file.path)
  const held = spec.filter(({ column }) => file.columns.includes(column.id))
  const sections: NewSection[] = []
  let bytes = 0
  for (const step of [held.filter(({ kind }) => kind === 'values'), held.filter(({ kind }) => kind !== 'values')]) {
    if (step.length === 0) continue
    const asked = step.map(({ column, kind, falsePositiveRate }) => ({
      column: column.physical,
      kind,
      falsePositiveRate
    }))
    const { filters } = await thread.build({ path, asked })
    for (const [i, { column, kind, falsePositiveRate }] of step.entries())
      sections.push({ column: column.id, kind, falsePositiveRate, filters: filters[i]! })
    bytes = await writeSidecar(indexPath(path), dataOf(file), sections, notes)
    written()
  }
  return bytes
}

function dataOf({ checksum, bytes }: IndexedFile): IndexHead['data'] {
  return { checksum, bytes }
}

/** Files know no seconds: where the time index counts those, the file has microseconds. */
function inUnit({ groups, ...notes }: HeadNotes, type: string): HeadNotes {
  if (groups === undefined || type !== 'TimestampSecond') return { ...notes, ...(groups && { groups }) }
  return { ...notes, groups: groups.map(({ rows, from }) => ({ rows, from: String(BigInt(from) / 1_000_000n) })) }
}
