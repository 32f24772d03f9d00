// Makes the side file of a data file: a thread of ours makes the filters.
import { join } from 'node:path'
import type { DataFile } from '../catalog/catalog-rows.ts'
import type { FilterThread } from './filter-thread.ts'
import { indexPath, type NewSection } from './format.ts'
import { writeSideFile } from './side-file.ts'
import type { WantedSection } from './wanted.ts'

export interface BuildParts {
  readonly thread: FilterThread
  readonly dataDir: string
}

/** Writes the side file of a data file and returns its bytes. */
export async function buildIndex(
  { thread, dataDir }: BuildParts,
  file: DataFile,
  wanted: readonly WantedSection[]
): Promise<number> {
  const path = join(dataDir, file.path)
  const held = wanted.filter(({ column }) => file.columns.includes(column.id))
  const asked = held.map(({ column, kind, falsePositiveRate }) => ({
    column: column.physical,
    kind,
    falsePositiveRate
  }))
  const filters = await thread.filters(path, asked)
  const sections = held.map(
    ({ column, kind, falsePositiveRate }, i): NewSection => ({
      column: column.id,
      kind,
      falsePositiveRate,
      filters: filters[i]!
    })
  )
  return writeSideFile(indexPath(path), { checksum: file.checksum, bytes: file.bytes }, sections)
}
