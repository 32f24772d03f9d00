// Rows of an answer as objects, for callers that read few of them.
import { isValid, type ResultVector } from '../model/batch.ts'
import type { ResultType } from '../model/types.ts'
import type { RecordsAnswer } from './answer.ts'

/**
 * One object per row, keyed by column name: 64-bit integers and timestamps (in their column's unit) are bigint, text is string, booleans are
 * boolean, nulls are null. The caller states the type `Row`. Leaving the loop early frees the query.
 */
export async function* rowsOf<Row extends object = Record<string, unknown>>(
  answer: Pick<RecordsAnswer, 'columns' | 'batches'>
): AsyncGenerator<Row> {
  const { columns } = answer
  for await (const batch of answer.batches()) {
    for (let row = 0; row < batch.rows; row++) {
      yield Object.fromEntries(
        columns.map(({ name, type }, i) => [name, cellOf(type, batch.columns[i]!, row)] as const)
      ) as Row
    }
  }
}

/** Booleans may come as bytes. */
function cellOf(type: ResultType, { values, valid }: ResultVector, row: number): unknown {
  const value: unknown = isValid(valid, row) ? values[row] : undefined
  if (value === undefined || value === null) return null
  return type === 'Boolean' ? Boolean(value) : value
}
