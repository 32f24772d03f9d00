// Columns of data files by row: read in parts as they are asked for, and kept.
import { type FixedData, isValid, type ResultVector } from '../../../model/batch.ts'
import type { TableColumn } from '../../../model/table.ts'
import type { DataFile } from '../catalog/catalog-rows.ts'
import { duckdbType, quoteName } from '../duckdb/index.ts'
import { ticksOf } from '../query/time.ts'
import { timeAt, wordsOf } from '../read/sample-rows.ts'
import { type FileSampleParts, partRows, readAll, source } from './file-samples.ts'
import type { Sized } from './sample-cache.ts'

/** Rows of a part of a file in the order of the file. */
export interface FilePart {
  readonly series: PartSeries
  /** The columns that were asked for, in their order; undefined for those the file does not hold. */
  readonly columns: readonly (FixedData | undefined)[]
}

/** Neighbouring rows of one series are a run. */
export interface PartSeries extends Sized {
  /** Of each run. */
  readonly tsids: Uint32Array
  /** Of each run its first row, then the end of the last one. */
  readonly starts: Uint32Array
  readonly times: FixedData
  /** Whether the times of each run ascend. */
  readonly ascending: boolean
}

interface PartColumn extends Sized {
  readonly data: FixedData
}

/** Whether values of a column can be kept here. */
export function isFixed({ type }: TableColumn): boolean {
  return /^(?:U?Int\d+|Float\d+|Boolean|Date|Timestamp.*)$/.test(type)
}

/** Bytes a row takes, roughly: its time and the columns. */
export function bytesPerRow(columns: readonly TableColumn[]): number {
  return 8 * (columns.length + 1)
}

/** A part of a file whose rows have series. All columns are fixed ones. */
export async function readPart(
  parts: FileSampleParts,
  file: DataFile,
  part: number,
  time: TableColumn,
  columns: readonly TableColumn[]
): Promise<FilePart> {
  const missing: Missing = { series: false, columns: [] }
  let loading: Promise<Loaded> | undefined
  // What is missing is known once all were asked for, and read with one statement.
  const load = () => {
    loading ??= Promise.resolve().then(() => loadPart(parts, file, part, time, missing))
    return loading
  }
  const seriesKey = `${file.path} ${part} series ${time.id}`
  const series = parts.samples.get(seriesKey, async () => {
    missing.series = true
    return (await load()).series!
  })
  const held = columns.map(column => {
    if (!file.columns.includes(column.id)) return undefined
    return parts.samples.get(`${file.path} ${part} column ${column.id}`, async () => {
      missing.columns.push(column)
      return (await load()).columns.get(column.id)!
    })
  })
  const [found, ...data] = await Promise.all([series, ...held])
  return { series: found, columns: data.map(column => column?.data) }
}

interface Missing {
  series: boolean
  readonly columns: TableColumn[]
}

interface Loaded {
  readonly series: PartSeries | undefined
  readonly columns: ReadonlyMap<number, PartColumn>
}

async function loadPart(
  parts: FileSampleParts,
  file: DataFile,
  part: number,
  time: TableColumn,
  { series, columns }: Missing
): Promise<Loaded> {
  const first = part * partRows
  const rows = Math.min(partRows, file.rows - first)
  const value = ({ physical, type }: TableColumn) => `${quoteName(physical)}::${duckdbType(type)}`
  const selected = [
    `(file_row_number - ${first})::UINTEGER`,
    ...columns.map(value),
    ...(series ? ['__tsid', `(${ticksOf(time, value(time))})::BIGINT`] : [])
  ]
  const where = `file_row_number BETWEEN ${first} AND ${first + rows - 1}`
  const batches = await readAll(parts, file, `SELECT ${selected.join(', ')} FROM ${source(parts, file)} WHERE ${where}`)
  // Several threads read: rows come in any order.
  const put = (c: number) => {
    const at = batches.map(batch => batch.columns[0]!.values as Uint32Array)
    return placed(
      rows,
      at,
      batches.map(batch => batch.columns[c]!)
    )
  }
  const loaded = new Map(
    columns.map(({ id }, i) => {
      const data = put(i + 1)
      return [id, { data, bytes: data.values.byteLength + (data.valid?.byteLength ?? 0) }]
    })
  )
  const own = columns.length + 1
  return { series: series ? runsOf(put(own).values as Uint32Array, put(own + 1)) : undefined, columns: loaded }
}

/** Values of batches at the rows they belong to. */
function placed(rows: number, at: readonly Uint32Array[], vectors: readonly ResultVector[]): FixedData {
  type Numbers = FixedData['values']
  const made = (vectors[0]?.values.constructor ?? Float64Array) as new (length: number) => Numbers
  const values = new made(rows)
  const valid = vectors.some(vector => vector.valid !== undefined) ? new Uint8Array((rows + 7) >> 3) : undefined
  for (const [b, { values: from, valid: bits }] of vectors.entries()) {
    const places = at[b]!
    if (ArrayBuffer.isView(from) && isRun(places)) values.set(from as never, places[0]!)
    else for (let i = 0; i < places.length; i++) values[places[i]!] = from[i] as never
    if (valid === undefined) continue
    for (let i = 0; i < places.length; i++) if (isValid(bits, i)) valid[places[i]! >> 3]! |= 1 << (places[i]! & 7)
  }
  return { kind: 'fixed', values, ...(valid && { valid }) }
}

function isRun(places: Uint32Array): boolean {
  for (let i = 1; i < places.length; i++) if (places[i] !== places[i - 1]! + 1) return false
  return places.length > 0
}

function runsOf(series: Uint32Array, times: FixedData): PartSeries {
  const words = wordsOf(times)
  const tsids: number[] = []
  const starts: number[] = []
  let ascending = true
  for (let row = 0; row < series.length; row++) {
    if (row > 0 && series[row] === series[row - 1]) {
      if (timeAt(words, row) < timeAt(words, row - 1)) ascending = false
      continue
    }
    tsids.push(series[row]!)
    starts.push(row)
  }
  starts.push(series.length)
  const bytes = times.values.byteLength + 8 * tsids.length
  return { bytes, tsids: Uint32Array.from(tsids), starts: Uint32Array.from(starts), times, ascending }
}
