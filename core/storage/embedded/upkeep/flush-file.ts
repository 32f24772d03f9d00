// The file that the rows of a memtable go to.
import { join } from 'node:path'
import type { Table } from '../../../model/table.ts'
import { isPhysical } from '../../logical.ts'
import { fileColumns, hasSeries, numberColumn, orderColumn, tableColumn } from '../catalog/logical.ts'
import { failpoint } from '../failpoint.ts'
import { makeDurable, makeFolder, type NewFile } from '../file/data-file.ts'
import type { Memtable, MemtableRows, StoredColumn } from '../memory/memtable.ts'
import { filledLineage } from '../memory/memtable.ts'
import type { TableData } from '../memory/table-data.ts'
import { fileLayout } from './file-layout.ts'
import type { UpkeepThread } from './upkeep-thread.ts'

interface FlushDependencies {
  readonly upkeep: UpkeepThread
  readonly dataDir: string
  /** The table's folder below `dataDir`. */
  readonly folder: string
}

/** A sealed memtable, its table, and the series of its rows where they have some. */
interface Flushed {
  readonly table: Table
  readonly memtable: Memtable
  readonly registry: TableData['registry'] | undefined
}

export interface FlushedFile {
  readonly file: NewFile
  /** Brings it to the disk under its name: until then no catalog may know it. Files can be brought there at the same time. */
  makeDurable(): Promise<void>
}

/** Writes all rows of a sealed memtable; undefined when none is left. */
export async function writeFlushed(
  parts: FlushDependencies,
  { table, memtable, registry }: Flushed
): Promise<FlushedFile | undefined> {
  const { writes, times } = memtable
  const columns = fileColumns(table).flatMap(column =>
    column === tableColumn ? [] : heldColumn(table, column.id, writes)
  )
  const { areDistinct } = times
  const isAppend = table.options.append_mode === true
  const isTagged = hasSeries(table)
  // Deletes hide earlier versions only.
  const isOrdered = !isAppend && (!isTagged || writes.some(({ op }) => op === 'delete'))
  const hasVersions = !isAppend && (isOrdered || !areDistinct)
  const path = `${parts.folder}/${memtable.firstSeq}.parquet`
  const final = join(parts.dataDir, path)
  const temporary = `${final}.tmp`
  const layout = fileLayout(table, columns, { path: temporary, hasOrder: isOrdered, keepDeletes: true, areDistinct })
  const owners = isPhysical(table) ? { first: 0, of: registry!.owners() } : undefined
  await makeFolder(join(parts.dataDir, parts.folder))
  const written = await parts.upkeep.flush({
    layout,
    owners,
    rows: { writes, columns, hasSeries: isTagged, hasVersions }
  })
  if (written === undefined) return undefined
  failpoint('flush.copied')
  const held = [...(isPhysical(table) ? [tableColumn] : []), ...columns].map(({ id }) => id)
  const file = {
    path,
    ...written,
    minSeq: memtable.firstSeq,
    maxSeq: memtable.endSeq - 1,
    columns: [...(isTagged ? [numberColumn] : []), ...(isOrdered ? [orderColumn] : []), ...held]
  }
  return {
    file,
    async makeDurable() {
      await makeDurable(temporary, final)
      failpoint('flush.renamed')
    }
  }
}

/** A column as all of the writes hold it that hold it at all; none where it changed its type, and what rows hold is filled in where they are read. */
function heldColumn(table: Table, id: number, writes: readonly MemtableRows[]): StoredColumn[] {
  const column = table.columns.find(each => each.id === id)!
  const all = filledLineage(table, column)
  if (column.was === undefined) return [...all]
  const held = all.find(({ id }) => writes.some(({ columns }) => columns.has(id)))
  return held === undefined ? [] : [held]
}
