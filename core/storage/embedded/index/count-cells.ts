// How many rows there are of each value of a column in each stretch of time: for columns with few values, in cells.
import { type BytesData, type ColumnData, type FixedData, isValid } from '../../../model/batch.ts'
import type { ParquetColumn, ParquetFooter, ParquetReader } from '../parquet/index.ts'
import { mix } from './token.ts'

/** Rows of a file below which reading them is as quick as reading counts. */
export const minCountRows = 10_000

/** Seconds of the stretches, from the finest: each is a multiple of those before it, and they begin with 1970. */
const cellWidths = [60, 3600, 86_400] as const

/** Values of a column, and of a text of them, beyond which it has no cells. */
const maxValues = 1000
const maxTextBytes = 256
/** Twice as many slots as values, at least. */
const slotMask = 2047
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

/** Cells of a data file by id of a column, 0 for all rows; without columns that have too many values. */
export function countFile(
  reader: ParquetReader,
  footer: ParquetFooter,
  time: string,
  columns: readonly { readonly id: number; readonly name: string }[]
): ReadonlyMap<number, CountCells> {
  const placeOf = (name: string) => footer.columns.findIndex(column => column.name === name)
  const places = new Map(columns.map(({ id, name }) => [id, placeOf(name)]))
  const timePlace = placeOf(time)
  const counter = new CellCounter(footer.rows, footer.columns[timePlace]!, [...places.keys(), 0])
  for (const [group, { rows }] of footer.rowGroups.entries()) {
    counter.add({ rows, times: reader.column(group, timePlace), column: id => reader.column(group, places.get(id)!) })
  }
  return counter.finish()
}

/** Some rows: their times as files hold them, and columns by id; undefined: all null. */
interface CountedRows {
  readonly rows: number
  readonly times: ColumnData
  column(id: number): ColumnData | undefined
}

const ticks = { ms: 1000, us: 1_000_000, ns: 1_000_000_000 } as const

/** Counts rows, some at a time. */
export class CellCounter {
  readonly #perSecond: number | undefined
  /** By id of a column, without those that have too many values. */
  readonly #counters = new Map<number, ValueCounter>()

  /** `rows` there are in all; `columns` by id, 0 for all rows, which have one value that is null. */
  constructor(rows: number, { logical }: Pick<ParquetColumn, 'logical'>, columns: readonly number[]) {
    this.#perSecond = logical?.kind === 'timestamp' ? ticks[logical.unit] : undefined
    if (this.#perSecond === undefined) return
    const limit = Math.floor(rows / rowsPerCell)
    for (const id of columns) this.#counters.set(id, new ValueCounter(limit))
  }

  /** Whether there is nothing to count: all columns have too many values. */
  get isOver(): boolean {
    return this.#counters.size === 0
  }

  add({ rows, times, column }: CountedRows): void {
    if (this.#perSecond === undefined || this.isOver) return
    const starts = stretches((times as FixedData).values as BigInt64Array, rows, this.#perSecond)
    for (const [id, values] of this.#counters) {
      const ids = values.identify(id === 0 ? undefined : column(id), rows)
      if (ids === undefined || !values.add(starts, ids)) this.#counters.delete(id)
    }
  }

  finish(): ReadonlyMap<number, CountCells> {
    const found = new Map<number, CountCells>()
    for (const [id, values] of this.#counters) {
      const cells = values.finish()
      if (cells !== undefined) found.set(id, cells)
    }
    return found
  }
}

/** Ticks within which a time as a float may lie on the wrong side of a border: it does not hold all nanoseconds. */
const unsure = 1024

/** The finest stretch of each time. */
function stretches(times: BigInt64Array, rows: number, perSecond: number): Float64Array {
  const width = cellWidths[0] * perSecond
  const exact = BigInt(width)
  // Reading a bigint takes ten times as long as its words.
  const words = new Int32Array(times.buffer, times.byteOffset, 2 * rows)
  const found = new Float64Array(rows)
  let start = Number.NaN
  let [from, to] = [Number.NaN, Number.NaN]
  for (let i = 0; i < rows; i++) {
    const time = words[2 * i + 1]! * 2 ** 32 + (words[2 * i]! >>> 0)
    if (!(time >= from && time < to)) {
      const into = time - Math.floor(time / width) * width
      const isSure = into >= unsure && into < width - unsure
      start = isSure ? Math.floor(time / width) : floorDivide(times[i]!, exact)
      from = start * width + unsure
      to = from + width - 2 * unsure
    }
    found[i] = start
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
  readonly #numbers = new Map<bigint, number>()
  /** Bytes of texts by id; ids by their hash, 0 where there is none. */
  readonly #texts: Uint8Array[] = []
  readonly #slots = new Uint16Array(slotMask + 1)
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

  /** Numbers of the values of rows, 0 for null; undefined where there are too many. Without data all are null. */
  identify(data: ColumnData | undefined, rows: number): Uint32Array | undefined {
    const ids = new Uint32Array(rows)
    if (data === undefined) return ids
    const { valid } = data
    if (data.kind === 'dictionary') {
      const { codes, dictionary } = data
      const known = new Int32Array(dictionary.offsets.length).fill(-1)
      for (let row = 0; row < rows; row++) {
        if (!isValid(valid, row)) continue
        const code = codes[row]!
        if (known[code] === -1) known[code] = this.#idOfText(dictionary, code)
        ids[row] = known[code]!
        if (ids[row] === 0) return undefined
      }
      return ids
    }
    if (data.kind === 'bytes') {
      for (let row = 0; row < rows; row++) {
        if (!isValid(valid, row)) continue
        ids[row] = this.#idOfText(data, row)
        if (ids[row] === 0) return undefined
      }
      return ids
    }
    let last: bigint | number | undefined
    let id = 0
    for (let row = 0; row < rows; row++) {
      if (!isValid(valid, row)) continue
      const value = data.values[row]!
      if (value !== last) id = this.#idOfNumber(value)
      last = value
      if (id === 0) return undefined
      ids[row] = id
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
  #idOfNumber(number: bigint | number): number {
    const value = BigInt(number)
    const known = this.#numbers.get(value)
    if (known !== undefined) return known
    const id = this.#new(value)
    this.#numbers.set(value, id)
    return id
  }

  /** 0 where it is too long, or there is no room for another value. */
  #idOfText({ offsets, bytes }: BytesData, entry: number): number {
    const [from, to] = [offsets[entry]!, offsets[entry + 1]!]
    if (to - from > maxTextBytes) return 0
    let hash = to - from
    for (let at = from; at < to; at++) hash = Math.imul(hash ^ bytes[at]!, 0x01000193)
    for (let slot = mix(hash) & slotMask; ; slot = (slot + 1) & slotMask) {
      const id = this.#slots[slot]!
      if (id !== 0 && isEqual(this.#texts[id]!, bytes, from, to)) return id
      if (id !== 0) continue
      const text = bytes.slice(from, to)
      const made = this.#new(Buffer.from(text).toString('latin1'))
      this.#texts[made] = text
      this.#slots[slot] = made
      return made
    }
  }

  #new(value: string | bigint): number {
    return this.#values.length > maxValues ? 0 : this.#values.push(value) - 1
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

function isEqual(text: Uint8Array, bytes: Uint8Array, from: number, to: number): boolean {
  if (text.length !== to - from) return false
  for (let i = 0; i < text.length; i++) if (text[i] !== bytes[from + i]) return false
  return true
}
