// Answers made here instead of by a query: a few rows in memory.
import type { RecordsAnswer, ResultBatch, ResultColumn, ResultType } from '../../../core/index.ts'
import { DbError, heldRows } from '../../../core/index.ts'

export type Row = readonly unknown[]

/** An answer of these rows; columns are text unless a type is given. */
export function rowsAnswer(
  columns: readonly (string | readonly [string, ResultType])[],
  rows: readonly Row[]
): RecordsAnswer {
  const named: ResultColumn[] = columns.map(column =>
    typeof column === 'string' ? { name: column, type: 'String' } : { name: column[0], type: column[1] }
  )
  return heldAnswer(named, [{ rows: rows.length, columns: named.map((_, c) => ({ values: rows.map(row => row[c]) })) }])
}

/** Reads an answer into memory, so that the next statement can run. Throws when it has more than `heldRows` rows. */
export async function holdAnswer(answer: RecordsAnswer): Promise<RecordsAnswer> {
  const batches: ResultBatch[] = []
  let rows = 0
  for await (const batch of answer.batches()) {
    rows += batch.rows
    if (rows > heldRows) {
      throw new DbError(
        'InvalidArguments',
        `only the last of several statements may answer with more than ${heldRows} rows`
      )
    }
    batches.push(batch)
  }
  return heldAnswer(answer.columns, batches)
}

function heldAnswer(columns: readonly ResultColumn[], batches: readonly ResultBatch[]): RecordsAnswer {
  return {
    kind: 'records',
    columns,
    async *batches() {
      for (const batch of batches) if (batch.rows > 0) yield batch
    }
  }
}
