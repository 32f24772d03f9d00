// Counts of rows in a file of the spool, in a file beside it, as data files have them.
import { storedColumn } from '../datafile/stored-column.ts'
import type { CountCells } from '../index/count-cells.ts'
import { type CountedColumn, countColumns, countedColumns, countGroups } from '../index/count-file.ts'
import type { Spool, SpoolFile } from './spool.ts'

export interface SpoolCounts extends CountedColumn {
  readonly file: SpoolFile
}

/** Bytes of a cell in the file, about. */
const cellBytes = 64

/** Writes the cells of one column. */
export async function writeSpoolCounts(spool: Spool, column: number, cells: CountCells): Promise<SpoolCounts> {
  const counted = new Map([[column, cells]])
  const groups = () => Array.from(countGroups(counted), group => ({ ...group, from: 0 }))
  const expected = cells.ids.length * cellBytes
  const file = await spool.write(countColumns.map(storedColumn), groups, expected, { plain: true, level: 0 })
  return { file, ...countedColumns(counted)[0]! }
}
