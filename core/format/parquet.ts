// Parquet, which the storage engine writes: its file is sent as it is.
import { DbError } from '../errors.ts'
import type { ResultFormat } from './answer.ts'

export const parquet: ResultFormat = {
  header: 'parquet',
  contentType: 'application/vnd.apache.parquet',
  several: false,
  wantsFile: true,
  async *encode([answer]) {
    if (answer?.kind !== 'records' || answer.file === undefined) throw parquetTakes()
    yield* await answer.file()
  }
}

export function parquetTakes(): DbError {
  return new DbError(
    'InvalidArguments',
    'format parquet takes one SELECT of /v1/sql, whose rows the storage engine writes as a file; everything else has other formats: arrow has the same types'
  )
}
