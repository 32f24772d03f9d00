// The last time of each series of a file: files that hold no latest row of any series need not be read, others from some time on.
import { join } from 'node:path'
import type { Table } from '../../../model/table.ts'
import type { DataFile } from '../catalog/catalog-rows.ts'
import { duckdbType, quoteName, quoteText } from '../duckdb/index.ts'
import type { SeriesEnds } from '../read/plan.ts'
import type { ReadDependencies } from './snapshot.ts'
import { ticksOf } from './time.ts'

/** By path of the file; undefined where they are more than it pays to look at. */
export async function readEnds(
  parts: ReadDependencies,
  files: readonly DataFile[],
  table: Table
): Promise<ReadonlyMap<string, SeriesEnds> | undefined> {
  const found = new Map<string, SeriesEnds>()
  let series = 0
  for (const file of files) {
    const ends = await parts.samples.get(`${file.path} ends`, () => endsOf(parts, file, table))
    series += ends.series.length
    if (series > parts.limits.ends) return undefined
    found.set(file.path, ends)
  }
  return found
}

/** Nobody can cancel it, since others may wait for it, too. */
async function endsOf({ duckdb, pins, dataDir }: ReadDependencies, { path }: DataFile, { timeIndex }: Table) {
  const ticks = ticksOf(timeIndex, `max(${quoteName(timeIndex.physical)})::${duckdbType(timeIndex.type)}`)
  const sql = `SELECT __tsid, (${ticks})::BIGINT FROM read_parquet(${quoteText(join(dataDir, path))}) GROUP BY __tsid`
  pins.pin([path])
  try {
    const batches = await duckdb.read(sql)
    const series = batches.flatMap(({ columns }) => [...(columns[0]!.values as Uint32Array)])
    const times = batches.flatMap(({ columns }) => Array.from(columns[1]!.values as BigInt64Array, Number))
    return { bytes: series.length * 12, series: Uint32Array.from(series), times: Float64Array.from(times) }
  } finally {
    pins.unpin([path])
  }
}
