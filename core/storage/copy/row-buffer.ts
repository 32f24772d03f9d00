// Collects rows of results into writes of limited size.
import { bitmap, type Column, type ColumnData, isValid, type ResultBatch, setBit } from '../../model/batch.ts'
import { unscale } from '../../model/decimal.ts'
import type { TableColumn } from '../../model/table.ts'
import { type ColumnType, elementsPerRow, fixedArray, isBytesType } from '../../model/types.ts'

/** Rows and bytes of one write. */
const maxRows = 65_536
const maxBytes = 8 * 2 ** 20

export interface GatheredRows {
  readonly rows: number
  readonly columns: readonly Column[]
}

/** Some rows of a batch. */
interface Part {
  readonly batch: ResultBatch
  readonly rows: Uint32Array
}

export class RowBuffer {
  readonly #columns: readonly TableColumn[]
  #parts: Part[] = []
  #rows = 0
  #bytes = 0

  /** Batches must have a vector for each of these columns. */
  constructor(columns: readonly TableColumn[]) {
    this.#columns = columns
  }

  /** Adds rows of a batch; yields complete writes. */
  *add(batch: ResultBatch, rows: Uint32Array): Generator<GatheredRows> {
    const texts = batch.columns.map(({ values }) => values).filter(values => !ArrayBuffer.isView(values))
    const fixed = batch.columns.length * 8
    let from = 0
    for (let i = 0; i < rows.length; i++) {
      this.#bytes += fixed
      for (const values of texts) this.#bytes += lengthOf(values[rows[i]!])
      this.#rows++
      if (this.#rows < maxRows && this.#bytes < maxBytes) continue
      this.#parts.push({ batch, rows: rows.subarray(from, i + 1) })
      from = i + 1
      yield this.#take()
    }
    if (from < rows.length) this.#parts.push({ batch, rows: rows.subarray(from) })
  }

  /** Yields the rest. */
  *end(): Generator<GatheredRows> {
    if (this.#rows > 0) yield this.#take()
  }

  #take(): GatheredRows {
    const parts = this.#parts
    const rows = this.#rows
    this.#parts = []
    this.#rows = this.#bytes = 0
    return { rows, columns: this.#columns.map((column, c) => columnOf(column, c, parts, rows)) }
  }
}

/** Bytes of a text or binary value. */
function lengthOf(value: unknown): number {
  return (value as { readonly length?: number } | null | undefined)?.length ?? 0
}

function columnOf({ name, type, semantic }: TableColumn, c: number, parts: readonly Part[], rows: number): Column {
  const valid = validity(c, parts, rows)
  const data = isBytesType(type) ? bytesData(c, parts, rows) : fixedData(type, c, parts, rows)
  return { name, type, semantic, data: valid === undefined ? data : { ...data, valid } }
}

/** Undefined if all rows have a value. */
function validity(c: number, parts: readonly Part[], rows: number): Uint8Array | undefined {
  const valid = bitmap(rows, false)
  let at = 0
  let nulls = 0
  for (const { batch, rows: picked } of parts) {
    const vector = batch.columns[c]!
    for (const row of picked) {
      const value = isValid(vector.valid, row) ? vector.values[row] : null
      if (value === null || value === undefined) nulls++
      else setBit(valid, at)
      at++
    }
  }
  return nulls === 0 ? undefined : valid
}

/** Texts, JSON and bytes. */
function bytesData(c: number, parts: readonly Part[], rows: number): ColumnData {
  const offsets = new Uint32Array(rows + 1)
  const pieces: Uint8Array[] = []
  let texts: string[] = []
  let at = 0
  const flush = () => {
    if (texts.length > 0) pieces.push(Buffer.from(texts.join('')))
    texts = []
  }
  for (const { batch, rows: picked } of parts) {
    const { values, valid } = batch.columns[c]!
    for (const row of picked) {
      const value = isValid(valid, row) ? values[row] : null
      let length = 0
      if (typeof value === 'string') {
        texts.push(value)
        length = Buffer.byteLength(value)
      } else if (value instanceof Uint8Array) {
        flush()
        pieces.push(value)
        length = value.length
      }
      offsets[at + 1] = offsets[at]! + length
      at++
    }
  }
  flush()
  return { kind: 'bytes', offsets, bytes: Buffer.concat(pieces) }
}

function fixedData(type: ColumnType, c: number, parts: readonly Part[], rows: number): ColumnData {
  const width = elementsPerRow(type)
  const made = new (fixedArray(type))(rows * width)
  // Copies floats as bits, because the bits of a NaN may have a meaning.
  const out = asBits(made)
  const scale = Number(/, (\d+)\)$/.exec(type)?.[1] ?? 0)
  let at = 0
  for (const { batch, rows: picked } of parts) {
    const { values, valid } = batch.columns[c]!
    if (ArrayBuffer.isView(values)) {
      const bits = asBits(values)
      // Nulls stay 0, because the value beneath may be invalid for the type.
      for (const row of picked) {
        if (isValid(valid, row)) out[at] = bits[row]!
        at++
      }
      continue
    }
    for (const row of picked) {
      const value = isValid(valid, row) ? values[row] : null
      if (value !== null && value !== undefined) put(out, at, width, unscale(String(value), scale))
      at += width
    }
  }
  return { kind: 'fixed', values: made }
}

type Fixed = Extract<ColumnData, { kind: 'fixed' }>['values']

/** Decimals are texts in results. */
function put(out: { [i: number]: number | bigint }, at: number, width: number, value: bigint): void {
  out[at] = BigInt.asIntN(64, value)
  if (width === 2) out[at + 1] = value >> 64n
}

/** A view of the same memory as integers. */
function asBits(values: Fixed): { [i: number]: number | bigint } {
  const { buffer, byteOffset, length } = values
  if (values instanceof Float64Array) return new BigInt64Array(buffer, byteOffset, length)
  if (values instanceof Float32Array) return new Int32Array(buffer, byteOffset, length)
  return values
}
