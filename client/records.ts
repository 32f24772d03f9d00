// Parses the rows of a response while they arrive, and converts values to the types of their columns.
import { WeirError } from './http.ts'

export interface Column {
  readonly name: string
  /** Type name of the server: `Int64`, `Float64`, `String`, `TimestampNanosecond` … */
  readonly type: string
}

/** A row as an object with the column names as keys. */
export type Row = Readonly<Record<string, unknown>>

export type MakeRow = (cells: readonly unknown[]) => Row

/**
 * Integers of 64 bits and times are bigint (times in the unit of their type), bytes are Uint8Array, JSON is what it says; everything else is
 * a number, text, boolean, list or object.
 */
export function rowMaker(columns: readonly Column[]): MakeRow {
  const reads = columns.map(({ name, type }) => [name, readerOf(type)] as const)
  return cells => {
    // No prototype, since a column may be named `__proto__`.
    const row: Record<string, unknown> = Object.create(null)
    for (const [i, [name, read]] of reads.entries()) {
      const cell = cells[i]
      row[name] = cell === null || cell === undefined ? null : read(cell)
    }
    return row
  }
}

function readerOf(type: string): (cell: unknown) => unknown {
  if (/^(U?Int64|Timestamp)/.test(type)) return cell => (typeof cell === 'number' ? BigInt(cell) : cell)
  if (/^U?Int\d|^Float/.test(type)) return cell => Number(cell)
  if (type === 'Binary') return cell => Uint8Array.from(cell as number[])
  return cell => cell
}

/** Parses JSON like `JSON.parse`, but integers beyond 2^53 become bigint. */
export function parseJson(text: string): unknown {
  return JSON.parse(text, readNumber as (key: string, value: unknown) => unknown)
}

function readNumber(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value
  const { source = '' } = context ?? {}
  return /^-?\d+$/.test(source) ? BigInt(source) : value
}

const rowsBegin = '"rows":['

/** The rows of the first statement in a response of format `svc_v1`; empty if the statement only changed data. */
export async function* readRows(pieces: AsyncIterable<string>, onColumns: (columns: readonly Column[]) => void) {
  let text = ''
  let make: MakeRow | undefined
  const cutter = createCutter()
  for await (const piece of pieces) {
    text += piece
    if (make === undefined) {
      // In a name the quotes would be escaped.
      const at = text.indexOf(rowsBegin)
      if (at < 0) continue
      const columns = columnsOf(text.slice(0, at))
      onColumns(columns)
      make = rowMaker(columns)
      text = text.slice(at + rowsBegin.length)
    }
    const { rows, rest, ended } = cutter(text)
    text = rest
    for (const row of rows) yield make(parseJson(row) as unknown[])
    if (ended) return
  }
  if (make === undefined) onColumns([])
  else throw new WeirError('the answer breaks off', 0)
}

function columnsOf(head: string): Column[] {
  const { schema } = JSON.parse(`${head.slice(head.indexOf('{"schema":')).replace(/,$/, '')}}`)
  return schema.column_schemas.map(({ name, data_type }: { name: string; data_type: string }) => ({
    name,
    type: data_type
  }))
}

const quote = 34
const backslash = 92
const open = 91
const close = 93

/** Finds the texts of whole rows; what it has looked at of an unfinished one is not looked at again. */
function createCutter() {
  let seen = 0
  let start = 0
  let depth = 0
  let inText = false
  return (text: string) => {
    const rows: string[] = []
    let ended = false
    for (; seen < text.length && !ended; seen++) {
      const sign = text.charCodeAt(seen)
      if (inText) {
        if (sign === backslash) seen++
        else if (sign === quote) inText = false
      } else if (sign === quote) inText = true
      else if (sign === open) {
        if (depth++ === 0) start = seen
      } else if (sign === close) {
        if (depth === 0) ended = true
        else if (--depth === 0) {
          rows.push(text.slice(start, seen + 1))
          start = seen + 1
        }
      }
    }
    const rest = text.slice(start)
    seen -= start
    start = 0
    return { rows, rest, ended }
  }
}
