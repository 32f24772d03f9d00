// Parts of data files: a directory tells which of them hold a series, and they are read whole.
import { join } from 'node:path'
import type { ResultBatch } from '../../../model/batch.ts'
import type { DataFile } from '../catalog/catalog-rows.ts'
import { type Duckdb, quoteText } from '../duckdb/index.ts'
import type { FilePins } from '../file/file-pins.ts'
import { lowerBound } from '../read/lower-bound.ts'
import type { SampleCache } from './sample-cache.ts'

export interface FileSampleParts {
  readonly duckdb: Pick<Duckdb, 'read'>
  readonly pins: FilePins
  readonly dataDir: string
  readonly samples: SampleCache
}

/** Rows of a part: those DuckDB puts in a row group. */
export const partRows = 122_880
const pairBytes = 8

/**
 * What `read` makes of every part of the files that holds a wanted series, a few at a time; undefined where they take too much memory at
 * `rowBytes` a row, or one is undefined. `tsids` ascend.
 */
export async function readWanted<T>(
  parts: FileSampleParts,
  files: readonly DataFile[],
  { tsids, rowBytes }: { readonly tsids: Uint32Array; readonly rowBytes: number },
  read: (file: DataFile, part: number) => Promise<T | undefined>
): Promise<T[] | undefined> {
  if (tsids.length === 0) return []
  const { samples } = parts
  const needed: { readonly file: DataFile; readonly part: number }[] = []
  for (const file of files) {
    if (file.rows > mostRows) return undefined
    const directory = await samples.get(file.path, () => readDirectory(parts, file))
    for (const part of partsOf(directory, tsids)) needed.push({ file, part })
    if (needed.length * partRows * rowBytes > samples.limit / 2) return undefined
  }
  const found: T[] = []
  for (let next = 0; next < needed.length; next += mostAtOnce) {
    const some = needed.slice(next, next + mostAtOnce)
    for (const each of await Promise.all(some.map(({ file, part }) => read(file, part)))) {
      if (each === undefined) return undefined
      found.push(each)
    }
  }
  return found
}

/** Rows of a file of which a directory is made: that takes about as long as one query over it. */
export const mostRows = 50_000_000
/** Parts that are read at the same time. */
const mostAtOnce = 4

/** Which parts of a file hold a series: pairs of both, ascending. */
interface Directory {
  readonly bytes: number
  readonly series: Uint32Array
  readonly part: Uint32Array
}

async function readDirectory(parts: FileSampleParts, file: DataFile): Promise<Directory> {
  const part = `(file_row_number // ${partRows})::UINTEGER`
  const sql = `SELECT __tsid, ${part} AS part FROM ${source(parts, file)} GROUP BY __tsid, part ORDER BY __tsid, part`
  const batches = await readAll(parts, file, sql)
  const rows = batches.reduce((sum, batch) => sum + batch.rows, 0)
  const directory = { bytes: rows * pairBytes, series: new Uint32Array(rows), part: new Uint32Array(rows) }
  let at = 0
  for (const { rows, columns } of batches) {
    directory.series.set(columns[0]!.values as Uint32Array, at)
    directory.part.set(columns[1]!.values as Uint32Array, at)
    at += rows
  }
  return directory
}

/** Numbers of the parts that hold wanted series, ascending. */
function partsOf({ series, part }: Directory, tsids: Uint32Array): readonly number[] {
  const found = new Set<number>()
  let at = 0
  for (const tsid of tsids) {
    at = lowerBound(series, tsid, at)
    for (; series[at] === tsid; at++) found.add(part[at]!)
  }
  return [...found].sort((a, b) => a - b)
}

export function source({ dataDir }: FileSampleParts, file: DataFile): string {
  return `read_parquet(${quoteText(join(dataDir, file.path))}, file_row_number = true)`
}

/** For whoever wants it, so nobody can cancel it. */
export async function readAll(
  { duckdb, pins }: FileSampleParts,
  file: DataFile,
  sql: string
): Promise<readonly ResultBatch[]> {
  pins.pin([file.path])
  try {
    return await duckdb.read(sql)
  } finally {
    pins.unpin([file.path])
  }
}
