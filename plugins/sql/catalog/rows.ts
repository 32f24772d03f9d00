// Answers made here instead of by a query: a few rows in memory.
import type { RecordsAnswer, ResultBatch, ResultColumn, ResultType } from '../../../core/index.ts'
import { batchBytes, heldBytes, heldRows } from '../../../core/index.ts'
import { invalid } from '../error.ts'

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

/** Bytes that the answers of a request may still take while they wait for its last one. */
interface RowQuota {
  rows: number
  bytes: number
}

export function createRowQuota(): RowQuota {
  return { rows: heldRows, bytes: heldBytes }
}

/** Reads an answer into memory, so that the next statement can run. Throws when there is no room for it. */
export async function holdAnswer(answer: RecordsAnswer, quota: RowQuota): Promise<RecordsAnswer> {
  const batches: ResultBatch[] = []
  for await (const batch of answer.batches()) {
    quota.rows -= batch.rows
    quota.bytes -= batchBytes(batch)
    if (quota.rows < 0 || quota.bytes < 0) {
      throw invalid(
        `only the last of several statements may answer with many rows: those before it together with at most ${heldRows} rows or ${heldBytes / 2 ** 20} MiB`
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
