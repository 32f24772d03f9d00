// Rows of several writes with the same columns, appended to one piece of memory. Existing rows never change.
import type { ColumnData, FixedData } from '../../../model/batch.ts'
import type { MemtableRows, WriteOrder } from './memtable.ts'
import { pieceBytes, type RowMemory } from './row-memory.ts'

type Values = FixedData['values']
type ValuesType = new (buffer: SharedArrayBuffer, byteOffset: number, length: number) => Values

interface PartColumn {
  readonly id: number
  readonly type: ValuesType
  readonly values: Values
  readonly bytes: Uint8Array
}

/** Alignment of columns in bytes. */
const aligned = 8

/** Whether rows can be stored in a part: they have series numbers, and a number in every column. */
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
  /** Bytes per row. */
  readonly rowBytes: number
  readonly #capacity: number
  readonly #tsids: Uint32Array
  readonly #columns: readonly PartColumn[]
  /** Number of rows, and of those that were cut off. */
  #rows = 0
  #from = 0
  /** Sequence number of the first row not cut off; the next consecutive row has `#endSeq`. */
  #seq = 0
  #endSeq = 0
  /** For sequence numbers with gaps: each row's distance from the first. */
  #after: Uint32Array | undefined
  #view: MemtableRows | undefined

  /** Allocates room for rows like these: as many, or more if a part `before` was filled with such rows. */
  constructor(memory: RowMemory, { rows, columns }: MemtableRows, before: RowPart | undefined) {
    const types = Array.from(columns, ([id, data]) => ({
      id,
      type: (data as FixedData).values.constructor as ValuesType
    }))
    const widths = types.map(({ type }) => (type as unknown as { BYTES_PER_ELEMENT: number }).BYTES_PER_ELEMENT)
    this.rowBytes = 4 + widths.reduce((sum, width) => sum + width, 0)
    const max = Math.max(aligned, Math.floor(pieceBytes / this.rowBytes / aligned) * aligned)
    const wanted = before?.isFull && before.holds(columns) ? Math.max(rows, 2 * before.#capacity) : rows
    this.#capacity = Math.min(max, Math.ceil(wanted / aligned) * aligned)
    this.memory = memory.acquire(
      this.#capacity === max ? Math.max(pieceBytes, max * this.rowBytes) : this.#capacity * this.rowBytes
    )
    this.#tsids = new Uint32Array(this.memory, 0, this.#capacity)
    let at = 4 * this.#capacity
    this.#columns = types.map(({ id, type }, i) => {
      const bytes = new Uint8Array(this.memory, at, widths[i]! * this.#capacity)
      const values = new type(this.memory, at, this.#capacity)
      at += bytes.length
      return { id, type, values, bytes }
    })
  }

  get isFull(): boolean {
    return this.#rows === this.#capacity
  }

  /** Whether its rows have these columns. */
  holds(columns: MemtableRows['columns']): boolean {
    if (columns.size !== this.#columns.length) return false
    return this.#columns.every(
      ({ id, type }) => (columns.get(id) as FixedData | undefined)?.values.constructor === type
    )
  }

  /** Appends rows of a write from an index on, as far as there is room; returns the index after the last. */
  append(write: MemtableRows, from: number): number {
    const to = Math.min(write.rows, from + this.#capacity - this.#rows)
    const at = this.#rows
    this.#number(write.seq + from, to - from)
    this.#tsids.set(write.tsids!.subarray(from, to), at)
    for (const { id, bytes } of this.#columns) {
      const { buffer, byteOffset, BYTES_PER_ELEMENT: width } = (write.columns.get(id) as FixedData).values
      // Copies bytes, because copying numbers may change the bits of a NaN.
      bytes.set(new Uint8Array(buffer, byteOffset + from * width, (to - from) * width), at * width)
    }
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
      op: 'put',
      tsids: this.#tsids.subarray(from, to),
      columns: new Map(
        this.#columns.map(({ id, values }) => [id, { kind: 'fixed', values: values.subarray(from, to) }])
      ),
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
