// The files that the rows of a memtable go to: one, or several where a column had more than one type while they came.
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Table } from '../../../model/table.ts'
import {
  fileColumns,
  hasSeries,
  isPhysical,
  mergesFields,
  numberColumn,
  orderColumn,
  tableColumn
} from '../catalog/logical.ts'
import { reach } from '../fault.ts'
import { makeDurable, type NewFile } from '../file/data-file.ts'
import type { Memtable, MemtableRows, StoredColumn } from '../memory/memtable.ts'
import { initialOf, lineage } from '../memory/memtable.ts'
import type { TableData } from '../memory/table-data.ts'
import { collectRows } from './collect-rows.ts'
import { fileShape } from './file-shape.ts'
import { memoryOf } from './row-memory.ts'
import type { UpkeepThread } from './upkeep-thread.ts'

export interface FlushParts {
  readonly upkeep: UpkeepThread
  readonly dataDir: string
  /** The table's folder below `dataDir`. */
  readonly folder: string
}

/** A sealed memtable, its table, and the series of its rows where they have some. */
export interface Flushed {
  readonly table: Table
  readonly memtable: Memtable
  readonly registry: TableData['registry'] | undefined
}

/** Writes all rows of a sealed memtable. No catalog knows the files yet; where some of the rows cannot be written there are none. */
export async function writeFiles(parts: FlushParts, flushed: Flushed): Promise<readonly NewFile[]> {
  const { table, memtable } = flushed
  const alike = [...groupByTypes(table, memtable.writes).values()]
  const files: NewFile[] = []
  try {
    for (const [i, writes] of alike.entries()) {
      const name = i === 0 ? `${memtable.firstSeq}.parquet` : `${memtable.firstSeq}-${i}.parquet`
      const file = await writeFile(parts, flushed, { writes, name, isOnly: alike.length === 1 })
      if (file !== undefined) files.push(file)
    }
    return files
  } catch (error) {
    for (const { path } of files) await rm(join(parts.dataDir, path), { force: true })
    throw error
  }
}

/** A file holds a column or what it was before its type changed: values of both go to files of their own. */
function groupByTypes(table: Table, writes: readonly MemtableRows[]): Map<string, MemtableRows[]> {
  const changed = table.columns.filter(({ was }) => was !== undefined)
  const puts = writes.find(({ op }) => op === 'put') ?? writes[0]!
  const typesOf = ({ columns }: MemtableRows) =>
    changed.map(column => lineage(column).findIndex(({ id }) => columns.has(id))).join()
  // Deletes hold none of them.
  return Map.groupBy(writes, write => typesOf(write.op === 'put' ? write : puts))
}

interface FileWrite {
  readonly writes: readonly MemtableRows[]
  readonly name: string
  readonly isOnly: boolean
}

async function writeFile(
  parts: FlushParts,
  { table, memtable, registry }: Flushed,
  { writes, name, isOnly }: FileWrite
) {
  const columns = fileColumns(table).flatMap(column =>
    column === tableColumn ? [] : heldColumn(table, column.id, writes)
  )
  // A version in another file may lie between two of this one: merged field by field, the older would hide it.
  const areDistinct = memtable.times.areDistinct || (!isOnly && mergesFields(table))
  const isAppend = table.options.append_mode === true
  const isTagged = hasSeries(table)
  // Several files of the same rows are equally new, and deletes hide what comes before them.
  const isOrdered = !isAppend && (!isTagged || !isOnly || writes.some(({ op }) => op === 'delete'))
  const collected = await collectRows(writes, {
    columns,
    hasSeries: isTagged,
    hasVersions: !isAppend && (isOrdered || !areDistinct)
  })
  const path = `${parts.folder}/${name}`
  const final = join(parts.dataDir, path)
  const temporary = `${final}.tmp`
  const shape = fileShape(table, columns, { path: temporary, hasOrder: isOrdered, keepDeletes: true, areDistinct })
  const owners = isPhysical(table) ? { first: 0, of: registry!.owners() } : undefined
  await mkdir(join(parts.dataDir, parts.folder), { recursive: true })
  const task = { shape, owners, ...collected }
  const written = await parts.upkeep.flush(task, memoryOf(task))
  if (written === undefined) return undefined
  reach('flush.copied')
  await makeDurable(temporary, final)
  reach('flush.renamed')
  const held = [...(isPhysical(table) ? [tableColumn] : []), ...columns].map(({ id }) => id)
  return {
    path,
    ...written,
    minSeq: memtable.firstSeq,
    maxSeq: memtable.endSeq - 1,
    columns: [...(isTagged ? [numberColumn] : []), ...(isOrdered ? [orderColumn] : []), ...held]
  }
}

/** A column as all of the writes hold it that hold it at all; none where it may be missing from a file. */
function heldColumn(table: Table, id: number, writes: readonly MemtableRows[]): StoredColumn[] {
  const column = table.columns.find(each => each.id === id)!
  if (column.was === undefined) return [initialOf(table, column)]
  const held = lineage(column).find(({ id }) => writes.some(({ columns }) => columns.has(id)))
  return held === undefined ? [] : [held]
}
