// Samples from memory put together series by series: counted first, then copied to their places as numbers.
import { isValid, type ResultBatch, type ResultVector } from '../../../model/batch.ts'
import type { TableColumn } from '../../../model/table.ts'
import type { MemtableRows } from '../memory/memtable.ts'
import { type SampleQuery, type SampleRows, timeAt, timeWords, visitRuns } from './sample-rows.ts'
import { newestRows } from './versions.ts'

export interface GatherOptions {
  /** Rows of one series and time are versions of one row, the later one in the list counts; else every row counts. */
  readonly versions: boolean
  /** A version without a value hides none. */
  readonly merges: boolean
}

/** Rows of wanted series in the order of their places. */
interface Found {
  /** By place the first row, then the end. */
  readonly starts: Uint32Array
  readonly times: Float64Array
  readonly values: readonly Numbers[]
}

interface Numbers {
  readonly values: Float64Array
  /** By row whether there is a number; absent where there is one everywhere. */
  readonly present: Uint8Array | undefined
}

/** Runs of all parts: three numbers each, the place and the rows. */
interface Runs {
  readonly part: SampleRows
  readonly numbers: readonly number[]
}

/** Samples of parts that may hold some, in the order they were written; each series in one piece, times ascending. */
export function gather(
  parts: readonly SampleRows[],
  query: SampleQuery,
  { versions, merges }: GatherOptions
): ResultBatch {
  const { tsids } = query.wanted
  const counts = new Uint32Array(tsids.length + 1)
  const runs = parts.map(part => runsOf(part, query, counts))
  for (let place = 0; place < tsids.length; place++) counts[place + 1]! += counts[place]!
  const found = fill(runs, query, counts)
  const kept = newestRows(found, { versions, merges })
  return kept === undefined ? batchOf(found, tsids) : pick(found, tsids, kept)
}

function runsOf(part: SampleRows, query: SampleQuery, counts: Uint32Array): Runs {
  const numbers: number[] = []
  visitRuns(part, query, (place, start, end) => {
    numbers.push(place, start, end)
    counts[place + 1]! += end - start
  })
  return { part, numbers }
}

function fill(runs: readonly Runs[], { time, values: columns }: SampleQuery, starts: Uint32Array): Found {
  const rows = starts.at(-1)!
  const times = new Float64Array(rows)
  const next = starts.slice()
  const places = runs.map(({ part, numbers }) => {
    const words = timeWords(part.columns, time)
    const ats = new Uint32Array(numbers.length / 3)
    for (let i = 0, n = 0; i < numbers.length; i += 3, n++) {
      let at = next[numbers[i]!]!
      ats[n] = at
      for (let row = numbers[i + 1]!; row < numbers[i + 2]!; row++) times[at++] = timeAt(words, row)
      next[numbers[i]!] = at
    }
    return ats
  })
  const values = columns.map(column => {
    const hasGaps = runs.some(({ part }) => part.columns.get(column.id)?.valid !== undefined || lacks(part, column))
    const filled = { values: new Float64Array(rows), present: hasGaps ? new Uint8Array(rows) : undefined }
    for (const [i, each] of runs.entries()) copyNumbers(each, places[i]!, column, filled)
    return filled
  })
  return { starts, times, values }
}

function lacks({ columns }: MemtableRows, { id }: TableColumn): boolean {
  return columns.get(id)?.kind !== 'fixed'
}

/** Floats by their bits: a copy as numbers may change those of a NaN. */
function copyNumbers({ part, numbers }: Runs, places: Uint32Array, { id }: TableColumn, to: Numbers): void {
  const data = part.columns.get(id)
  if (data?.kind !== 'fixed') return
  const { values, valid } = data
  const words = new Uint32Array(to.values.buffer)
  const from =
    values instanceof Float64Array ? new Uint32Array(values.buffer, values.byteOffset, values.length * 2) : undefined
  for (let i = 0, n = 0; i < numbers.length; i += 3, n++) {
    const [start, end, at] = [numbers[i + 1]!, numbers[i + 2]!, places[n]!]
    if (from === undefined) for (let row = start; row < end; row++) to.values[at + row - start] = Number(values[row])
    else {
      let word = 2 * at
      for (let old = 2 * start; old < 2 * end; old++) words[word++] = from[old]!
    }
    if (to.present === undefined) continue
    for (let row = start; row < end; row++) to.present[at + row - start] = Number(isValid(valid, row))
  }
}

function batchOf({ starts, times, values }: Found, tsids: Uint32Array): ResultBatch {
  const series = new Uint32Array(times.length)
  for (let place = 0; place < tsids.length; place++) series.fill(tsids[place]!, starts[place], starts[place + 1])
  return { rows: times.length, columns: [{ values: series }, { values: times }, ...values.map(vectorOf)] }
}

function vectorOf({ values, present }: Numbers): ResultVector {
  if (present === undefined) return { values }
  const valid = new Uint8Array((values.length + 7) >> 3)
  for (let row = 0; row < values.length; row++) if (present[row] === 1) valid[row >> 3]! |= 1 << (row & 7)
  return { values, valid }
}

/** Some of the rows, in another order. */
function pick({ starts, times, values }: Found, tsids: Uint32Array, rows: Uint32Array): ResultBatch {
  const all = batchOf({ starts, times, values: [] }, tsids).columns[0]!.values as Uint32Array
  const series = new Uint32Array(rows.length)
  for (let i = 0; i < rows.length; i++) series[i] = all[rows[i]!]!
  const numbers = values.map(({ values, present }) => ({
    values: pickNumbers(values, rows),
    present: present && Uint8Array.from(rows, row => present[row]!)
  }))
  const columns = [{ values: series }, { values: pickNumbers(times, rows) }, ...numbers.map(vectorOf)]
  return { rows: rows.length, columns }
}

function pickNumbers(values: Float64Array, rows: Uint32Array): Float64Array {
  const picked = new Float64Array(rows.length)
  const [from, to] = [new Uint32Array(values.buffer), new Uint32Array(picked.buffer)]
  for (let i = 0; i < rows.length; i++) {
    to[2 * i] = from[2 * rows[i]!]!
    to[2 * i + 1] = from[2 * rows[i]! + 1]!
  }
  return picked
}
