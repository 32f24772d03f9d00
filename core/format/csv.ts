// Comma-separated values after RFC 4180, without a header, with names, or with names and types.
import { isValid, type ResultColumn, type ResultVector } from '../model/batch.ts'
import type { ResultType } from '../model/types.ts'
import { longPiece, type RecordsAnswer, type ResultFormat } from './answer.ts'
import { jsonWriter } from './json-value.ts'

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
      yield* rows(answer)
    }
  }
}

async function* rows(answer: RecordsAnswer): AsyncGenerator<string> {
  for await (const batch of answer.batches()) {
    const cells = answer.columns.map(({ type }, c) => csvCells(type, batch.columns[c]!))
    let text = ''
    for (let row = 0; row < batch.rows; row++) {
      for (let c = 0; c < cells.length; c++) text += c === 0 ? cells[c]!(row) : `,${cells[c]!(row)}`
      text += '\r\n'
      if (text.length > longPiece) {
        yield text
        text = ''
      }
    }
    yield text
  }
}

/** A value as its JSON text, but text without JSON's quotes; nothing for null and for floats that are no numbers. */
function csvCells(type: ResultType, { values, valid }: ResultVector): (row: number) => string {
  const write = jsonWriter(type)
  const nested = type === 'Json' || type === 'Binary'
  const float = type === 'Float32' || type === 'Float64'
  return row => {
    const value: unknown = isValid(valid, row) ? values[row] : null
    if (value === null || value === undefined) return ''
    if (typeof value === 'string' && !nested) return quote(value)
    if (float) return Number.isFinite(value) ? write(value) : ''
    return typeof value === 'object' || nested ? quote(write(value)) : write(value)
  }
}

function quote(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
