// Rows of an answer as objects, for whoever reads few of them.
import { isValid, type ResultVector } from '../model/batch.ts'
import type { ResultType } from '../model/types.ts'
import type { RecordsAnswer } from './answer.ts'

/**
 * One object for each row, by the names of the columns: 64-bit integers and timestamps (in the unit of their column) are bigint, text is
 * string, truth values are true and false, what has no value is null. `Row` is what the caller knows of them. Leaving the loop early frees what the answer holds.
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

/** Truth values may be bytes. */
function cellOf(type: ResultType, { values, valid }: ResultVector, row: number): unknown {
  const value: unknown = isValid(valid, row) ? values[row] : undefined
  if (value === undefined || value === null) return null
  return type === 'Boolean' ? Boolean(value) : value
}
