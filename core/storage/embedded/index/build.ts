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
 * Writes the index sidecar of a data file and returns its bytes, in steps: counts, filters of values, filters of words. Each takes longer than the one
 * before, and is of use without those that follow. Calls `written` after each step.
 */
export async function buildIndex(
  { thread, dataDir }: BuildDependencies,
  file: IndexedFile,
  { sections: spec, counted }: IndexSpec,
  written: () => void
): Promise<number> {
  const path = join(dataDir, file.path)
  const held = spec.filter(({ column }) => file.columns.includes(column.id))
  const notes = counted === undefined ? {} : await buildNotes(thread, path, file, counted)
  const sections: NewSection[] = []
  const write = async () => {
    const bytes = await writeSidecar(indexPath(path), { checksum: file.checksum, bytes: file.bytes }, sections, notes)
    written()
    return bytes + (notes.counts?.bytes ?? 0)
  }
  let bytes = await write()
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
    bytes = await write()
  }
  return bytes
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
