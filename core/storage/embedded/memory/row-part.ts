// Rows of several writes with the same columns, appended to one piece of memory that threads share. Existing rows never change.
import type { ColumnData, FixedData } from '../../../model/batch.ts'
import type { MemtableRows, WriteOrder } from './memtable.ts'
import { type ColumnPlan, type PartColumn, type PartMemory, planColumn, roundUp, words } from './part-column.ts'
import { pieceBytes, type RowMemory } from './row-memory.ts'

/** Whether rows can be sorted by series: they have series numbers, and a number in every column. */
export function isPlain({ op, rows, tsids, columns }: MemtableRows): boolean {
  if (op !== 'put' || tsids === undefined) return false
  for (const data of columns.values()) if (!isNumbers(data, rows)) return false
  return true
}

function isNumbers(data: ColumnData, rows: number): data is FixedData {
  if (data.kind !== 'fixed' || data.valid !== undefined) return false
  return data.values.length === rows && data.values.BYTES_PER_ELEMENT >= 4
}

export class RowPart {
  readonly memory: SharedArrayBuffer
  readonly #op: MemtableRows['op']
  /** Rows that can be sorted share no part with others. */
  readonly #isPlain: boolean
  readonly #capacity: number
  readonly #tsids: Uint32Array | undefined
  readonly #columns: ReadonlyMap<number, PartColumn>
  #isFull = false
  /** Number of rows, and of those that were cut off. */
  #rows = 0
  #from = 0
  /** Sequence number of the first row not cut off; the next consecutive row has `#endSeq`. */
  #seq = 0
  #endSeq = 0
  /** For sequence numbers with gaps: each row's distance from the first. */
  #after: Uint32Array | undefined
  #view: MemtableRows | undefined

  /**
   * Allocates room for rows like those from an index on: as many if that is possible, at least one, or more if a part `before` was filled with
   * such rows.
   */
  constructor(memory: RowMemory, write: MemtableRows, from: number, before: RowPart | undefined) {
    const { rows, tsids, columns } = write
    const filled = before?.isFull && before.holds(write) ? before : undefined
    const plans = new Map<number, ColumnPlan>()
    for (const [id, data] of columns) {
      const seen = filled && { column: filled.#columns.get(id)!, rows: filled.#rows }
      plans.set(id, planColumn(data, from, rows, seen))
    }
    const bytesFor = (count: number) => {
      let bytes = tsids === undefined ? 0 : roundUp(4 * count)
      for (const plan of plans.values()) bytes += plan.bytes(count)
      return bytes
    }
    const left = rows - from
    const wanted = filled === undefined ? left : Math.max(left, 2 * filled.#capacity)
    this.#capacity = largest(wanted, bytesFor)
    const needed = bytesFor(this.#capacity)
    const isLimited = this.#capacity < wanted
    this.memory = memory.acquire(isLimited ? Math.max(needed, pieceBytes) : needed)
    const texts = [...plans.values()].filter(({ hasTexts }) => hasTexts).length
    // In multiples of 8, so that regions stay aligned.
    const spare = isLimited && texts > 0 ? Math.floor((this.memory.byteLength - needed) / texts / 8) * 8 : 0
    const allocation: PartMemory = { memory: this.memory, used: 0 }
    this.#tsids = tsids && words(allocation, this.#capacity)
    this.#columns = new Map(Array.from(plans, ([id, plan]) => [id, plan.make(allocation, this.#capacity, spare)]))
    this.#op = write.op
    this.#isPlain = isPlain(write)
  }

  get isFull(): boolean {
    return this.#isFull
  }

  /** Whether its rows have these columns. */
  holds(write: MemtableRows): boolean {
    const { op, rows, tsids, columns } = write
    if (op !== this.#op || columns.size !== this.#columns.size) return false
    if ((tsids === undefined) !== (this.#tsids === undefined)) return false
    for (const [id, data] of columns) if (!this.#columns.get(id)?.takes(data, rows)) return false
    return isPlain(write) === this.#isPlain
  }

  /** Appends rows of a write from an index on, as far as there is room; returns the index after the last. */
  append(write: MemtableRows, from: number): number {
    const at = this.#rows
    let to = Math.min(write.rows, from + this.#capacity - at)
    for (const [id, data] of write.columns) to = this.#columns.get(id)!.room(data, from, to)
    this.#isFull = to < write.rows || at + to - from === this.#capacity
    if (to === from) return to
    this.#number(write.seq + from, to - from)
    this.#tsids?.set(write.tsids!.subarray(from, to), at)
    for (const [id, data] of write.columns) this.#columns.get(id)!.append(data, from, to, at)
    this.#rows += to - from
    this.#view = undefined
    return to
  }

  /** The rows not cut off; undefined if there are none. */
  get rows(): MemtableRows | undefined {
    const [from, to] = [this.#from, this.#rows]
    if (from === to) return undefined
    this.#view ??= {
      rows: to - from,
      seq: this.#seq,
      op: this.#op,
      tsids: this.#tsids?.subarray(from, to),
      columns: new Map(Array.from(this.#columns, ([id, column]) => [id, column.view(from, to)])),
      ...(this.#after && { order: { after: this.#after.slice(from, to), endSeq: this.#endSeq } satisfies WriteOrder })
    }
    return this.#view
  }

  /** Cuts off the current rows; later rows form another write. */
  cut(): MemtableRows | undefined {
    const { rows } = this
    this.#from = this.#rows
    this.#view = undefined
    this.#after = undefined
    for (const column of this.#columns.values()) column.cut()
    return rows
  }

  #number(seq: number, count: number): void {
    if (this.#from === this.#rows) this.#seq = this.#endSeq = seq
    if (seq !== this.#endSeq && this.#after === undefined) {
      this.#after = new Uint32Array(this.#capacity)
      for (let row = this.#from; row < this.#rows; row++) this.#after[row] = row - this.#from
    }
    if (this.#after !== undefined) {
      for (let i = 0; i < count; i++) this.#after[this.#rows + i] = seq - this.#seq + i
    }
    this.#endSeq = seq + count
  }
}

/** As many rows, up to `wanted` and at least one, as have room in a piece of memory. */
function largest(wanted: number, bytesFor: (rows: number) => number): number {
  if (bytesFor(wanted) <= pieceBytes) return wanted
  let [low, high] = [1, wanted]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (bytesFor(middle) <= pieceBytes) low = middle
    else high = middle - 1
  }
  // Columns start at multiples of 8 bytes.
  return low > 8 ? low - (low % 8) : low
}
