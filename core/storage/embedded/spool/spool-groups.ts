// Row groups of the spool's files: large writes in slices, small ones put together.
import type { ColumnData } from '../../../model/batch.ts'
import { concatenate } from '../datafile/column-builder.ts'
import { usualGroup as maxRows } from '../datafile/row-group.ts'
import { type FileColumn, toStored } from '../datafile/stored-column.ts'
import type { SpoolGroup } from './spool.ts'

/** Rows `from` to `rows` of columns in the order of the file's; undefined means null. */
export interface SpoolPiece {
  readonly from: number
  /** Those before `from` included. */
  readonly rows: number
  readonly columns: readonly (ColumnData | undefined)[]
}

/** Bytes of a row group: encoding it takes a millisecond, and threads that read a few megabytes share them. */
const maxBytes = 2 << 20

/** Undefined after each piece that makes no group yet: other work may run, since pieces take time to make. */
export function* groupsOf(
  columns: readonly FileColumn[],
  pieces: Iterable<SpoolPiece>
): Generator<SpoolGroup | undefined> {
  let together: SpoolPiece[] = []
  let rows = 0
  let bytes = 0
  for (const piece of pieces) {
    const count = piece.rows - piece.from
    if (count === 0) continue
    const size = bytesOf(piece)
    if (rows + count > maxRows || bytes + size > maxBytes) {
      if (rows > 0) yield joined(columns, together, rows)
      together = []
      rows = bytes = 0
      if (count > maxRows || size > maxBytes) {
        yield* slices(columns, piece, Math.min(maxRows, Math.ceil(maxBytes / (size / count))))
        continue
      }
    }
    together.push(piece)
    rows += count
    bytes += size
    yield undefined
  }
  if (rows > 0) yield joined(columns, together, rows)
}

function* slices(columns: readonly FileColumn[], piece: SpoolPiece, max: number): Generator<SpoolGroup> {
  const all = present(columns, piece)
  for (let from = piece.from; from < piece.rows; from += max) {
    yield { from, rows: Math.min(max, piece.rows - from), columns: all }
  }
}

function joined(columns: readonly FileColumn[], pieces: readonly SpoolPiece[], rows: number): SpoolGroup {
  const [only] = pieces
  if (pieces.length === 1) return { from: only!.from, rows, columns: present(columns, only!) }
  const joinColumn = (column: FileColumn, i: number) => {
    const all = pieces.map(({ from, rows: to, columns }) => ({ data: columns[i], from, to }))
    return toStored(column, concatenate(column.type, all))
  }
  return { from: 0, rows, columns: columns.map(joinColumn) }
}

function present(columns: readonly FileColumn[], { rows, columns: data }: SpoolPiece): ColumnData[] {
  return columns.map((column, i) =>
    toStored(column, data[i] ?? concatenate(column.type, [{ data: undefined, from: 0, to: rows }]))
  )
}

/** Approximate bytes of the rows in a file. */
function bytesOf({ from, rows, columns }: SpoolPiece): number {
  let bytes = 0
  for (const data of columns) {
    if (data === undefined) continue
    if (data.kind === 'fixed') bytes += (rows - from) * data.values.BYTES_PER_ELEMENT
    else if (data.kind === 'bytes') bytes += data.offsets[rows]! - data.offsets[from]!
    else bytes += (rows - from) * 4
  }
  return bytes
}
