// Comma-separated values (RFC 4180): without header, with names, or with names and types.
import { isValid, type ResultColumn, type ResultVector } from '../model/batch.ts'
import type { ResultType } from '../model/types.ts'
import { longPiece, type ResultFormat } from './answer.ts'
import { type Cell, jsonCellsInPieces, jsonWriter, slices } from './json-value.ts'
import { listed, rowTexts } from './row-text.ts'

export const csv = csvFormat([])
export const csvWithNames = csvFormat([column => column.name])
export const csvWithNamesAndTypes = csvFormat([column => column.name, column => column.type])

function csvFormat(heads: readonly ((column: ResultColumn) => string)[]): ResultFormat {
  return {
    header: 'csv',
    contentType: 'text/csv; charset=utf-8',
    several: false,
    async *encode([answer]) {
      if (answer === undefined) return
      if (answer.kind === 'affected') {
        yield `${answer.rows}\n`
        return
      }
      for (const head of heads) yield `${answer.columns.map(column => quote(head(column))).join()}\r\n`
      const cells = listed(answer.columns, ({ type }, vector) => csvCells(type, vector))
      yield* rowTexts(answer, { open: '', close: '\r\n', separator: '', cells })
    }
  }
}

/** A value as JSON text, but texts without quotes; empty for null, NaN and infinities. */
function csvCells(type: ResultType, vector: ResultVector): (row: number) => Cell {
  const { values, valid } = vector
  const write = jsonWriter(type)
  const inPieces = jsonCellsInPieces(type, vector)
  const nested = type === 'Json' || type === 'Binary'
  const float = type === 'Float32' || type === 'Float64'
  return row => {
    const value: unknown = isValid(valid, row) ? values[row] : null
    if (value === null || value === undefined) return ''
    if (typeof value === 'string' && !nested)
      return value.length > longPiece ? quoteInPieces(slices(value)) : quote(value)
    if (float) return Number.isFinite(value) ? write(value) : ''
    if (typeof value !== 'object' && !nested) return write(value)
    const cell = inPieces(row)
    return typeof cell === 'string' ? quote(cell) : quoteInPieces(cell)
  }
}

function* quoteInPieces(pieces: Iterable<string>): Generator<string> {
  yield '"'
  for (const piece of pieces) yield piece.replaceAll('"', '""')
  yield '"'
}

function quote(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
