// How many rows there are of each value of a column in each stretch of time: for columns with few values, in cells.
import { type BytesData, type ColumnData, type FixedData, isValid } from '../../../model/batch.ts'
import type { ParquetColumn, ParquetFooter, ParquetReader } from '../parquet/index.ts'

/** Rows of a file below which reading them is as quick as reading counts. */
export const minCountRows = 10_000

/** Seconds of the stretches, from the finest: each is a multiple of those before it, and they begin with 1970. */
const cellWidths = [60, 3600, 86_400] as const

/** Values of a column, and of a text of them, beyond which it has no cells. */
const maxValues = 1000
const maxTextBytes = 256
/** Of a file: so many rows for each cell, or the cells would be read no faster than the rows. */
const rowsPerCell = 16

/** Cells of a column: there are `counts[i]` rows with value `values[ids[i]]` in stretch `starts[i]`. */
export interface CountCells {
  readonly width: number
  /** Times of 1970, in widths. */
  readonly starts: readonly number[]
  readonly ids: readonly number[]
  readonly counts: readonly number[]
  readonly values: readonly (string | bigint | null)[]
}

/** Cells of a data file by id of a column, without those that have too many values. */
export function countFile(
  reader: ParquetReader,
  footer: ParquetFooter,
  time: string,
  columns: readonly { readonly id: number; readonly name: string }[]
): ReadonlyMap<number, CountCells> {
  const placeOf = (name: string) => footer.columns.findIndex(column => column.name === name)
  const places = columns.map(({ id, name }) => ({ id, place: placeOf(name) }))
  const counter = new CellCounter(footer.rows, { time: placeOf(time), columns: places }, footer.columns)
  for (const [group, { rows }] of footer.rowGroups.entries())
    counter.add({ from: 0, rows, column: place => reader.column(group, place) })
  return counter.finish()
}

/** Rows `from` to `from + rows` of the columns of a file. */
interface CountedGroup {
  readonly from: number
  readonly rows: number
  column(place: number): ColumnData
}

/** Where in a file the columns are that are counted. */
export interface CountedPlaces {
  readonly time: number
  readonly columns: readonly { readonly id: number; readonly place: number }[]
}

const ticks = { ms: 1000, us: 1_000_000, ns: 1_000_000_000 } as const

/** Counts the rows of a file, row group by row group. */
export class CellCounter {
  readonly #time: number
  readonly #perSecond: number | undefined
  /** By id of a column, those of all rows as column 0, without those given up. */
  readonly #counters = new Map<number, { readonly place: number | undefined; readonly values: ValueCounter }>()

  /** `rows` of the whole file; `columns` all it has. */
  constructor(
    rows: number,
    { time, columns: counted }: CountedPlaces,
    columns: readonly Omit<ParquetColumn, 'name'>[]
  ) {
    const { logical } = columns[time]!
    this.#time = time
    this.#perSecond = logical?.kind === 'timestamp' ? ticks[logical.unit] : undefined
    if (this.#perSecond === undefined) return
    const limit = Math.floor(rows / rowsPerCell)
    for (const { id, place } of [...counted, { id: 0, place: undefined }])
      this.#counters.set(id, { place, values: new ValueCounter(limit) })
  }

  add({ from, rows, column }: CountedGroup): void {
    if (this.#perSecond === undefined) return
    const times = (column(this.#time) as FixedData).values as BigInt64Array
    const starts = stretches(times.subarray(from, from + rows), this.#perSecond)
    for (const [id, { place, values }] of this.#counters) {
      const ids = place === undefined ? new Uint32Array(rows) : values.identify(column(place), from, rows)
      if (ids === undefined || !values.add(starts, ids)) this.#counters.delete(id)
    }
  }

  /** Those of all rows, as column 0, have one value that is null. */
  finish(): ReadonlyMap<number, CountCells> {
    const found = new Map<number, CountCells>()
    for (const [id, { values }] of this.#counters) {
      const cells = values.finish()
      if (cells !== undefined) found.set(id, cells)
    }
    return found
  }
}

/** The finest stretch of each time. */
function stretches(times: BigInt64Array, perSecond: number): Float64Array {
  const width = cellWidths[0] * perSecond
  const exact = BigInt(width)
  const found = new Float64Array(times.length)
  for (let i = 0; i < times.length; i++) {
    const time = Number(times[i])
    const start = Math.floor(time / width)
    const into = time - start * width
    // A float does not hold all nanoseconds: near the border of two stretches it may lie on the wrong side.
    found[i] = into < 1024 || into > width - 1024 ? floorDivide(times[i]!, exact) : start
  }
  return found
}

function floorDivide(time: bigint, width: bigint): number {
  const quotient = time / width
  return Number(time < 0n && quotient * width !== time ? quotient - 1n : quotient)
}

class ValueCounter {
  readonly #limit: number
  readonly #values: (string | bigint | null)[] = [null]
  readonly #ids = new Map<string | bigint | number, number>()
  #step = 0
  /** Of the stretch that rows are counted of: rows by value, and which have any. */
  readonly #open = new Uint32Array(maxValues + 1)
  #touched: number[] = []
  #start = Number.NaN
  #starts: number[] = []
  #cells: number[] = []
  #counts: number[] = []

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Numbers of the values of rows, 0 for null; undefined where there are too many. */
  identify(data: ColumnData, from: number, rows: number): Uint32Array | undefined {
    const ids = new Uint32Array(rows)
    const { valid } = data
    if (data.kind === 'dictionary') {
      const known = new Int32Array(data.dictionary.offsets.length).fill(-1)
      for (let i = 0; i < rows; i++) {
        if (!isValid(valid, from + i)) continue
        const code = data.codes[from + i]!
        if (known[code] === -1) known[code] = this.#idOf(textOf(data.dictionary, code))
        ids[i] = known[code]!
        if (ids[i] === 0) return undefined
      }
      return ids
    }
    let last: string | bigint | number | undefined
    let id = 0
    for (let i = 0; i < rows; i++) {
      if (!isValid(valid, from + i)) continue
      const value = data.kind === 'bytes' ? textOf(data, from + i) : data.values[from + i]!
      if (value !== last) id = this.#idOf(value)
      last = value
      if (id === 0) return undefined
      ids[i] = id
    }
    return ids
  }

  /** False where there are too many cells. */
  add(starts: Float64Array, ids: Uint32Array): boolean {
    for (let row = 0; row < ids.length; row++) {
      const start = this.#coarse(starts[row]!)
      if (start !== this.#start) {
        this.#close()
        while (this.#cells.length > this.#limit) if (!this.#coarsen()) return false
        this.#start = this.#coarse(starts[row]!)
      }
      const id = ids[row]!
      if (this.#open[id]!++ === 0) this.#touched.push(id)
    }
    return true
  }

  finish(): CountCells | undefined {
    this.#close()
    while (this.#cells.length > this.#limit) if (!this.#coarsen()) return undefined
    return {
      width: cellWidths[this.#step]!,
      starts: this.#starts,
      ids: this.#cells,
      counts: this.#counts,
      values: this.#values
    }
  }

  /** 0 where there is no room for another value. */
  #idOf(value: string | bigint | number): number {
    const known = this.#ids.get(value)
    if (known !== undefined) return known
    const isLong = typeof value === 'string' && value.length > maxTextBytes
    if (isLong || this.#values.length > maxValues) return 0
    const id = this.#values.push(typeof value === 'number' ? BigInt(value) : value) - 1
    this.#ids.set(value, id)
    return id
  }

  #coarse(start: number): number {
    return this.#step === 0 ? start : Math.floor(start / (cellWidths[this.#step]! / cellWidths[0]))
  }

  #close(): void {
    for (const id of this.#touched) {
      this.#starts.push(this.#start)
      this.#cells.push(id)
      this.#counts.push(this.#open[id]!)
      this.#open[id] = 0
    }
    this.#touched = []
  }

  /** Longer stretches; false where there are none. */
  #coarsen(): boolean {
    const next = cellWidths[this.#step + 1]
    if (next === undefined) return false
    const factor = next / cellWidths[this.#step]!
    this.#step++
    const cells = new Map<string, number>()
    const [starts, ids, counts] = [this.#starts, this.#cells, this.#counts]
    this.#starts = []
    this.#cells = []
    this.#counts = []
    for (let i = 0; i < ids.length; i++) {
      const start = Math.floor(starts[i]! / factor)
      const key = `${start} ${ids[i]}`
      const known = cells.get(key)
      if (known !== undefined) this.#counts[known]! += counts[i]!
      else {
        cells.set(key, this.#cells.length)
        this.#starts.push(start)
        this.#cells.push(ids[i]!)
        this.#counts.push(counts[i]!)
      }
    }
    return true
  }
}

/** Byte by byte, as characters: the same texts have the same. */
function textOf({ offsets, bytes }: BytesData, entry: number): string {
  const { buffer, byteOffset } = bytes
  const [from, to] = [offsets[entry]!, offsets[entry + 1]!]
  return Buffer.from(buffer as ArrayBuffer, byteOffset + from, to - from).toString('latin1')
}
