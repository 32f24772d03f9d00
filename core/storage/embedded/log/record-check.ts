// Checks that a record's rows match their tables. The checksum only proves that a record is unchanged, not that it was correct.
import { DbError } from '../../../errors.ts'
import type { ColumnType } from '../../../model/types.ts'
import { checkColumn } from '../../check-columns.ts'
import { decodeRecord, type RecordPart } from './record.ts'

export type TypeOf = (table: number, column: number) => ColumnType | undefined

/** Decodes a record. Throws if it cannot be decoded, or has columns of a wrong type or length. */
export function readRecordParts(payload: Uint8Array, typeOf: TypeOf): RecordPart[] {
  const parts = decodeRecord(payload, typeOf)
  for (const { table, rows, tsids, columns } of parts) {
    if (tsids !== undefined && tsids.length !== rows) {
      throw new Error(`table number ${table}: ${tsids.length} series numbers for ${rows} rows`)
    }
    for (const { id, data } of columns) {
      const column = { name: String(id), type: typeOf(table, id)!, semantic: 'field', data } as const
      checkColumn(`table number ${table}`, column, rows)
    }
  }
  return parts
}

/**
 * Distinguishes dropped tables from a catalog that lost tables: a table number above all that were ever assigned means the latter. Throws
 * DbError `StorageUnavailable`.
 */
export function requireGiven(table: number, last: number): void {
  if (table <= last) return
  const reason = `the log has rows of table number ${table}, which the catalog never had: it is older than the log`
  throw new DbError('StorageUnavailable', `${reason}. Bring the newer catalog.db back, or restore a backup`)
}
