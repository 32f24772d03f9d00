// Sorts samples in memory by series, so that a query finds those of one series without scanning all rows.
import type { FixedData } from '../../../model/batch.ts'
import { free } from '../../../workers/free.ts'
import type { MemtableRows } from './memtable.ts'
import { isPlain } from './row-part.ts'

interface SortLimits {
  /** Rows worth sorting; queries scan fewer rows. */
  readonly minRows: number
  /** Rows sorted at once. */
  readonly maxRows: number
}

/** Sorting so many rows takes some ten milliseconds, and their 64-bit numbers fit one piece of memory. */
export const sortLimits: SortLimits = { minRows: 32_768, maxRows: 524_288 }

/** Writes that should be sorted into one; of the last one as many rows as `splitLast` says. Undefined if nothing is left to do. */
export function pickToSort(writes: readonly MemtableRows[], limits = sortLimits): readonly MemtableRows[] | undefined {
  const layouts = Map.groupBy(writes.filter(isPlain), layoutOf)
  for (const alike of layouts.values()) {
    const picked = loose(alike, limits) ?? neighbours(alike, limits)
    if (picked !== undefined) return picked
  }
  return undefined
}

/**
 * Splits the last write if all together have more rows than are sorted at once, so that sorted writes fill their pieces of memory. Undefined
 * if they have not.
 */
export function splitLast(
  picked: readonly MemtableRows[],
  { maxRows } = sortLimits
): readonly [head: MemtableRows, tail: MemtableRows] | undefined {
  const tooMany = countRows(picked) - maxRows
  const last = picked.at(-1)!
  return tooMany > 0 ? [part(last, 0, last.rows - tooMany), part(last, last.rows - tooMany, last.rows)] : undefined
}

/** A range of rows of an unsorted write, without copying. */
function part({ op, seq, tsids, columns, order }: MemtableRows, from: number, to: number): MemtableRows {
  const data = Array.from(columns, ([id, each]) => {
    return [id, { kind: 'fixed' as const, values: (each as FixedData).values.subarray(from, to) }] as const
  })
  const common = { rows: to - from, op, tsids: tsids!.subarray(from, to), columns: new Map(data) }
  if (order === undefined) return { ...common, seq: seq + from }
  const { after } = order
  const first = after[from]!
  const own = after.slice(from, to).map(each => each - first)
  return { ...common, seq: seq + first, order: { after: own, endSeq: seq + after[to - 1]! + 1 } }
}

/** The writes, with a sorted write in place of those it was made of. */
export function withSorted(
  writes: readonly MemtableRows[],
  picked: readonly MemtableRows[],
  sorted: MemtableRows
): MemtableRows[] {
  const gone = new Set(picked)
  return writes.flatMap(write => (write === picked[0] ? [sorted] : gone.has(write) ? [] : [write]))
}

/** A text for the columns rows have; a column's type never changes. */
function layoutOf({ columns }: MemtableRows): string {
  return [...columns.keys()].join()
}

/** Unsorted writes, once they have many rows. */
function loose(alike: readonly MemtableRows[], { minRows, maxRows }: SortLimits): readonly MemtableRows[] | undefined {
  const unsorted = alike.filter(({ isSorted }) => !isSorted)
  const picked: MemtableRows[] = []
  let rows = 0
  for (const write of unsorted) {
    if (rows >= maxRows) break
    picked.push(write)
    rows += write.rows
  }
  return rows >= minRows ? picked : undefined
}

/** The last two sorted writes, if they are adjacent and of similar size, so that each row is moved a few times at most. */
function neighbours(alike: readonly MemtableRows[], { maxRows }: SortLimits): readonly MemtableRows[] | undefined {
  const sorted = alike.filter(({ isSorted }) => isSorted)
  for (let i = sorted.length - 1; i > 0; i--) {
    const [before, after] = [sorted[i - 1]!, sorted[i]!]
    if (before.rows <= 2 * after.rows && before.rows + after.rows <= maxRows) return [before, after]
  }
  return undefined
}

/** Memory for sorted rows. */
export interface SortMemory {
  readonly tsids: Uint32Array<SharedArrayBuffer>
  /** See `WriteOrder`. */
  readonly after: Uint32Array<SharedArrayBuffer>
  readonly columns: ReadonlyMap<number, FixedData['values']>
}

type Region = readonly [memory: SharedArrayBuffer, offset: number]
type Values = new (memory: SharedArrayBuffer, offset: number, length: number) => FixedData['values']

/** Memory for the rows of all writes; `allocate` returns so many bytes. */
export function sortMemory(writes: readonly MemtableRows[], allocate: (bytes: number) => Region): SortMemory {
  const rows = countRows(writes)
  const numbers = () => new Uint32Array(...allocate(4 * rows), rows)
  const columns = Array.from(writes[0]!.columns, ([id, data]) => {
    const { values } = data as FixedData
    return [id, new (values.constructor as Values)(...allocate(values.BYTES_PER_ELEMENT * rows), rows)] as const
  })
  return { tsids: numbers(), after: numbers(), columns: new Map(columns) }
}

const exactly = (bytes: number): Region => [new SharedArrayBuffer(bytes), 0]

/** An allocator that divides large pieces of memory; each part goes to the first piece with room. No part may be larger than a piece. */
export function inPieces(take: () => SharedArrayBuffer): (bytes: number) => Region {
  const pieces: { readonly memory: SharedArrayBuffer; used: number }[] = []
  return bytes => {
    let piece = pieces.find(({ memory, used }) => used + bytes <= memory.byteLength)
    if (piece === undefined) {
      piece = { memory: take(), used: 0 }
      pieces.push(piece)
    }
    const offset = piece.used
    // 64-bit numbers must begin at multiples of 8 bytes.
    piece.used += Math.ceil(bytes / 8) * 8
    return [piece.memory, offset]
  }
}

/** Sorts all rows into `into`, by series, in steps of some milliseconds; rows of a series stay in write order. */
export function* sortSteps(writes: readonly MemtableRows[], into: SortMemory): Generator<void, void> {
  const { seq } = writes[0]!
  const rows = countRows(writes)
  const tsids = new Uint32Array(rows)
  const after = new Uint32Array(rows)
  let at = 0
  for (const write of writes) {
    tsids.set(write.tsids!.subarray(0, write.rows), at)
    const first = write.seq - seq
    if (write.order === undefined) for (let row = 0; row < write.rows; row++) after[at + row] = first + row
    else for (let row = 0; row < write.rows; row++) after[at + row] = first + write.order.after[row]!
    at += write.rows
  }
  yield
  const indices = indicesBySeries(tsids)
  yield
  pick(tsids, indices, into.tsids)
  yield
  pick(after, indices, into.after)
  for (const [id, values] of into.columns) {
    yield
    pickColumn(writes, id, indices, values)
  }
  for (const array of [tsids, after, indices]) free(array)
}

/** The sorted write, given that its rows are already in that memory. */
export function sortedRows(writes: readonly MemtableRows[], { tsids, after, columns }: SortMemory): MemtableRows {
  const { seq, op } = writes[0]!
  const order = { after, endSeq: endOf(writes.at(-1)!) }
  const data = new Map(Array.from(columns, ([id, values]) => [id, { kind: 'fixed' as const, values }]))
  return { rows: tsids.length, seq, op, tsids, order, isSorted: true, columns: data }
}

export function countRows(writes: readonly { readonly rows: number }[]): number {
  return writes.reduce((sum, { rows }) => sum + rows, 0)
}

/** One above the sequence number of the row that was written last. */
export function endOf({ seq, rows, order }: MemtableRows): number {
  return order?.endSeq ?? seq + rows
}

/** Its rows from a sequence number on. If the write has earlier rows, too, it was sorted, so all its values are numbers. */
export function rowsSince(write: MemtableRows, seq: number): MemtableRows {
  if (write.seq >= seq) return write
  const { order, tsids } = write
  const first = seq - write.seq
  const rows: number[] = []
  for (let row = 0; row < write.rows; row++) if ((order?.after[row] ?? row) >= first) rows.push(row)
  const indices = Uint32Array.from(rows)
  const into = sortMemory([{ ...write, rows: indices.length }], exactly)
  pick(tsids!, indices, into.tsids)
  for (let i = 0; i < indices.length; i++) into.after[i] = (order?.after[indices[i]!] ?? indices[i]!) - first
  for (const [id, values] of into.columns) pickColumn([write], id, indices, values)
  const { isSorted, ...picked } = sortedRows([write], into)
  return { ...picked, seq, ...(write.isSorted && { isSorted }) }
}

/** Row indexes sorted by series; a stable sort. */
function indicesBySeries(tsids: Uint32Array): Uint32Array {
  let [first, last] = [0xffffffff, 0]
  for (let row = 0; row < tsids.length; row++) {
    const series = tsids[row]!
    if (series < first) first = series
    if (series > last) last = series
  }
  const low = byDigit(tsids, first, 0, undefined)
  return last - first < 1 << 16 ? low : byDigit(tsids, first, 16, low)
}

/** One pass of a radix sort with 16-bit digits. */
function byDigit(tsids: Uint32Array, first: number, shift: number, before: Uint32Array | undefined): Uint32Array {
  const starts = new Uint32Array((1 << 16) + 1)
  for (let row = 0; row < tsids.length; row++) starts[(((tsids[row]! - first) >>> shift) & 0xffff) + 1]!++
  for (let digit = 1; digit < starts.length; digit++) starts[digit]! += starts[digit - 1]!
  const indices = new Uint32Array(tsids.length)
  for (let i = 0; i < tsids.length; i++) {
    const row = before === undefined ? i : before[i]!
    indices[starts[((tsids[row]! - first) >>> shift) & 0xffff]!++] = row
  }
  return indices
}

function pick(values: Uint32Array, indices: Uint32Array, into: Uint32Array): void {
  for (let i = 0; i < indices.length; i++) into[i] = values[indices[i]!]!
}

/** Copies words, because copying numbers may change the bits of a NaN, and 64-bit integers would be bigints. */
function pickColumn(
  writes: readonly MemtableRows[],
  id: number,
  indices: Uint32Array,
  into: FixedData['values']
): void {
  const parts = writes.map(write => wordsOf((write.columns.get(id) as FixedData).values))
  const from = joinWords(parts)
  const to = wordsOf(into)
  if (into.BYTES_PER_ELEMENT === 4) pick(from, indices, to)
  else
    for (let i = 0; i < indices.length; i++) {
      const index = 2 * indices[i]!
      to[2 * i] = from[index]!
      to[2 * i + 1] = from[index + 1]!
    }
  if (parts.length > 1) free(from)
}

function wordsOf({ buffer, byteOffset, byteLength }: FixedData['values']): Uint32Array {
  return new Uint32Array(buffer, byteOffset, byteLength / 4)
}

function joinWords(parts: readonly Uint32Array[]): Uint32Array {
  if (parts.length === 1) return parts[0]!
  const joined = new Uint32Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    joined.set(part, at)
    at += part.length
  }
  return joined
}
