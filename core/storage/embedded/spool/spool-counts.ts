// Counts of rows in a file of the spool, in a file beside it, as data files have them.

import { storedColumn } from '../datafile/stored-column.ts'
import { CellCounter, type CountedPlaces } from '../index/count-cells.ts'
import { type CountedColumn, countColumns, countedColumns, countGroups } from '../index/count-file.ts'
import type { ParquetColumn } from '../parquet/index.ts'
import type { Spool, SpoolFile, SpoolGroup } from './spool.ts'

export interface SpoolCounts {
  readonly file: SpoolFile
  readonly columns: readonly CountedColumn[]
}

/** Bytes of a cell in the file, about. */
const cellBytes = 64

/** Counts the rows of a file while it is written. */
export class SpoolCounter {
  readonly #rows: number
  readonly #places: CountedPlaces
  readonly #columns: readonly ParquetColumn[]
  #cells: CellCounter

  /** `rows` and `columns` are all of the file. */
  constructor(rows: number, places: CountedPlaces, columns: readonly ParquetColumn[]) {
    this.#rows = rows
    this.#places = places
    this.#columns = columns
    this.#cells = new CellCounter(rows, places, columns)
  }

  /** The same groups, each counted; from the first one on again if they are asked for again. */
  *count(groups: Iterable<SpoolGroup | undefined>): Generator<SpoolGroup | undefined> {
    this.#cells = new CellCounter(this.#rows, this.#places, this.#columns)
    for (const group of groups) {
      if (group !== undefined)
        this.#cells.add({ from: group.from, rows: group.rows, column: place => group.columns[place]! })
      yield group
    }
  }

  /** Undefined where all columns have too many values. */
  async write(spool: Spool): Promise<SpoolCounts | undefined> {
    const cells = this.#cells.finish()
    if (cells.size === 0) return undefined
    const columns = countedColumns(cells)
    const groups = () => Array.from(countGroups(cells), group => ({ ...group, from: 0 }))
    const expected = columns.reduce((sum, { cells }) => sum + cells * cellBytes, 0)
    const file = await spool.write(countColumns.map(storedColumn), groups, expected, { plain: true, level: 0 })
    return { file, columns }
  }
}
