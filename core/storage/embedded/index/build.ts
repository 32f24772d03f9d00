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

/** Writes the index sidecar of a data file and returns its bytes. */
export async function buildIndex(
  { thread, dataDir }: BuildDependencies,
  file: DataFile,
  { sections: spec, counted }: IndexSpec
): Promise<number> {
  const path = join(dataDir, file.path)
  const held = spec.filter(({ column }) => file.columns.includes(column.id))
  const asked = held.map(({ column, kind, falsePositiveRate }) => ({
    column: column.physical,
    kind,
    falsePositiveRate
  }))
  const counts = counted && {
    time: counted.time.physical,
    columns: counted.columns
      .filter(({ id }) => file.columns.includes(id))
      .map(({ id, physical }) => ({ id, name: physical }))
  }
  const { filters, notes: written } = await thread.build({ path, asked, ...(counts && { counts }) })
  const notes = counted === undefined ? written : inUnit(written, counted.time.type)
  const sections = held.map(
    ({ column, kind, falsePositiveRate }, i): NewSection => ({
      column: column.id,
      kind,
      falsePositiveRate,
      filters: filters[i]!
    })
  )
  const bytes = await writeSidecar(indexPath(path), { checksum: file.checksum, bytes: file.bytes }, sections, notes)
  return bytes + (notes.counts?.bytes ?? 0)
}

/** Files know no seconds: where the time index counts those, the file has microseconds. */
function inUnit({ groups, ...notes }: HeadNotes, type: string): HeadNotes {
  if (groups === undefined || type !== 'TimestampSecond') return { ...notes, ...(groups && { groups }) }
  return { ...notes, groups: groups.map(({ rows, from }) => ({ rows, from: String(BigInt(from) / 1_000_000n) })) }
}
