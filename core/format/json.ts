// One JSON object per row; of equal column names the last one counts.
import type { ResultVector } from '../model/batch.ts'
import { writeJsonString } from '../model/json-write.ts'
import type { RecordsAnswer, ResultFormat } from './answer.ts'
import { jsonCellsInPieces } from './json-value.ts'
import { rowTexts } from './row-text.ts'

export const json: ResultFormat = {
  header: 'json',
  contentType: 'application/json',
  several: false,
  async *encode([answer], { elapsed }) {
    yield '{"data":['
    if (answer?.kind === 'records') yield* jsonObjects(answer, ',')
    yield `]${answer?.kind === 'affected' ? `,"affected_rows":${answer.rows}` : ''},"execution_time_ms":${Math.round(elapsed())}}`
  }
}

/** Rows as objects with the separator between them, in pieces; returns their number. */
export async function* jsonObjects(answer: RecordsAnswer, separator: string): AsyncGenerator<string, number> {
  const { columns } = answer
  const last = new Map(columns.map(({ name }, column) => [name, column]))
  const cells = [...last.values()]
    .sort((a, b) => a - b)
    .map((column, i) => ({
      column,
      before: `${i === 0 ? '' : ','}${writeJsonString(columns[column]!.name)}:`,
      write: (vector: ResultVector) => jsonCellsInPieces(columns[column]!.type, vector)
    }))
  return yield* rowTexts(answer, { open: '{', close: '}', separator, cells })
}
