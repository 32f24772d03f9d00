// The newest rows of series: which files hold some, and from when on.
import { join } from 'node:path'
import type { ResultBatch } from '../../../model/batch.ts'
import type { Table } from '../../../model/table.ts'
import type { Condition } from '../../engine.ts'
import type { DataFile } from '../catalog/catalog-rows.ts'
import { hasSeries, isTagged } from '../catalog/logical.ts'
import { duckdbType, quoteName, quoteText } from '../duckdb/index.ts'
import type { Sized } from '../samples/sample-cache.ts'
import { partsRead, type Snapshot } from './relation.ts'
import type { NewestRows, Selection } from './select.ts'
import type { ReadParts } from './snapshot.ts'
import { ticksOf } from './time.ts'

/** Series of all files together: beyond, the look at them takes as long as a query. */
const mostSeries = 1_000_000
const mostFiles = 200
/** Rows of a file whose ends are looked for: that takes about as long as one query over it. */
const mostRows = 50_000_000

/** Undefined where the statement wants other rows, too, or they cannot be told apart. */
export async function findNewest(
  parts: ReadParts,
  snapshot: Snapshot,
  { wants }: Pick<Selection, 'wants'>,
  where: Condition
): Promise<NewestRows | undefined> {
  const { table, view } = snapshot
  if (!asksNewest(where) || !hasSeries(table) || view !== undefined) return undefined
  const files = partsRead(snapshot, wants).alone.filter(part => 'path' in part)
  if (files.length === 0 || files.length > mostFiles) return undefined
  if (!files.every(file => isTagged(table, file) && file.rows <= mostRows)) return undefined
  const ends: SeriesEnds[] = []
  let series = 0
  for (const file of files) {
    const own = await parts.samples.get(`${file.path} ends`, () => readEnds(parts, file, table))
    series += own.series.length
    if (series > mostSeries) return undefined
    ends.push(own)
  }
  const newest = newestOf(ends)
  // What a float does not tell apart of a time in nanoseconds.
  const rounding = table.timeIndex.type === 'TimestampNanosecond' ? 1024n : 0n
  const since = new Map<DataFile, bigint>()
  for (const [i, file] of files.entries()) {
    const from = firstNewest(ends[i]!, newest)
    if (from !== undefined) since.set(file, BigInt(from) - rounding)
  }
  return { files, since }
}

function asksNewest(where: Condition): boolean {
  return where.kind === 'newest' || (where.kind === 'all' && where.of.some(asksNewest))
}

/** The last time of each series of a file. */
interface SeriesEnds extends Sized {
  readonly series: Uint32Array
  readonly times: Float64Array
}

async function readEnds(parts: ReadParts, file: DataFile, { timeIndex }: Table): Promise<SeriesEnds> {
  const ticks = ticksOf(timeIndex, `max(${quoteName(timeIndex.physical)})::${duckdbType(timeIndex.type)}`)
  const sql = `SELECT __tsid, (${ticks})::BIGINT FROM read_parquet(${quoteText(join(parts.dataDir, file.path))}) GROUP BY __tsid`
  const batches = await readAll(parts, file, sql)
  const series = batches.flatMap(({ columns }) => [...(columns[0]!.values as Uint32Array)])
  const times = batches.flatMap(({ columns }) => Array.from(columns[1]!.values as BigInt64Array, Number))
  return { bytes: series.length * 12, series: Uint32Array.from(series), times: Float64Array.from(times) }
}

/** For whoever wants it, so nobody can cancel it. */
async function readAll({ duckdb, pins }: ReadParts, file: DataFile, sql: string): Promise<readonly ResultBatch[]> {
  pins.pin([file.path])
  try {
    return await duckdb.read(sql)
  } finally {
    pins.unpin([file.path])
  }
}

/** By series. */
function newestOf(ends: readonly SeriesEnds[]): Float64Array {
  const last = ends.reduce((most, { series }) => series.reduce((a, b) => Math.max(a, b), most), 0)
  const newest = new Float64Array(last + 1).fill(Number.NEGATIVE_INFINITY)
  for (const { series, times } of ends) {
    for (let i = 0; i < series.length; i++) newest[series[i]!] = Math.max(newest[series[i]!]!, times[i]!)
  }
  return newest
}

/** The earliest time at which a series has its newest row in the file; undefined where none has. */
function firstNewest({ series, times }: SeriesEnds, newest: Float64Array): number | undefined {
  let first = Number.POSITIVE_INFINITY
  for (let i = 0; i < series.length; i++) if (times[i] === newest[series[i]!]) first = Math.min(first, times[i]!)
  return first === Number.POSITIVE_INFINITY ? undefined : first
}
