// Rows as text in pieces, for formats that consist of cells and separators.
import type { ResultVector } from '../model/batch.ts'
import { longPiece, type RecordsAnswer } from './answer.ts'
import type { Cell } from './json-value.ts'

interface RowLayout {
  /** Before the first cell of a row, and after the last. */
  readonly open: string
  readonly close: string
  /** Between two rows. */
  readonly separator: string
  readonly cells: readonly CellLayout[]
}

interface CellLayout {
  /** Index of the column in the answer. */
  readonly column: number
  /** Text before the cell. */
  readonly before: string
  /** A function from row to cell text, for one batch. */
  readonly write: (vector: ResultVector) => (row: number) => Cell
}

/** All rows of an answer, at least one piece per batch; returns the number of rows. */
export async function* rowTexts(
  answer: RecordsAnswer,
  { open, close, separator, cells }: RowLayout
): AsyncGenerator<string, number> {
  const last = cells.length
  let total = 0
  for await (const { rows, columns } of answer.batches()) {
    const written = cells.map(({ column, before, write }) => ({ before, cell: write(columns[column]!) }))
    let text = ''
    for (let row = 0; row < rows; row++) {
      text += total + row === 0 ? open : separator + open
      for (let i = 0; i < last; i++) {
        const { before, cell } = written[i]!
        const value = cell(row)
        if (typeof value === 'string') text += before + value
        else {
          yield text + before
          text = ''
          yield* value
        }
      }
      text += close
      if (text.length > longPiece) {
        yield text
        text = ''
      }
    }
    total += rows
    yield text
  }
  return total
}

/** All columns in order, separated by commas. */
export function listed(
  columns: RecordsAnswer['columns'],
  write: (column: RecordsAnswer['columns'][number], vector: ResultVector) => (row: number) => Cell
): readonly CellLayout[] {
  return columns.map((column, i) => ({
    column: i,
    before: i === 0 ? '' : ',',
    write: vector => write(column, vector)
  }))
}
