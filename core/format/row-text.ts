// Rows as text, piece by piece: what the formats have in common whose rows are cells with something around them.
import type { ResultVector } from '../model/batch.ts'
import { longPiece, type RecordsAnswer } from './answer.ts'
import type { Cell } from './json-value.ts'

interface RowLayout {
  /** Before the first cell of a row and after the last one. */
  readonly open: string
  readonly close: string
  /** Between two rows. */
  readonly separator: string
  readonly cells: readonly CellLayout[]
}

interface CellLayout {
  /** Which column of the answer. */
  readonly column: number
  /** Stands before the cell. */
  readonly before: string
  /** The cells of the column in a batch, by row. */
  readonly write: (vector: ResultVector) => (row: number) => Cell
}

/** All rows of an answer, a piece for each batch or more where they are long; returns how many there are. */
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

/** Every column in order, with a comma between two. */
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
