// A data file against what the catalog says of it: size, checksum, rows.
import { createReadStream } from 'node:fs'
import { crc32 } from 'node:zlib'
import { DbError } from '../../errors.ts'
import type { DataFile } from './catalog-rows.ts'
import { type Duckdb, quoteText } from './duckdb/index.ts'
import { sizeOf } from './open.ts'

export interface FileDamage {
  readonly reason: string
  readonly offset?: number
}

/** Reads the whole file; undefined when it is sound. */
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

/** Throws DbError `StorageUnavailable` unless the content is what was written: what reads rows would not notice most damage. */
export async function requireContent(path: string, file: DataFile): Promise<void> {
  if ((await fileChecksum(path)) === file.checksum) return
  const message = `data file ${path}: ${wrongChecksum}; restore it from a backup, or see what weir storage repair would do`
  throw new DbError('StorageUnavailable', message)
}

/** CRC-32 of a file. */
export async function fileChecksum(path: string): Promise<number> {
  let sum = 0
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) sum = crc32(chunk as Buffer, sum)
  return sum
}

/** Above this many bytes a single bit explains almost any difference. */
const searchable = 2 ** 28

/** The only byte in which one turned bit changes a CRC-32 by `difference`; undefined when no single bit does. */
export function flippedByte(difference: number, size: number): number | undefined {
  if (size > searchable) return undefined
  const table = crcTable()
  const byTop = new Uint8Array(256)
  table.forEach((entry, i) => {
    byTop[entry >>> 24] = i
  })
  const single = new Set(Array.from({ length: 8 }, (_, bit) => table[1 << bit]!))
  let state = difference >>> 0
  for (let at = size - 1; at >= 0; at--) {
    if (single.has(state)) return at
    // Back over one byte: the top byte tells which entry of the table went in.
    const index = byTop[state >>> 24]!
    state = (((state ^ table[index]!) << 8) | index) >>> 0
  }
  return undefined
}

function crcTable(): Uint32Array {
  return Uint32Array.from({ length: 256 }, (_, i) => {
    let entry = i
    for (let bit = 0; bit < 8; bit++) entry = entry & 1 ? (entry >>> 1) ^ 0xedb88320 : entry >>> 1
    return entry >>> 0
  })
}
