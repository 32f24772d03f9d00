// Makes columns from plain values, and prints rows of a table as lines that are easy to compare.
import type { Column, ColumnData, FixedData, ResultBatch } from '../../../core/model/batch.ts'
import type { ColumnDefinition, Table } from '../../../core/model/table.ts'
import type { ColumnType } from '../../../core/model/types.ts'
import type { Engine, QueryResult, ResolvedWrite } from '../../../core/storage/engine.ts'

export type Cell = null | boolean | number | bigint | string | Uint8Array

/** A row by column names; what is left out is null. */
export type Row = Readonly<Record<string, Cell>>

export const never = new AbortController().signal

/** A write of rows as the store would hand it to the driver; columns no row names are left out. */
export function rowsWrite(table: Table, rows: readonly Row[], op: 'put' | 'delete' = 'put'): ResolvedWrite {
  const named = table.columns.filter(column => rows.some(row => column.name in row))
  const columns = named.map(column =>
    makeColumn(
      column,
      rows.map(row => row[column.name] ?? null)
    )
  )
  return { table, rows: rows.length, columns, op }
}

export function put(engine: Engine, table: Table, ...rows: readonly Row[]): Promise<number> {
  return engine.write([rowsWrite(table, rows)], never)
}

export function remove(engine: Engine, table: Table, ...keys: readonly Row[]): Promise<number> {
  return engine.write([rowsWrite(table, keys, 'delete')], never)
}

export function makeColumn({ name, type, semantic }: ColumnDefinition, cells: readonly Cell[]): Column {
  return { name, type, semantic, data: isBytes(type) ? bytesData(cells) : fixedData(type, cells) }
}

/** The table as the catalog has it now. */
export function tableNamed(engine: Engine, name: string): Table {
  const table = engine.catalog.table('public', name)
  if (table === undefined) throw new Error(`the catalog has no table public.${name}`)
  return table
}

/** All rows the driver shows, each as one line, sorted. */
export async function linesOf(engine: Engine, name: string, bounds: { from?: bigint; to?: bigint } = {}) {
  const table = tableNamed(engine, name)
  const columns = table.columns.map(column => column.name)
  return lines(await engine.query({ kind: 'scan', table, columns, ...bounds }, never))
}

/** What a statement that can mean only these columns shows of all rows, each as one line, sorted. */
export async function linesOfColumns(engine: Engine, name: string, columns: readonly string[]): Promise<string> {
  const table = tableNamed(engine, name)
  const shown = columns.map(each => `"${table.columns.find(({ name }) => name === each)!.physical}"`)
  const text = `SELECT ${shown.join(', ')} FROM @`
  const relations = [{ start: text.length - 1, end: text.length, table, alias: 't', columns }]
  return lines(await engine.query({ kind: 'sql', text, relations, timezone: 'UTC' }, never))
}

/** The rows of a result, each as one line, sorted. */
export async function lines(result: QueryResult): Promise<string> {
  const found: string[] = []
  for await (const batch of result.batches()) {
    for (let row = 0; row < batch.rows; row++) found.push(printLine(cellsOf(result, batch, row)))
  }
  return found.sort().join('\n')
}

/** What `lines` gives for these rows: cells in the table's column order. */
export function wanted(...rows: readonly (readonly Cell[])[]): string {
  return rows.map(printLine).sort().join('\n')
}

function cellsOf(result: QueryResult, batch: ResultBatch, row: number): Cell[] {
  return batch.columns.map(({ values, valid }, c) => {
    if (valid !== undefined && (valid[row >> 3]! & (1 << (row & 7))) === 0) return null
    const value = values[row] as Cell
    return result.columns[c]!.type === 'Boolean' && value !== null ? Boolean(value) : value
  })
}

function printLine(cells: readonly Cell[]): string {
  return cells.map(print).join(' | ')
}

function print(cell: Cell): string {
  if (cell === null || cell === undefined) return 'null'
  if (typeof cell === 'string') return JSON.stringify(cell)
  if (cell instanceof Uint8Array) return `x'${Buffer.from(cell).toString('hex')}'`
  return Object.is(cell, -0) ? '-0' : String(cell)
}

function isBytes(type: ColumnType): boolean {
  return type === 'String' || type === 'Json' || type === 'Binary'
}

/** In the middle of a larger buffer, as the body of a request is. */
function bytesData(cells: readonly Cell[]): ColumnData {
  const parts = cells.map(cell => (typeof cell === 'string' ? Buffer.from(cell) : Buffer.from((cell as Buffer) ?? [])))
  const offsets = new Uint32Array(cells.length + 1).fill(3)
  parts.forEach((part, i) => {
    offsets[i + 1] = offsets[i]! + part.length
  })
  return {
    kind: 'bytes',
    offsets,
    bytes: Buffer.concat([Buffer.from('<<<'), ...parts, Buffer.from('>>>')]),
    ...nulls(cells)
  }
}

function fixedData(type: ColumnType, cells: readonly Cell[]): FixedData {
  const words = cells.flatMap(cell => fixedWords(type, cell))
  return { kind: 'fixed', values: fixedValues(type, words), ...nulls(cells) }
}

/** Two words for decimals that 64 bits do not hold, else one. */
function fixedWords(type: ColumnType, cell: Cell): (number | bigint)[] {
  if (!usesWords(type)) return [Number(cell ?? 0)]
  const value = BigInt((cell as bigint) ?? 0)
  return isWide(type) ? [BigInt.asIntN(64, value), value >> 64n] : [value]
}

function fixedValues(type: ColumnType, words: readonly (number | bigint)[]): FixedData['values'] {
  if (type === 'UInt64') return BigUint64Array.from(words as bigint[])
  if (usesWords(type)) return BigInt64Array.from(words as bigint[])
  return new (arrays[type as keyof typeof arrays] ?? Float64Array)(words as number[])
}

function usesWords(type: ColumnType): boolean {
  return type === 'Int64' || type === 'UInt64' || type.startsWith('Timestamp') || type.startsWith('Decimal')
}

function isWide(type: ColumnType): boolean {
  return type.startsWith('Decimal') && Number(/\d+/.exec(type)![0]) > 18
}

const arrays = {
  Boolean: Uint8Array,
  Int8: Int8Array,
  Int16: Int16Array,
  Int32: Int32Array,
  UInt8: Uint8Array,
  UInt16: Uint16Array,
  UInt32: Uint32Array,
  Float32: Float32Array,
  Float64: Float64Array,
  Date: Int32Array
} as const

function nulls(cells: readonly Cell[]): { readonly valid?: Uint8Array } {
  if (cells.every(cell => cell !== null)) return {}
  const valid = new Uint8Array((cells.length + 7) >> 3)
  cells.forEach((cell, i) => {
    if (cell !== null) valid[i >> 3]! |= 1 << (i & 7)
  })
  return { valid }
}
