// Compares a data file with its row in the catalog: size, checksum, number of rows.
import type { DataFile } from '../catalog/catalog-rows.ts'
import { type Duckdb, quoteText } from '../duckdb/index.ts'
import { fileChecksum, flippedByte } from '../file/checksum.ts'
import { sizeOf } from '../open.ts'

interface FileDamage {
  readonly reason: string
  readonly offset?: number
}

/** Reads the whole file and returns its first damage; undefined if it is sound. */
export async function checkDataFile(duckdb: Duckdb, path: string, file: DataFile): Promise<FileDamage | undefined> {
  const size = await sizeOf(path)
  if (size === undefined) return { reason: 'the file is missing' }
  if (size !== file.bytes) {
    return { reason: `the file has ${size} bytes, ${file.bytes} were written`, offset: Math.min(size, file.bytes) }
  }
  const sum = await fileChecksum(path)
  if (sum !== file.checksum) {
    const offset = flippedByte(sum ^ file.checksum, size)
    if (offset === undefined) return { reason: wrongChecksum }
    return { reason: `${wrongChecksum}, as one wrong bit at this byte would explain`, offset }
  }
  try {
    const [rows] = await duckdb.row(`SELECT count(*) FROM read_parquet(${quoteText(path)})`)
    if (Number(rows) !== file.rows) return { reason: `the file holds ${rows} rows, the catalog says ${file.rows}` }
  } catch (error) {
    return { reason: `the file cannot be read: ${error instanceof Error ? error.message : error}` }
  }
}

const wrongChecksum = 'the file does not match its checksum'

/** Computes the CRC-32 of a file. */
export type ChecksumOf = (path: string) => Promise<number>

/** The damage if the file has changed: reading rows would not notice most damage. Rejects where it cannot be read, which is no damage. */
export async function contentDamage(path: string, file: DataFile, checksumOf: ChecksumOf): Promise<string | undefined> {
  if ((await checksumOf(path)) === file.checksum) return undefined
  return `data file ${path}: ${wrongChecksum}; restore it from a backup, or see what weir storage repair would do`
}
